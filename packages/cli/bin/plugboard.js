#!/usr/bin/env node
// Starts the command. Not built, because npm links it at install time, before the build. A CommonJS module, which starts faster.
const path = require("node:path");
const { enableCompileCache } = require("node:module");

const { argv, env, versions } = process;
const [major, minor] = versions.node.split(".").map(Number);

if (argv.length === 3 && (argv[2] === "--version" || argv[2] === "-V")) {
  process.stdout.write(`${require("../package.json").version}\n`);
} else if (major < 20 || (major === 20 && minor < 19)) {
  process.stderr.write(`plugboard needs Node 20.19 or later, but this is Node ${versions.node} (${process.execPath}).
Install a newer version from https://nodejs.org or with your version manager, then run the command again.\n`);
  process.exitCode = 2;
} else {
  // Since Node 22.8, compiled code can be stored. The default folder is one that other users can write.
  const cache = env["XDG_CACHE_HOME"] ?? (env["HOME"] && path.join(env["HOME"], ".cache"));
  if (cache) enableCompileCache?.(path.join(cache, "plugboard", "code"));
  require("../dist/bundle/main.js");
}
