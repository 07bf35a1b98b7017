// The compiled code of one command, in a file of the user's cache. Compiled code is run, so nothing is read from or written to a
// folder that another user can change.
const fs = require("node:fs");
const path = require("node:path");

/** Limits the files for words that are not names of commands. */
const MAX_FILES = 100;
const UNUSED_MS = 30 * 24 * 60 * 60 * 1000;
/** The names of folders that this file creates. Others are never deleted. */
const CODE_ID = /^[0-9a-f]{12}[\w-]*-v\d+\.\d+\.\d+-\w+$/;
/** The index of a file with more entries is not read. */
const MAX_INDEX_BYTES = 8192;

class StoredCode {
  #parent;
  #folder;
  #file;
  /** By name, where the code is in the file. Undefined until the file was read. */
  #index;

  /** `parent` is in a folder that only Plugboard uses. */
  constructor(parent, codeId, command) {
    this.#parent = parent;
    this.#folder = path.join(parent, codeId);
    this.#file = path.join(this.#folder, command);
  }

  /** Returns the code of a file of the bundle, or undefined if none is stored or it is damaged. */
  read(name) {
    try {
      this.#index ??= this.#readIndex();
      const entry = this.#index.get(name);
      if (!entry) return undefined;
      const code = readBytes(this.#file, entry.start, entry.length);
      return checksum(code) === entry.checksum ? code : undefined;
    } catch {
      // Not stored yet, or damaged. The command then compiles its files.
      this.#index ??= new Map();
      return undefined;
    }
  }

  /** Keeps the code that is stored and not given. Does nothing if it can't write, since the command also works without. */
  write(code) {
    const all = new Map([...(this.#index?.keys() ?? [])].map((name) => [name, code.get(name) ?? this.read(name)]));
    for (const [name, bytes] of code) all.set(name, bytes);
    const entries = [...all].filter(([, bytes]) => bytes);
    const index = `${JSON.stringify(entries.map(([name, bytes]) => [name, bytes.length, checksum(bytes)]))}\n`;
    const temporary = `${this.#file}.${process.pid}`;
    try {
      const isNew = fs.mkdirSync(this.#folder, { recursive: true, mode: 0o700 }) !== undefined;
      if (!this.#isPrivate() || index.length > MAX_INDEX_BYTES || fs.readdirSync(this.#folder).length >= MAX_FILES)
        return;
      if (isNew) this.#removeUnused();
      const bytes = Buffer.concat([Buffer.from(index), ...entries.map(([, each]) => each)]);
      fs.writeFileSync(temporary, bytes, { mode: 0o600, flag: "wx", flush: true });
      fs.renameSync(temporary, this.#file);
    } catch {
      if (fs.existsSync(temporary)) fs.rmSync(temporary);
    }
  }

  #readIndex() {
    const index = new Map();
    if (!this.#isPrivate()) return index;
    const bytes = readBytes(this.#file, 0, MAX_INDEX_BYTES);
    let start = bytes.indexOf("\n") + 1;
    for (const [name, length, sum] of JSON.parse(bytes.toString("utf8", 0, start))) {
      index.set(name, { start, length, checksum: sum });
      start += length;
    }
    return index;
  }

  /** Returns false if another user, or a link, may lead to the folders. */
  #isPrivate() {
    return [path.dirname(this.#parent), this.#parent, this.#folder].every((folder) => {
      const stats = fs.lstatSync(folder);
      if (!stats.isDirectory()) return false;
      return !process.getuid || (stats.uid === process.getuid() && (stats.mode & 0o022) === 0);
    });
  }

  /** Removes the code of builds and versions of Node that have stored nothing for a month. */
  #removeUnused() {
    for (const name of fs.readdirSync(this.#parent).filter((each) => CODE_ID.test(each))) {
      const folder = path.join(this.#parent, name);
      const stats = fs.lstatSync(folder);
      if (stats.isDirectory() && Date.now() - stats.mtimeMs > UNUSED_MS) fs.rmSync(folder, { recursive: true });
    }
  }
}

exports.StoredCode = StoredCode;

/** Returns fewer bytes at the end of the file. */
function readBytes(file, start, length) {
  const descriptor = fs.openSync(file, "r");
  try {
    const bytes = Buffer.alloc(length);
    return bytes.subarray(0, fs.readSync(descriptor, bytes, 0, length, start));
  } finally {
    fs.closeSync(descriptor);
  }
}

/**
 * Finds blocks that were lost when the machine crashed. V8 checks only the length of its code, and crashes on damaged code.
 * Adds up every eighth word, because a command that starts has no time for more.
 */
function checksum(bytes) {
  const words = new Uint32Array(bytes.buffer, bytes.byteOffset, bytes.length >> 2);
  let sum = bytes.length;
  for (let at = 0; at < words.length; at += 8) sum = (sum * 31 + words[at]) | 0;
  return sum;
}
