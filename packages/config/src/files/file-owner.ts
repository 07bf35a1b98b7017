/**
 * Detects project files that belong to another user, who could place one in a shared folder above the user's own.
 * Detects nothing on Windows, where files have no uid.
 */
import { lstat, stat } from "node:fs/promises";
import { dirname } from "node:path";

export type IsForeignUser = (uid: number) => boolean;

/** Returns true for a user other than the current one and root. */
export function isForeignUser(uid: number, ownUid = process.getuid?.()): boolean {
  return ownUid !== undefined && uid !== ownUid && uid !== 0;
}

/** Returns the uid of another user who owns the file, its link, or a folder between `folder` and the file. */
export async function findForeignOwner(
  file: string,
  folder: string,
  isForeign: IsForeignUser,
): Promise<number | undefined> {
  const paths: string[] = [];
  for (let path = file; path !== folder; path = dirname(path)) paths.push(path);
  const owners = await Promise.all([stat(file), ...paths.map((path) => lstat(path))].map(uidOf));
  return owners.find((uid) => uid !== undefined && isForeign(uid));
}

/** Returns undefined on an error. Reading the file later reports the error. */
async function uidOf(stats: Promise<{ uid: number }>): Promise<number | undefined> {
  return stats.then(
    ({ uid }) => uid,
    () => undefined,
  );
}
