/** A secret in a file of its own, 0600, made once however many want it at the same moment. */
import { HostError } from "@plugboard/contracts";
import { link, lstat, readFile, rm } from "node:fs/promises";
import { dirname } from "node:path";
import { ioErrorCode, unwritableError } from "./io-error.ts";
import { syncFolder, writeNewFile } from "./write-atomically.ts";

export async function readOrCreateSecret(file: string, generate: () => string): Promise<string> {
  const existing = await readSecret(file);
  if (existing !== undefined) return existing;
  await createOnce(file, generate());
  const created = await readSecret(file);
  if (created === undefined) throw new HostError("CONFIG_INVALID", { file, reason: "it is empty; delete it" });
  return created;
}

async function createOnce(file: string, secret: string): Promise<void> {
  // The global one: the module would be loaded by all who import the library.
  const tempFile = `${file}.${crypto.randomUUID()}`;
  try {
    await writeNewFile(tempFile, `${secret}\n`);
    // Unlike a rename, a link does not replace what somebody else has made meanwhile.
    await link(tempFile, file);
  } catch (error) {
    if (ioErrorCode(error) !== "EEXIST") throw unwritableError(file, error);
  } finally {
    await rm(tempFile, { force: true });
  }
  await syncFolder(dirname(file));
}

async function readSecret(file: string): Promise<string | undefined> {
  try {
    const { mode } = await lstat(file);
    if (process.platform !== "win32" && (mode & 0o077) !== 0) {
      throw new HostError("CONFIG_INVALID", { file, reason: "others may read or change it; delete it" });
    }
    return (await readFile(file, "utf8")).trim() || undefined;
  } catch (error) {
    if (ioErrorCode(error) === "ENOENT") return undefined;
    throw error;
  }
}
