/** Creates a temporary folder, which is deleted after the tests. */
import { mkdtemp, realpath, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";

export interface TempFolder {
  readonly path: string;
  in(name: string): string;
  remove(): Promise<void>;
}

export async function tempFolder(): Promise<TempFolder> {
  // Some servers compare real paths.
  const path = await realpath(await mkdtemp(join(tmpdir(), "plugboard-foreign-")));
  return { path, in: (name) => join(path, name), remove: () => rm(path, { recursive: true, force: true }) };
}
