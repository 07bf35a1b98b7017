/**
 * Identifies the build of the installed command. Two builds of one version have different ids. The relative path is the
 * same from the bundled modules.
 */
import { existsSync, readFileSync } from "node:fs";
import { fileURLToPath } from "node:url";

/** Returns undefined if the command has not been bundled. */
export function readBuildId(): string | undefined {
  const file = fileURLToPath(new URL("../../dist/bundle/build-id", import.meta.url));
  return existsSync(file) ? readFileSync(file, "utf8").trim() : undefined;
}
