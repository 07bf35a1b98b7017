// @ts-check
/** Runs the static checks one after the other, in parallel with the tests. Prints the output of each when it ends. */
import { runNodeAsync, toolScript } from "../run.mjs";

/** @type {{ [name: string]: () => ReturnType<typeof runNodeAsync> }} */
const CHECKS = {
  format: () => runNodeAsync(toolScript("oxfmt"), ["--check"]),
  types: () => runNodeAsync(toolScript("tsc"), ["-b"]),
  lint: () => runNodeAsync(toolScript("oxlint"), ["--threads=1"]),
  boundaries: () => runNodeAsync("scripts/checks/check-boundaries.mjs", []),
  names: () => runNodeAsync("scripts/checks/check-names.mjs", []),
  knip: () => runNodeAsync(toolScript("knip"), ["--no-progress"]),
  packages: () => runNodeAsync("scripts/checks/check-packages.mjs", []),
};

/** @returns {Promise<string[]>} the names of the checks that failed */
export async function runStaticChecks() {
  const failed = [];
  for (const [name, run] of Object.entries(CHECKS)) {
    const { status, output } = await run();
    console.log(`> ${name}: ${status === 0 ? "ok" : "failed"}\n${output}`.trimEnd());
    if (status !== 0) failed.push(name);
  }
  return failed;
}
