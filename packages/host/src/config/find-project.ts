/**
 * Which project a folder belongs to: the nearest folder upwards that has one of
 * a project's files. The home folder is none, for its files are the user's own,
 * and nothing above it is looked at. Folders are known by their real paths, since
 * a consent must not follow a link to wherever it leads tomorrow.
 */
import { realpath, stat } from "node:fs/promises";
import { dirname, join, resolve } from "node:path";
import { isStranger, strangerOf } from "./stranger.ts";
import type { IsStranger } from "./stranger.ts";

export interface ProjectFiles {
  /** Low to high. */
  readonly project: readonly ProjectFile[];
  readonly local: ProjectFile | undefined;
  /** Every path that was looked at, whether something is there or not. */
  readonly lookedFor: readonly string[];
  /** Passed over: another user's, and not in the folder itself. */
  readonly strangers: readonly StrangersFile[];
}

interface StrangersFile {
  readonly file: string;
  readonly uid: number;
}

interface ProjectFile {
  readonly file: string;
  readonly folder: string;
}

const PROJECT_FILES = [".mcp.json", join(".plugboard", "config.json")];
const LOCAL_FILE = join(".plugboard", "config.local.json");

export async function findProject(cwd: string, home: string, is: IsStranger = isStranger): Promise<ProjectFiles> {
  const start = await real(cwd);
  const lookedFor = new Set<string>();
  const strangers = new Map<string, StrangersFile>();
  const counts = async (file: string, folder: string): Promise<boolean> => {
    if (!(await exists(file))) return false;
    const uid = folder === start ? undefined : await strangerOf(file, folder, is);
    if (uid !== undefined) strangers.set(file, { file, uid });
    return uid === undefined;
  };
  const present = async (folder: string, names: readonly string[]): Promise<ProjectFile[]> => {
    const files = names.map((name) => join(folder, name));
    for (const file of files) lookedFor.add(file);
    const there = await Promise.all(files.map((file) => counts(file, folder)));
    return files.filter((_, at) => there[at]).map((file) => ({ file, folder }));
  };
  const folders = await foldersUpwards(start, home);
  const project = await nearest(folders, (folder) => present(folder, PROJECT_FILES));
  const own = project.slice(0, 1).map(({ folder }) => folder);
  const [local] = await nearest([...own, ...folders], (folder) => present(folder, [LOCAL_FILE]));
  return { project, local, lookedFor: [...lookedFor], strangers: [...strangers.values()] };
}

async function nearest(
  folders: readonly string[],
  look: (folder: string) => Promise<ProjectFile[]>,
): Promise<ProjectFile[]> {
  for (const folder of folders) {
    const found = await look(folder);
    if (found.length > 0) return found;
  }
  return [];
}

async function foldersUpwards(start: string, home: string): Promise<string[]> {
  const realHome = await real(home);
  const folders: string[] = [];
  for (let folder = start; folder !== realHome; folder = dirname(folder)) {
    folders.push(folder);
    if (dirname(folder) === folder) break;
  }
  return folders;
}

/** One that is not there has no other path than that. */
export async function real(folder: string): Promise<string> {
  return realpath(folder).catch(() => resolve(folder));
}

/** One that can't be looked at is there: who reads it says why it can't be read. */
async function exists(file: string): Promise<boolean> {
  return stat(file).then(
    () => true,
    ({ code }: NodeJS.ErrnoException) => code !== "ENOENT" && code !== "ENOTDIR",
  );
}
