/** Finds other versions of Node, to run a program with each. `npm run test:long` installs them. */
import { existsSync } from "node:fs";
import { dirname } from "node:path";
import { fileURLToPath } from "node:url";

/** Returns the folder with the program `node` of this major version. */
export function nodeFolder(major: number): string {
  const platform = `${process.platform}-${process.arch}`;
  const name = process.platform === "win32" ? "node.exe" : "node";
  const program = new URL(`../../long/node_modules/node-${major}-${platform}/bin/${name}`, import.meta.url);
  if (existsSync(program)) return dirname(fileURLToPath(program));
  if (process.version.startsWith(`v${major}.`)) return dirname(process.execPath);
  throw new Error(`Node ${major} for ${platform} is not installed: run \`npm run test:long\``);
}
