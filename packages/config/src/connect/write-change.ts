/**
 * Writes a planned change to a client's file. The write is atomic, keeps the mode and the owner, and goes through a
 * symbolic link. Before the first change, the file is copied to the state folder.
 */
import { rm, rmdir, stat } from "node:fs/promises";
import type { Stats } from "node:fs";
import { dirname } from "node:path";
import { HostError } from "@plugboard/contracts";
import { readConfigFile } from "../files/read-config-file.ts";
import { canonicalDigest, ioErrorCode, unwritableError, makeFolder, writeAtomically } from "@plugboard/store";
import type { ConnectionRecord, ConnectionRecords } from "./connection-records.ts";
import type { FileChange } from "./plan-connect.ts";

/** Returns the path of the backup, if there is one. Throws CONFIG_INVALID if the file has changed since the plan. */
export async function writeChange(change: FileChange, records: ConnectionRecords): Promise<string | undefined> {
  const { realPath, before, action } = change;
  if (action === "none") return (await records.find(realPath))?.backup;
  let backup: string | undefined;
  await records.update(realPath, async (old) => {
    if ((await readConfigFile(realPath, { keepBom: true })) !== before) {
      const reason = "another program has changed it in the meantime, so nothing was written; try again";
      throw new HostError("CONFIG_INVALID", { file: realPath, reason });
    }
    const stats = before === undefined ? undefined : await requireWritable(realPath);
    const record = action === "add" || action === "change" ? await makeRecord(change, old, records) : undefined;
    const createdFolder = await writeFile(change, stats);
    if (change.after === undefined && old?.createdFolder) await removeIfEmpty(dirname(realPath));
    backup = record?.backup;
    return record && (createdFolder || old?.createdFolder) ? { ...record, createdFolder: true } : record;
  });
  return backup;
}

/** Keeps the backup of an earlier change if nobody else has changed the file since. */
async function makeRecord(
  { client, realPath: file, before, after, addedParents, action }: FileChange,
  old: ConnectionRecord | undefined,
  records: ConnectionRecords,
): Promise<ConnectionRecord> {
  const written = canonicalDigest(after);
  if (old && before !== undefined && old.written === canonicalDigest(before)) return { ...old, written };
  const added = action === "add" ? addedParents : (old?.addedParents ?? 0);
  const backup = before === undefined ? undefined : await records.backUp(file, before);
  return { client, file, written, addedParents: added, ...(backup !== undefined && { backup }) };
}

/** Returns whether it has created the folder of the file. */
async function writeFile({ realPath, after, scope }: FileChange, stats: Stats | undefined): Promise<boolean> {
  let isNewFolder = false;
  try {
    if (after === undefined) {
      await rm(realPath);
      return false;
    }
    isNewFolder = !(await exists(dirname(realPath)));
    await makeFolder(dirname(realPath), scope === "project" ? 0o777 : 0o700);
  } catch (error) {
    throw unwritableError(realPath, error);
  }
  await writeAtomically(realPath, after, { copyModeFrom: stats, mode: scope === "project" ? 0o666 : 0o600 });
  return isNewFolder;
}

async function exists(path: string): Promise<boolean> {
  return stat(path).then(
    () => true,
    () => false,
  );
}

/** Leaves a folder that has other files. */
async function removeIfEmpty(folder: string): Promise<void> {
  try {
    await rmdir(folder);
  } catch (error) {
    const code = ioErrorCode(error);
    if (code !== "ENOTEMPTY" && code !== "EEXIST") throw unwritableError(folder, error);
  }
}

/** Throws STORE_UNWRITABLE for a file that its owner has made read-only. A rename would replace it nevertheless. */
async function requireWritable(file: string): Promise<Stats> {
  const stats = await stat(file);
  if ((stats.mode & 0o222) !== 0) return stats;
  throw new HostError("STORE_UNWRITABLE", { file, reason: "it is read-only" });
}
