// Loads the files of the bundle with the code that V8 compiled in an earlier run of the same command. Most of the time of a short
// command is spent on compiling otherwise. The compile cache of Node is slower, and Node 20 has none.
const fs = require("node:fs");
const path = require("node:path");
const vm = require("node:vm");

const BUNDLE = path.join(__dirname, "../dist/bundle/");
/** Limits the files for words that are not names of commands. */
const MAX_FILES = 100;
const UNUSED_MS = 30 * 24 * 60 * 60 * 1000;

exports.loadBundle = loadBundle;

/**
 * Runs a file of the bundle. Without a cache folder, it compiles everything.
 * @param {string} entry
 * @param {{ folder: string, command: string } | undefined} cache
 */
function loadBundle(entry, cache) {
  const file = cache && cacheFile(cache);
  const stored = file ? readCode(file) : new Map();
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
    const cachedData = stored.get(name);
    const source = `(function (exports, require, module, __filename, __dirname) {${fs.readFileSync(filename, "utf8")}\n})`;
    const script = new vm.Script(source, { filename, cachedData });
    scripts.set(name, script);
    if (!cachedData || script.cachedDataRejected) isComplete = false;
    const requireFrom = (id) => (id.startsWith("./") ? load(id.slice(2)) : require(id));
    script.runInThisContext()(module.exports, requireFrom, module, filename, BUNDLE);
    return module.exports;
  };

  if (file) {
    // At the end, because only functions that have run are compiled by then.
    process.on("exit", (status) => {
      if (isComplete || status !== 0) return;
      for (const [name, script] of scripts) stored.set(name, script.createCachedData());
      writeCode(file, stored);
    });
  }
  load(entry);
}

/** V8 checks its version and options, but not the source text. */
function cacheFile({ folder, command }) {
  const buildId = fs.readFileSync(`${BUNDLE}build-id`, "utf8").trim();
  return path.join(folder, `${buildId}-${process.version}-${process.arch}`, command);
}

/** Returns compiled code by file name. Reads nothing from a folder that another user can write, because the code is run. */
function readCode(file) {
  const code = new Map();
  try {
    const { uid, mode } = fs.statSync(path.dirname(file));
    if (process.getuid && (uid !== process.getuid() || (mode & 0o022) !== 0)) return code;
    const bytes = fs.readFileSync(file);
    let start = bytes.indexOf("\n") + 1;
    for (const [name, length] of JSON.parse(bytes.toString("utf8", 0, start))) {
      code.set(name, bytes.subarray(start, start + length));
      start += length;
    }
  } catch {
    // Not stored yet, or damaged. The command then compiles its files.
    code.clear();
  }
  return code;
}

/** Does nothing if the folder can't be written, since the command also works without. */
function writeCode(file, code) {
  const folder = path.dirname(file);
  const index = JSON.stringify(Array.from(code, ([name, bytes]) => [name, bytes.length]));
  const temporary = `${file}.${process.pid}`;
  try {
    if (fs.mkdirSync(folder, { recursive: true, mode: 0o700 })) removeUnused(path.dirname(folder));
    if (fs.readdirSync(folder).length >= MAX_FILES) return;
    fs.writeFileSync(temporary, Buffer.concat([Buffer.from(`${index}\n`), ...code.values()]), {
      mode: 0o600,
      flag: "wx",
    });
    fs.renameSync(temporary, file);
  } catch {
    if (fs.existsSync(temporary)) fs.rmSync(temporary);
  }
}

/** Removes the code of builds and versions of Node that have stored nothing for a month. */
function removeUnused(parent) {
  for (const name of fs.readdirSync(parent)) {
    const folder = path.join(parent, name);
    if (Date.now() - fs.statSync(folder).mtimeMs > UNUSED_MS) fs.rmSync(folder, { recursive: true });
  }
}
