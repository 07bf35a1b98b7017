// Loaded into the command before it starts. Writes the files and builtin modules that it has loaded to $LOADED_FILE at exit.
const { writeFileSync } = require("node:fs");

const before = new Set(process.moduleLoadList);

process.on("exit", () => {
  const files = Object.keys(require.cache).filter((path) => path !== __filename);
  const builtins = process.moduleLoadList
    .filter((name) => !before.has(name))
    .flatMap((name) => /^NativeModule (.*)$/.exec(name)?.[1] ?? []);
  writeFileSync(process.env["LOADED_FILE"], JSON.stringify({ files, builtins }));
});
