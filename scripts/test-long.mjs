// @ts-check
/**
 * The tests that take too long, or need too much, for every run: see vitest.long.config.ts. Installs what they need.
 * Arguments go to vitest. The last line counts the tests; a skipped one fails the run unless arguments chose.
 */
import { spawnSync } from "node:child_process";
import { createHash } from "node:crypto";
import { existsSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { prepare } from "./prepare.mjs";
import { root, runNpm } from "./run.mjs";
import { runTests } from "./run-tests.mjs";

process.exitCode = (await prepare()) || installServers() || (await installPostgres()) || test(process.argv.slice(2));

/** @param {readonly string[]} args */
function test(args) {
  process.env["PLUGBOARD_LONG"] = "1";
  const { good, line } = runTests(["--config", "vitest.long.config.ts", ...args], args.length > 0);
  console.log(line);
  return good ? 0 : 1;
}

/** Old servers with old dependencies, which the ordinary install need not know of. */
function installServers() {
  const folder = join(root, "packages", "testkit", "long");
  const stamp = join(folder, "node_modules", ".plugboard-install");
  const wanted = createHash("sha256")
    .update(readFileSync(join(folder, "package-lock.json")))
    .digest("hex");
  if (existsSync(stamp) && readFileSync(stamp, "utf8") === wanted) return 0;
  const failed = runNpm(["ci"], folder);
  if (!failed) writeFileSync(stamp, wanted);
  return failed;
}

async function installPostgres() {
  const { postgresPrograms } = await import("@plugboard/testkit/postgres-programs");
  if (postgresPrograms() !== undefined) return 0;
  console.log("PostgreSQL is missing; installing Debian's package");
  if (aptGet("install", "-y", "postgresql") === 0) return 0;
  // The lists of a fresh system are empty.
  if (aptGet("update") === 0 && aptGet("install", "-y", "postgresql") === 0) return 0;
  console.error("The long tests need PostgreSQL (initdb, postgres and psql), and apt-get could not install it.");
  return 1;
}

/** @param {string[]} args */
function aptGet(...args) {
  const env = { ...process.env, DEBIAN_FRONTEND: "noninteractive" };
  return spawnSync("apt-get", args, { env, stdio: ["ignore", "inherit", "inherit"] }).status ?? 1;
}
