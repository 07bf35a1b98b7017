// @ts-check
/**
 * Runs the tests, records every message that Plugboard sends in them, and validates the messages with the official
 * schemas.
 *   npm run check:wire -- <schema folder> [vitest arguments]
 * Without vitest arguments, the long test with published servers from npm runs, too.
 * The schema folder contains one `<revision>.json` per protocol revision. The schemas are not part of this repository.
 */
import { mkdtempSync, readdirSync, readFileSync, rmSync, statSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { pathToFileURL } from "node:url";
import { installLongPackages } from "../test-runner/long-packages.mjs";
import { prepare } from "../build/prepare.mjs";
import { root, runTool } from "../run.mjs";

const [folder, ...vitestArgs] = process.argv.slice(2);

if (folder === undefined || !statSync(folder, { throwIfNoEntry: false })?.isDirectory()) {
  console.error("usage: npm run check:wire -- <folder of schemas, one <revision>.json each> [vitest arguments]");
  process.exitCode = 1;
} else {
  process.exitCode = (await prepare()) || (await check(folder));
}

/** @param {string} schemas */
async function check(schemas) {
  const recording = mkdtempSync(join(tmpdir(), "plugboard-wire-"));
  try {
    const failed = runTestsRecorded(recording);
    return (await report(recording, schemas)) || failed;
  } finally {
    rmSync(recording, { recursive: true, force: true });
  }
}

/** @param {string} recording */
function runTestsRecorded(recording) {
  const recorder = pathToFileURL(join(root, "packages/testkit/dist/record-frames.js")).href;
  const { NODE_OPTIONS = "" } = process.env;
  process.env["NODE_OPTIONS"] = `${NODE_OPTIONS} --import=${recorder}`.trim();
  process.env["PLUGBOARD_WIRE_DIR"] = recording;
  const failed = runTool("vitest", ["run", ...vitestArgs]);
  if (vitestArgs.length > 0) return failed;
  const ofCatalogs = ["--config", "vitest.long.config.ts", "packages/gateway/test/published-servers.long.test.ts"];
  return installLongPackages() || runTool("vitest", ["run", ...ofCatalogs]) || failed;
}

/**
 * @param {string} recording
 * @param {string} schemas
 */
async function report(recording, schemas) {
  // Imported here, because it needs the packages that `prepare` installs.
  const { validateFrames } = await import("./validate-frames.mjs");
  const lines = readdirSync(recording).flatMap((file) => readFileSync(join(recording, file), "utf8").split("\n"));
  const frames = lines.filter((line) => line !== "").map((line) => JSON.parse(line));
  const { counts, violations } = validateFrames(frames, schemas);
  console.table(counts);
  for (const { problem, frame } of violations) console.log(problem, ...(frame ? [`\n  ${JSON.stringify(frame)}`] : []));
  console.log(`${frames.length} frames, ${violations.length} violations`);
  return violations.length > 0 ? 1 : 0;
}
