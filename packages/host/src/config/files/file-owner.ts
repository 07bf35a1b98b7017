/**
 * Whose a file is. In a folder that several people can write to, one of them may
 * put a project's file above everybody else's folders. Windows has no such owners.
 */
import { lstat, stat } from "node:fs/promises";
import { dirname } from "node:path";

export type IsForeignUser = (uid: number) => boolean;

/** Neither ours nor the administrator's. */
export function isForeignUser(uid: number, ownUid = process.getuid?.()): boolean {
  return ownUid !== undefined && uid !== ownUid && uid !== 0;
}

/** The stranger whose the file is, or a link on the way to it from the folder. */
export async function findForeignOwner(
  file: string,
  folder: string,
  isForeign: IsForeignUser,
): Promise<number | undefined> {
  const links: string[] = [];
  for (let path = file; path !== folder; path = dirname(path)) links.push(path);
  const owners = await Promise.all([stat(file), ...links.map((path) => lstat(path))].map(uidOf));
  return owners.find((uid) => uid !== undefined && isForeign(uid));
}

/** What can't be looked at can't be read either, and whoever reads it says so. */
async function uidOf(found: Promise<{ uid: number }>): Promise<number | undefined> {
  return found.then(
    ({ uid }) => uid,
    () => undefined,
  );
}
