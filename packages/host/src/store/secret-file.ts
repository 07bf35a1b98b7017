/** A secret in a file of its own, 0600, made once however many want it at the same moment. */
import { HostError } from "@plugboard/contracts";
import { link, lstat, readFile, rm } from "node:fs/promises";
import { dirname } from "node:path";
import { ioCode, unwritable } from "./unwritable.ts";
import { syncFolder, writeDraft } from "./write-atomically.ts";

export async function readOrMakeSecret(file: string, make: () => string): Promise<string> {
  const existing = await read(file);
  if (existing !== undefined) return existing;
  await makeOnce(file, make());
  const made = await read(file);
  if (made === undefined) throw new HostError("CONFIG_INVALID", { file, what: "it is empty; delete it" });
  return made;
}

async function makeOnce(file: string, secret: string): Promise<void> {
  // The global one: the module would be loaded by all who import the library.
  const draft = `${file}.${crypto.randomUUID()}`;
  try {
    await writeDraft(draft, `${secret}\n`);
    // Unlike a rename, a link does not replace what somebody else has made meanwhile.
    await link(draft, file);
  } catch (error) {
    if (ioCode(error) !== "EEXIST") throw unwritable(file, error);
  } finally {
    await rm(draft, { force: true });
  }
  await syncFolder(dirname(file));
}

async function read(file: string): Promise<string | undefined> {
  try {
    const { mode } = await lstat(file);
    if (process.platform !== "win32" && (mode & 0o077) !== 0) {
      throw new HostError("CONFIG_INVALID", { file, what: "others may read or change it; delete it" });
    }
    return (await readFile(file, "utf8")).trim() || undefined;
  } catch (error) {
    if (ioCode(error) === "ENOENT") return undefined;
    throw error;
  }
}
