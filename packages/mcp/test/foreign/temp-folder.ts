/** A folder of its own for a test, gone afterwards. */
import { mkdtemp, realpath, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";

export interface TempFolder {
  readonly path: string;
  in(name: string): string;
  remove(): Promise<void>;
}

export async function tempFolder(): Promise<TempFolder> {
  // Servers that compare paths compare real ones.
  const path = await realpath(await mkdtemp(join(tmpdir(), "plugboard-foreign-")));
  return { path, in: (name) => join(path, name), remove: () => rm(path, { recursive: true, force: true }) };
}
