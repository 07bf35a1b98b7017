/** Creates a secret in its own file with mode 0600. Processes that create it at the same time get the same secret. */
import { HostError } from "@plugboard/contracts";
import { link, lstat, readFile, rm } from "node:fs/promises";
import { dirname } from "node:path";
import { ioErrorCode, unwritableError } from "./io-error.ts";
import { syncFolder, writeNewFile } from "./write-atomically.ts";

export async function readOrCreateSecret(file: string, generate: () => string): Promise<string> {
  const existing = await readSecret(file);
  if (existing !== undefined) return existing;
  await createIfMissing(file, generate());
  const created = await readSecret(file);
  if (created === undefined) throw new HostError("CONFIG_INVALID", { file, reason: "it is empty; delete it" });
  return created;
}

/** Creates the file with the secret. If another process creates it first, keeps that file. */
async function createIfMissing(file: string, secret: string): Promise<void> {
  // Uses the global `crypto`, so that importing the library does not load node:crypto.
  const tempFile = `${file}.${crypto.randomUUID()}`;
  try {
    await writeNewFile(tempFile, `${secret}\n`);
    // Unlike `rename`, `link` fails if another process has created the file.
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
      throw new HostError("CONFIG_INVALID", { file, reason: "other users can read or change it; delete it" });
    }
    return (await readFile(file, "utf8")).trim() || undefined;
  } catch (error) {
    if (ioErrorCode(error) === "ENOENT") return undefined;
    throw error;
  }
}
