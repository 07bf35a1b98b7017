/** Looks at the state folder, before any other code creates it or corrects its permissions. */
import { constants } from "node:fs";
import { access, lstat, readdir } from "node:fs/promises";
import { dirname, join } from "node:path";
import type { Env } from "@plugboard/contracts";
import { stateFolder } from "@plugboard/store";

export interface StateFolderFacts {
  readonly path: string;
  readonly exists: boolean;
  /** Why the host can't use it. */
  readonly problem?: "not a folder" | "another user" | "not writable";
  /** True if other users can enter it. The host corrects that. */
  readonly isOpen: boolean;
  /** Files with secrets that other users can read. */
  readonly exposedFiles: readonly string[];
  /** Lock files that are older than a minute. No change holds a lock that long. */
  readonly oldLocks: readonly string[];
}

const MAX_LOCK_AGE_MS = 60_000;
const SECRET_FILES: ReadonlySet<string> = new Set(["mcp-auth.json", "secrets.json", "token"]);

export async function inspectStateFolder(env: Env, now: number): Promise<StateFolderFacts> {
  const path = stateFolder(env);
  const facts = { path, exists: false, isOpen: false, exposedFiles: [], oldLocks: [] };
  const stats = await lstat(path).catch(() => undefined);
  if (!stats) return (await canCreate(path)) ? facts : { ...facts, problem: "not writable" };
  const found = { ...facts, exists: true };
  if (!stats.isDirectory()) return { ...found, problem: "not a folder" };
  if (process.getuid && stats.uid !== process.getuid()) return { ...found, problem: "another user" };
  if (!(await isWritable(path))) return { ...found, problem: "not writable" };
  const files = await Promise.all(
    (await readdir(path)).map(async (name) => ({ name, stats: await lstat(join(path, name)).catch(() => undefined) })),
  );
  return {
    ...found,
    isOpen: hasOtherPermissions(stats.mode),
    exposedFiles: files
      .filter(({ name, stats: file }) => SECRET_FILES.has(name) && file && hasOtherPermissions(file.mode))
      .map(({ name }) => join(path, name)),
    oldLocks: files
      .filter(({ name, stats: file }) => name.endsWith(".lock") && file && now - file.mtimeMs > MAX_LOCK_AGE_MS)
      .map(({ name }) => join(path, name)),
  };
}

function hasOtherPermissions(mode: number): boolean {
  return process.platform !== "win32" && (mode & 0o077) !== 0;
}

/** Returns true if the nearest parent that exists is writable. */
async function canCreate(path: string): Promise<boolean> {
  const parent = dirname(path);
  const exists = await lstat(parent).then(
    () => true,
    () => false,
  );
  return exists || parent === path ? isWritable(parent) : canCreate(parent);
}

async function isWritable(folder: string): Promise<boolean> {
  return access(folder, constants.W_OK | constants.X_OK).then(
    () => true,
    () => false,
  );
}
