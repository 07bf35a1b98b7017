/** A secret in a file of its own, 0600, made once however many want it at the same moment. */
import { HostError } from "@plugboard/contracts";
import { link, lstat, readFile, rm, writeFile } from "node:fs/promises";

export async function readOrMakeSecret(file: string, make: () => string): Promise<string> {
  const existing = await read(file);
  if (existing !== undefined) return existing;
  // The global one: the module would be loaded by all who import the library.
  const draft = `${file}.${crypto.randomUUID()}`;
  await writeFile(draft, `${make()}\n`, { mode: 0o600, flag: "wx" });
  try {
    // Unlike a rename, a link does not replace what somebody else has made meanwhile.
    await link(draft, file);
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== "EEXIST") throw error;
  } finally {
    await rm(draft);
  }
  const made = await read(file);
  if (made === undefined) throw new HostError("CONFIG_INVALID", { file, what: "it is empty; delete it" });
  return made;
}

async function read(file: string): Promise<string | undefined> {
  try {
    const { mode } = await lstat(file);
    if (process.platform !== "win32" && (mode & 0o077) !== 0) {
      throw new HostError("CONFIG_INVALID", { file, what: "others may read or change it; delete it" });
    }
    return (await readFile(file, "utf8")).trim() || undefined;
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === "ENOENT") return undefined;
    throw error;
  }
}
