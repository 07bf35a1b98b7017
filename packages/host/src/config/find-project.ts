/**
 * Which project a folder belongs to: the nearest folder upwards that has one of
 * a project's files. The home folder is none, for its files are the user's own,
 * and nothing above it is looked at. Folders are known by their real paths, since
 * a consent must not follow a link to wherever it leads tomorrow.
 */
import { realpath, stat } from "node:fs/promises";
import { dirname, join, resolve } from "node:path";

export interface ProjectFiles {
  /** Low to high. */
  readonly project: readonly ProjectFile[];
  readonly local: ProjectFile | undefined;
  /** Every path that was looked at, whether something is there or not. */
  readonly lookedFor: readonly string[];
}

interface ProjectFile {
  readonly file: string;
  readonly folder: string;
}

const PROJECT_FILES = [".mcp.json", join(".plugboard", "config.json")];
const LOCAL_FILE = join(".plugboard", "config.local.json");

export async function findProject(cwd: string, home: string): Promise<ProjectFiles> {
  const lookedFor = new Set<string>();
  const present = async (folder: string, names: readonly string[]): Promise<ProjectFile[]> => {
    const files = names.map((name) => join(folder, name));
    for (const file of files) lookedFor.add(file);
    const there = await Promise.all(files.map(exists));
    return files.filter((_, at) => there[at]).map((file) => ({ file, folder }));
  };
  const folders = await foldersUpwards(await real(cwd), home);
  const project = await nearest(folders, (folder) => present(folder, PROJECT_FILES));
  const own = project.slice(0, 1).map(({ folder }) => folder);
  const [local] = await nearest([...own, ...folders], (folder) => present(folder, [LOCAL_FILE]));
  return { project, local, lookedFor: [...lookedFor] };
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
