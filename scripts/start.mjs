// @ts-check
/**
 * `npm start`: runs the host with the example servers of this repository until Ctrl-C, and calls one tool through it.
 * Arguments go to `plugboard serve`. `npm run ui` opens the page of this host. Both use a state folder in the
 * repository, which stays for the next start. Neither command reads or writes the user's config.
 */
import { spawn, spawnSync } from "node:child_process";
import { existsSync, mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { prepare } from "./build/prepare.mjs";
import { root, runNode } from "./run.mjs";

const exampleFolder = join(root, "examples", "desk");
const command = join(root, "packages", "cli", "bin", "plugboard.js");
const state = process.env["PLUGBOARD_DEMO_STATE"] ?? join(root, ".plugboard-demo");
/** How often to look whether npm is still running. */
const CHECK_MS = 500;
/** The processes that started this script. Found before the long build, because they may have ended after it. */
const parents = findParents();
/** The last text that `plugboard serve` prints when it is ready. */
const READY = "Stop with Ctrl-C";

const [first, ...rest] = process.argv.slice(2);
useOwnState();
process.exitCode =
  first === "ui"
    ? runNode(command, ["ui", ...rest], exampleFolder)
    : (await prepare()) || (await demonstrate(process.argv.slice(2)));

function useOwnState() {
  mkdirSync(state, { recursive: true });
  const ownConfig = join(state, "config.json");
  if (!existsSync(ownConfig)) writeFileSync(ownConfig, "{}\n");
  Object.assign(process.env, {
    PLUGBOARD_CONFIG_PATH: ownConfig,
    XDG_STATE_HOME: state,
    PLUGBOARD_DEMO_STATE: state,
  });
}

/** @param {readonly string[]} args */
function demonstrate(args) {
  const serve = ["serve", "--config", "plugboard.json", ...args];
  console.log(`\n$ plugboard ${serve.join(" ")}`);
  const host = spawn(process.execPath, [command, ...serve], {
    cwd: exampleFolder,
    stdio: ["ignore", "pipe", "inherit"],
  });
  // Ctrl-C also reaches the host. Other signals are forwarded.
  process.on("SIGINT", () => {}).on("SIGTERM", () => host.kill("SIGTERM"));
  void stopWithParents(host);

  let output = "";
  host.stdout.on("data", (chunk) => {
    process.stdout.write(chunk);
    const before = output;
    output += chunk;
    if (output.includes(READY) && !before.includes(READY)) callOneTool();
  });
  return new Promise((resolve) => host.once("exit", (code) => resolve(code ?? 1)));
}

/**
 * Returns the process ids of npm and of the shell in which it runs this script. If npm is killed, the shell and this
 * script go on, and the shell forwards no signal.
 */
function findParents() {
  const { ppid } = process;
  if (process.env["npm_execpath"] === undefined || process.platform === "win32") return [];
  const { stdout } = spawnSync("ps", ["-o", "ppid=,args=", "-p", String(ppid)], { encoding: "utf8" });
  const [, npm, command = ""] = /^\s*(\d+)\s+(.*)/.exec(stdout ?? "") ?? [];
  return command.includes("scripts/start.mjs") ? [ppid, Number(npm)] : [ppid];
}

/** @param {import("node:child_process").ChildProcess} host */
async function stopWithParents(host) {
  const { isProcessRunning } = await import("@plugboard/mcp/process");
  const timer = setInterval(() => {
    if (parents.every(isProcessRunning)) return;
    clearInterval(timer);
    host.kill("SIGTERM");
  }, CHECK_MS);
  host.once("exit", () => clearInterval(timer));
  // Writing fails if nobody is left to read the output.
  process.stdout.on("error", () => host.kill("SIGTERM"));
}

function callOneTool() {
  const call = ["call", "files:read_text_file", "path=welcome.md", "--config", "plugboard.json"];
  console.log(`\n$ plugboard ${call.join(" ")}`);
  if (runNode(command, call, exampleFolder) !== 0) process.exitCode = 1;
  console.log(`Another link for the page: npm run ui
What you add is kept in ${state}. Delete this folder to begin again.
To use this host from another terminal, in examples/desk:
  export XDG_STATE_HOME="${state}" PLUGBOARD_DEMO_STATE="${state}" PLUGBOARD_CONFIG_PATH="${join(state, "config.json")}"
  plugboard status --config plugboard.json`);
}
