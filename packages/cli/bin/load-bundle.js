// Loads the files of the bundle with the code that V8 compiled in an earlier run of the same command. Most of the time of a short
// command is spent on compiling otherwise. The compile cache of Node is slower, and Node 20 has none.
const path = require("node:path");
const vm = require("node:vm");
const { StoredCode } = require("./stored-code.js");
const fs = require("node:fs");

const BUNDLE = path.join(__dirname, "../dist/bundle/");

exports.loadBundle = loadBundle;

/**
 * Runs a file of the bundle. Without a cache, it compiles everything.
 * @param {string} entry
 * @param {{ folder: string, command: string } | undefined} cache
 */
function loadBundle(entry, cache) {
  const stored = cache && new StoredCode(cache.folder, codeId(), cache.command);
  /** The compiled files that this process has loaded. */
  const scripts = new Map();
  const modules = new Map();
  let isComplete = true;

  const load = (name) => {
    let module = modules.get(name);
    if (module) return module.exports;
    module = { exports: {} };
    modules.set(name, module);
    const filename = BUNDLE + name;
    const cachedData = stored?.read(name);
    const source = `(function (exports, require, module, __filename, __dirname) {${fs.readFileSync(filename, "utf8")}\n})`;
    const script = new vm.Script(source, { filename, cachedData });
    scripts.set(name, script);
    if (!cachedData || script.cachedDataRejected) isComplete = false;
    const requireFrom = (id) => (id.startsWith("./") ? load(id.slice(2)) : require(id));
    script.runInThisContext()(module.exports, requireFrom, module, filename, BUNDLE);
    return module.exports;
  };

  if (stored) {
    // At the end, because only functions that have run are compiled by then.
    process.on("exit", (status) => {
      if (isComplete || status !== 0) return;
      stored.write(new Map(Array.from(scripts, ([name, script]) => [name, script.createCachedData()])));
    });
  }
  load(entry);
}

/** V8 checks its version and options, but not the source text, which belongs to a build. */
function codeId() {
  const buildId = fs.readFileSync(`${BUNDLE}build-id`, "utf8").trim();
  return `${buildId}-${process.version}-${process.arch}`;
}
