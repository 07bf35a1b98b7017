/**
 * Identifies the files of the installed command. Two builds of one version differ in it. Modules of this folder and
 * bundled modules are equally far from the file.
 */
import { readFile } from "node:fs/promises";

/** Returns undefined if the command has not been bundled. */
export async function readBuildId(): Promise<string | undefined> {
  const text = await readFile(new URL("../../dist/bundle/build-id", import.meta.url), "utf8").catch(() => "");
  return text.trim() || undefined;
}
