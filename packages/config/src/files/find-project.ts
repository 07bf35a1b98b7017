/**
 * Finds the project of a folder: the nearest folder upwards that has a project file. The search stops below the
 * home folder, whose files are the user's own. Folders are real paths, so that trust does not follow a symbolic
 * link to a new target.
 */
import { stat } from "node:fs/promises";
import { basename, dirname, join } from "node:path";
import { realPathOrSelf } from "@plugboard/store";
import { isForeignUser, findForeignOwner } from "./file-owner.ts";
import type { IsForeignUser } from "./file-owner.ts";

export interface ProjectFiles {
  /** From lowest to highest priority. */
  readonly project: readonly ProjectFile[];
  readonly local: ProjectFile | undefined;
  /** Every path that was searched, including missing files. */
  readonly searchedPaths: readonly string[];
  /** Ignored files of other users. Files in the start folder itself are never ignored. */
  readonly foreignFiles: readonly ForeignFile[];
}

interface ForeignFile {
  readonly file: string;
  readonly uid: number;
}

interface ProjectFile {
  readonly file: string;
  readonly folder: string;
}

/** From lowest to highest priority. */
export const PROJECT_FILES = [".mcp.json", join(".plugboard", "config.json")];
export const LOCAL_FILE = join(".plugboard", "config.local.json");

/** Returns the folder of the project that a project or local file belongs to. */
export function projectFolderOf(file: string): string {
  const folder = dirname(file);
  return basename(folder) === ".plugboard" ? dirname(folder) : folder;
}

export async function findProject(
  cwd: string,
  home: string,
  isForeign: IsForeignUser = isForeignUser,
): Promise<ProjectFiles> {
  const [start, realHome] = await Promise.all([realPathOrSelf(cwd), realPathOrSelf(home)]);
  const searchedPaths = new Set<string>();
  const foreignFiles = new Map<string, ForeignFile>();
  const isUsable = async (file: string, folder: string): Promise<boolean> => {
    if (!(await exists(file))) return false;
    // In the start folder, which the user chose, a file of another user is used.
    const uid = folder === start ? undefined : await findForeignOwner(file, folder, isForeign);
    if (uid !== undefined) foreignFiles.set(file, { file, uid });
    return uid === undefined;
  };
  const usableFiles = async (folder: string, names: readonly string[]): Promise<ProjectFile[]> => {
    const files = names.map((name) => join(folder, name));
    for (const file of files) searchedPaths.add(file);
    const usable = await Promise.all(files.map((file) => isUsable(file, folder)));
    return files.filter((_, index) => usable[index]).map((file) => ({ file, folder }));
  };
  const folders = foldersUpwards(start, realHome);
  const project = await firstNonEmpty(folders, (folder) => usableFiles(folder, PROJECT_FILES));
  // The local file in the project's folder takes precedence over nearer ones.
  const projectFolders = project.slice(0, 1).map(({ folder }) => folder);
  const [local] = await firstNonEmpty([...projectFolders, ...folders], (folder) => usableFiles(folder, [LOCAL_FILE]));
  return { project, local, searchedPaths: [...searchedPaths], foreignFiles: [...foreignFiles.values()] };
}

async function firstNonEmpty(
  folders: readonly string[],
  listFiles: (folder: string) => Promise<ProjectFile[]>,
): Promise<ProjectFile[]> {
  for (const folder of folders) {
    const found = await listFiles(folder);
    if (found.length > 0) return found;
  }
  return [];
}

function foldersUpwards(start: string, realHome: string): string[] {
  const folders: string[] = [];
  for (let folder = start; folder !== realHome; folder = dirname(folder)) {
    folders.push(folder);
    if (dirname(folder) === folder) break;
  }
  return folders;
}

/** Also returns true if the file is not accessible. Reading it later reports the error. */
async function exists(file: string): Promise<boolean> {
  return stat(file).then(
    () => true,
    ({ code }: NodeJS.ErrnoException) => code !== "ENOENT" && code !== "ENOTDIR",
  );
}
