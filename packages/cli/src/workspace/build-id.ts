/**
 * Identifies the files of the installed command. Two builds of one version differ in it. Modules of this folder and
 * bundled modules are equally far from the file.
 */
import { existsSync, readFileSync } from "node:fs";
import { fileURLToPath } from "node:url";

/** Returns undefined if the command has not been bundled. */
export function readBuildId(): string | undefined {
  const file = fileURLToPath(new URL("../../dist/bundle/build-id", import.meta.url));
  return existsSync(file) ? readFileSync(file, "utf8").trim() : undefined;
}
