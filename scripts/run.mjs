// @ts-check
/** Runs commands for the other scripts. Uses only Node builtins, so that it works before the install. */
import { spawn, spawnSync } from "node:child_process";
import { readFileSync, realpathSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";

export const root = fileURLToPath(new URL("..", import.meta.url));

/**
 * Returns true if this module is the main program, also when it was started through a symbolic link.
 * @param {string} moduleUrl
 */
export function isProgram(moduleUrl) {
  return process.argv[1] !== undefined && realpathSync(process.argv[1]) === realpathSync(fileURLToPath(moduleUrl));
}

/**
 * Runs Node on a script and returns the exit status. A signal counts as a failure.
 * @param {string} script
 * @param {readonly string[]} args
 * @param {string} [cwd]
 */
export function runNode(script, args, cwd = root) {
  return status(spawnSync(process.execPath, [script, ...args], { cwd, stdio: ["ignore", "inherit", "inherit"] }));
}

/**
 * Runs Node on a script asynchronously. Returns its output, or prints it as it arrives.
 * @param {string} script
 * @param {readonly string[]} args
 * @param {"pipe" | "inherit"} [output]
 * @returns {Promise<{ status: number, output: string }>}
 */
export function runNodeAsync(script, args, output = "pipe") {
  return new Promise((resolve, reject) => {
    const child = spawn(process.execPath, [script, ...args], { cwd: root, stdio: ["ignore", output, output] });
    let text = "";
    for (const stream of [child.stdout, child.stderr]) stream?.on("data", (chunk) => (text += chunk));
    child.once("error", reject).once("close", (code) => resolve({ status: code ?? 1, output: text }));
  });
}

/**
 * Runs the command of an installed package without npx, so that a missing tool is an error and not a download.
 * @param {string} tool
 * @param {readonly string[]} args
 * @param {string} [cwd]
 */
export function runTool(tool, args, cwd = root) {
  return runNode(toolScript(tool, cwd), args, cwd);
}

/**
 * @param {string} tool
 * @param {string} [cwd]
 */
export function toolScript(tool, cwd = root) {
  const [name, command] = tool === "tsc" ? ["typescript", "tsc"] : [tool, tool];
  const folder = join(cwd, "node_modules", name);
  const { bin } = JSON.parse(readFileSync(join(folder, "package.json"), "utf8"));
  return join(folder, typeof bin === "string" ? bin : bin[command]);
}

/**
 * Runs npm: the npm that started this script, if there is one.
 * @param {readonly string[]} args
 * @param {string} [cwd]
 */
export function runNpm(args, cwd = root) {
  const npm = process.env["npm_execpath"];
  if (npm !== undefined && /npm-cli\.c?js$/.test(npm)) return runNode(npm, args, cwd);
  // On Windows, npm is a .cmd file, which needs a shell. The arguments are constants.
  const shell = process.platform === "win32";
  return status(spawnSync("npm", args, { cwd, shell, stdio: ["ignore", "inherit", "inherit"] }));
}

/** @param {import("node:child_process").SpawnSyncReturns<Buffer>} result */
function status(result) {
  if (result.error) throw result.error;
  return result.status ?? 1;
}
