#!/usr/bin/env node
// Starts the command. Not built, because npm links it at install time, before the build. A CommonJS module, which starts faster.
const path = require("node:path");

const { argv, env, versions } = process;
const [major, minor] = versions.node.split(".").map(Number);

if (argv.length === 3 && (argv[2] === "--version" || argv[2] === "-V")) {
  process.stdout.write(`${require("../package.json").version}\n`);
} else if (major < 20 || (major === 20 && minor < 19)) {
  process.stderr.write(`plugboard needs Node 20.19 or later, but this is Node ${versions.node} (${process.execPath}).
Install a newer version from https://nodejs.org or with your version manager, then run the command again.\n`);
  process.exitCode = 2;
} else {
  const command = argv.slice(2).find((word) => /^[a-z][a-z-]*$/.test(word) && word !== "mcp");
  const folder = cacheFolder(command);
  const { loadBundle } = require("./load-bundle.js");
  loadBundle("main.js", command && folder ? { folder, command } : undefined);
}

/** Returns undefined if nothing may be stored. `plugboard purge` removes the folder. */
function cacheFolder(command) {
  if (command === "purge" || env["NODE_DISABLE_COMPILE_CACHE"] || env["NODE_V8_COVERAGE"]) return undefined;
  const parent = env["XDG_CACHE_HOME"] || env["LOCALAPPDATA"] || (env["HOME"] && path.join(env["HOME"], ".cache"));
  return parent && path.isAbsolute(parent) ? path.join(parent, "plugboard", "code") : undefined;
}
