// @ts-check
/**
 * The main job, on servers that come with the repository: connects them, shows their state, makes one real call.
 * Everything it keeps lies in a folder of its own; the user's own configuration is neither read nor written.
 */
import { mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { prepare } from "./prepare.mjs";
import { root, runNode } from "./run.mjs";

const desk = join(root, "examples", "desk");
const state = join(root, ".plugboard-demo");

process.exitCode = prepare() || demonstrate();

function demonstrate() {
  mkdirSync(state, { recursive: true });
  const ownConfig = join(state, "config.json");
  writeFileSync(ownConfig, "{}\n");
  Object.assign(process.env, {
    PLUGBOARD_CONFIG_PATH: ownConfig,
    XDG_STATE_HOME: state,
    PLUGBOARD_DEMO_STATE: state,
  });
  return (
    plugboard("status", "--connect", "--config", "plugboard.json") ||
    plugboard("call", "files:read_text_file", "path=welcome.md", "--config", "plugboard.json")
  );
}

/** @param {string[]} args */
function plugboard(...args) {
  console.log(`\n$ plugboard ${args.join(" ")}`);
  return runNode(join(root, "packages", "cli", "bin", "plugboard.js"), args, desk);
}
