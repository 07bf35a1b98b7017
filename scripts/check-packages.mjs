// @ts-check
/** Packs every published package and checks it with publint. */
import { existsSync, readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { publint } from "publint";
import { formatMessage } from "publint/utils";
import { root } from "./run.mjs";

for (const name of readdirSync(join(root, "packages"))) {
  const pkgDir = join(root, "packages", name);
  const manifest = join(pkgDir, "package.json");
  if (!existsSync(manifest) || JSON.parse(readFileSync(manifest, "utf8")).private === true) continue;
  const { messages, pkg } = await publint({ pkgDir, strict: true, pack: "npm" });
  // Only the tests of a package use its `imports`.
  for (const message of messages.filter(({ path }) => path[0] !== "imports")) {
    console.error(`packages/${name}: ${message.type}: ${formatMessage(message, pkg, { color: false })}`);
    if (message.type !== "suggestion") process.exitCode = 1;
  }
}
