// Loaded into the command before it starts. At its exit, writes the files and builtin modules that the command has
// loaded to $LOADED_FILE.
const fs = require("node:fs");

const before = new Set(process.moduleLoadList);
const files = [];
const { readFileSync, writeFileSync } = fs;

fs.readFileSync = (path, ...rest) => {
  if (String(path).endsWith(".js")) files.push(path);
  return readFileSync(path, ...rest);
};

process.on("exit", () => {
  const builtins = process.moduleLoadList
    .filter((name) => !before.has(name))
    .flatMap((name) => /^NativeModule (.*)$/.exec(name)?.[1] ?? []);
  writeFileSync(process.env["LOADED_FILE"], JSON.stringify({ files, builtins }));
});
