// @ts-check
/**
 * Runs the tests that take too long for `npm test` (see vitest.long.config.ts), and installs their packages. Arguments go
 * to vitest. The last line counts the tests. A skipped test fails the run, unless arguments select the tests.
 */
import { existsSync } from "node:fs";
import { installLongPackages } from "./long-packages.mjs";
import { prepare } from "../build/prepare.mjs";
import { runTests } from "./run-tests.mjs";
import { installMissing, onPath, testNeeds } from "./system-packages.mjs";

process.exitCode =
  installMissing([...testNeeds(), ...longTestNeeds()]) ||
  (await prepare()) ||
  installLongPackages() ||
  (await installPostgres()) ||
  (await test(process.argv.slice(2)));

/** @param {readonly string[]} args */
async function test(args) {
  process.env["PLUGBOARD_LONG"] = "1";
  const { good, line } = await runTests(["--config", "vitest.long.config.ts", ...args], { filtered: args.length > 0 });
  console.log(line);
  return good ? 0 : 1;
}

/** Returns the program that starts loopback in a network namespace, which only Linux has. */
function longTestNeeds() {
  const ip = { name: "ip", debian: "iproute2", present: onPath("ip") || existsSync("/sbin/ip") };
  return process.platform === "linux" ? [ip] : [];
}

async function installPostgres() {
  const { postgresPrograms } = await import("@plugboard/testkit/programs/postgres-programs");
  return installMissing([{ name: "PostgreSQL", debian: "postgresql", present: postgresPrograms() !== undefined }]);
}
