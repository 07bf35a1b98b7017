/**
 * The files of a workspace, for the host's own tools. Confines every path to the folder by its real
 * path, and refuses everything that is not a regular file. Protects the state of Plugboard against
 * reading, and its config against changes.
 */
import { lstat, realpath, stat } from "node:fs/promises";
import type { Stats } from "node:fs";
import { constants } from "node:fs";
import { join, relative, resolve, sep } from "node:path";
import type { JsonObject } from "@plugboard/contracts";
import { KeyedMutex } from "../../lib/keyed-mutex.ts";
import { ioErrorCode, isProtected, readBounded, isInsideFolder, realPathOf, writeAtomically } from "@plugboard/store";
import { ToolProblem, toToolProblem } from "./tool-problem.ts";
import { FolderHandle } from "./folder-handle.ts";
import { findGitEffect } from "./git-files.ts";
import type { GitEffect } from "./git-files.ts";

/**
 * Runs all writes of the process one after another, so that two concurrent writes can't make a Git repository together.
 */
const writes = new KeyedMutex();

const MAX_FILE_BYTES = 10 * 1024 * 1024;
/** Matches a path that can only be a folder: `a/`, `a/.` and `a/b/..`. */
const FOLDER_PATH = process.platform === "win32" ? /[/\\]\.{0,2}$/ : /\/\.{0,2}$/;

export interface WorkspaceFolderOptions {
  /** The path of the folder. */
  readonly folder: string;
  /** The folder with the state of Plugboard, such as logins. Undefined if the state is kept in memory. */
  readonly stateFolder: string | undefined;
  /** Returns the config files of Plugboard that apply or would apply in this folder. */
  readonly configFiles: () => readonly string[];
  readonly newId: () => string;
}

/** A path inside the workspace, without symbolic links. */
export interface WorkspacePath {
  /** The path as the model wrote it. */
  readonly given: string;
  /** The real path of the workspace. */
  readonly root: string;
  /** The names from the workspace to the file. Empty for the workspace itself. */
  readonly names: readonly string[];
}

/** Returns the real path of a file, relative to the workspace and with slashes. */
function pathInWorkspace({ names }: Pick<WorkspacePath, "names">): string {
  return names.join("/") || ".";
}

/** Returns the path as the model wrote it. If a symbolic link leads elsewhere, adds where it leads: `a → b`. */
export function describePath(path: WorkspacePath): string {
  const { given, root } = path;
  const real = pathInWorkspace(path);
  const withoutLinks = relative(root, resolve(root, given)).split(sep).join("/");
  return withoutLinks === real ? given : `${given} → ${real}`;
}

export interface ReadFile {
  readonly bytes: Uint8Array;
  readonly stats: Stats;
}

export class WorkspaceFolder {
  readonly #options: WorkspaceFolderOptions;
  readonly #writes = new KeyedMutex();

  constructor(options: WorkspaceFolderOptions) {
    this.#options = options;
  }

  get stateFolder(): string | undefined {
    return this.#options.stateFolder;
  }

  /** Throws a `ToolProblem` if the path leads out of the workspace, or to the state of Plugboard. */
  async resolve(given: string): Promise<WorkspacePath> {
    if (given === "" || given.includes("\0")) throw new ToolProblem("The path is empty or contains a NUL character.");
    const { folder, stateFolder } = this.#options;
    try {
      const root = await realpath(folder);
      const real = await realPathOf(resolve(root, given));
      if (!isInsideFolder(root, real))
        throw new ToolProblem(`"${given}" is outside the workspace. Use a path inside the workspace.`);
      if (FOLDER_PATH.test(given) && !(await stat(real)).isDirectory())
        throw new ToolProblem(`"${given}" is not a folder.`);
      if (await isProtected(real, { configFiles: [], stateFolder })) {
        throw new ToolProblem(`"${given}" belongs to the state of Plugboard, which tools can't use.`);
      }
      return { given, root, names: relative(root, real).split(sep).filter(Boolean) };
    } catch (thrown) {
      throw toToolProblem(given, thrown);
    }
  }

  /**
   * Returns the arguments with the named paths resolved: once relative, once absolute. See `NativeTool.resolvePaths`.
   */
  async resolveArguments(args: JsonObject, names: readonly string[]): Promise<readonly JsonObject[]> {
    let [relativePaths, absolutePaths] = [args, args];
    for (const name of names) {
      const given = args[name];
      if (typeof given !== "string") continue;
      const path = await this.resolve(given).catch((thrown: unknown) => {
        if (thrown instanceof ToolProblem) return undefined;
        throw thrown;
      });
      if (!path) return [];
      relativePaths = { ...relativePaths, [name]: pathInWorkspace(path) };
      absolutePaths = { ...absolutePaths, [name]: join(path.root, ...path.names) };
    }
    return [relativePaths, absolutePaths];
  }

  /** Reads a whole file. Throws a `ToolProblem` if it is not a regular file or too large. */
  async read(given: string): Promise<ReadFile> {
    const path = await this.resolve(given);
    return inFolderOf(path, {}, async (file) => {
      const stats = await lstat(file);
      if (stats.isDirectory()) throw new ToolProblem(`"${given}" is a folder. Use glob to list its files.`);
      const read = await readBounded(file, MAX_FILE_BYTES, constants.O_NOFOLLOW);
      if (read instanceof Uint8Array) return { bytes: read, stats };
      throw new ToolProblem(`"${given}" can't be read: ${read.reason}.`);
    });
  }

  /** Like `read`, but returns undefined if the file does not exist. */
  async readIfPresent(given: string): Promise<ReadFile | undefined> {
    try {
      return await this.read(given);
    } catch (thrown) {
      if (thrown instanceof ToolProblem && ioErrorCode(thrown.cause) === "ENOENT") return undefined;
      throw thrown;
    }
  }

  /**
   * Throws a `ToolProblem` for a file that configures Plugboard, because it could give the model more permissions.
   * Throws it also for files of Git, because Git runs commands that they name, see `findGitEffect`.
   */
  async checkWritable(given: string): Promise<WorkspacePath> {
    const path = await this.resolve(given);
    const { configFiles, stateFolder } = this.#options;
    const gitEffect = await findGitEffect(path.root, path.names);
    if (gitEffect) throw new ToolProblem(GIT_PROBLEMS[gitEffect](describePath(path)));
    const isProjectConfig = path.names.some(isConfigFolder) || isMcpFile(path.names.at(-1));
    const real = [path.root, ...path.names].join(sep);
    if (!isProjectConfig && !(await isProtected(real, { configFiles: configFiles(), stateFolder }))) return path;
    throw new ToolProblem(`"${describePath(path)}" configures Plugboard. Only the user can change it.`);
  }

  /** Runs the changes of one file one after another, so that no change is lost. */
  async exclusively<T>(given: string, work: () => Promise<T>): Promise<T> {
    const { names } = await this.resolve(given);
    return this.#writes.run(names.join("/"), work);
  }

  /**
   * Replaces a file atomically and keeps its mode, or creates it and its folders. Throws a `ToolProblem` if the file
   * has changed since `expected` was read.
   */
  async write(given: string, data: string | Uint8Array, expected: Stats | undefined): Promise<void> {
    await writes.run("", async () => this.#write(await this.checkWritable(given), data, expected));
  }

  async #write(path: WorkspacePath, data: string | Uint8Array, expected: Stats | undefined): Promise<void> {
    const { given } = path;
    await inFolderOf(path, { create: true }, async (file) => {
      const current = await lstat(file).catch((error: unknown) => {
        if (ioErrorCode(error) === "ENOENT") return undefined;
        throw error;
      });
      if (current && !current.isFile()) throw new ToolProblem(`"${given}" is not a regular file.`);
      if (!isSameVersion(current, expected)) {
        throw new ToolProblem(`"${given}" was changed by another program during this call. Read it again.`);
      }
      const tempSuffix = `.${this.#options.newId()}`;
      await writeAtomically(file, data, { copyModeFrom: current, mode: 0o666, tempSuffix });
    });
  }
}

/** Opens the folder of a file, and calls `use` with a path that stays in this folder, see `FolderHandle`. */
async function inFolderOf<T>(
  { given, root, names }: WorkspacePath,
  options: { readonly create?: boolean },
  use: (file: string) => Promise<T>,
): Promise<T> {
  const name = names.at(-1);
  if (name === undefined) throw new ToolProblem(`"${given}" is a folder. Use glob to list its files.`);
  let folder: FolderHandle | undefined;
  try {
    folder = await FolderHandle.walk(root, names.slice(0, -1), options);
    return await use(folder.pathOf(name));
  } catch (thrown) {
    throw toToolProblem(given, thrown);
  } finally {
    await folder?.close();
  }
}

function isSameVersion(current: Stats | undefined, expected: Stats | undefined): boolean {
  if (!current || !expected) return current === expected;
  const { ino, size, mtimeMs } = current;
  return ino === expected.ino && size === expected.size && mtimeMs === expected.mtimeMs;
}

const GIT_PROBLEMS: { readonly [Effect in GitEffect]: (path: string) => string } = {
  repository: (path) => `"${path}" belongs to Git. Use a git command to change it.`,
  "new repository": (path) =>
    `"${path}" would make its folder a Git repository, which can run commands. Use a git command to create one.`,
  "named in config": (path) =>
    `"${path}" is named in the config of Git, which reads or runs it. Ask the user to change it.`,
};

function isConfigFolder(name: string): boolean {
  return name.toLowerCase() === ".plugboard";
}

function isMcpFile(name: string | undefined): boolean {
  return name?.toLowerCase() === ".mcp.json";
}
