/**
 * Finds the owner of a file. In a shared folder, another user could place a project's file above the user's
 * folders. Windows has no such owners.
 */
import { lstat, stat } from "node:fs/promises";
import { dirname } from "node:path";

export type IsForeignUser = (uid: number) => boolean;

/** Returns true for a user other than the current one and root. */
export function isForeignUser(uid: number, ownUid = process.getuid?.()): boolean {
  return ownUid !== undefined && uid !== ownUid && uid !== 0;
}

/** Returns the uid of another user who owns the file, or a link on the path from `folder` to it. */
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

/** Ignores errors, because reading the file reports them. */
async function uidOf(found: Promise<{ uid: number }>): Promise<number | undefined> {
  return found.then(
    ({ uid }) => uid,
    () => undefined,
  );
}
