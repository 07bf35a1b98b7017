/**
 * Finds the files by which a model could make Git run a command: the files of a repository, whatever its folder is
 * called, and the files that the config of Git names. Expects real paths.
 */
import { lstat, readFile } from "node:fs/promises";
import { homedir } from "node:os";
import { dirname, join, resolve } from "node:path";
import { isInsideFolder, realPathOrSelf } from "@plugboard/store";

/**
 * What a change of a file would do: change a repository, make its folder a
 * repository, or change what Git reads or runs.
 */
export type GitEffect = "repository" | "new repository" | "named in config";

/** Takes the names from the root to the file, which need not exist. Returns undefined if Git does not use the file. */
export async function findGitEffect(root: string, names: readonly string[]): Promise<GitEffect | undefined> {
  if (names.some((name) => foldName(name) === ".git")) return "repository";
  let inWorkTree = false;
  for (let depth = names.length - 1; depth >= 0; depth--) {
    const folder = join(root, ...names.slice(0, depth));
    const parts = await repositoryParts(folder);
    const changed = isRepository(new Set([...parts, foldName(names[depth]!)]));
    if (changed && !isRepository(parts)) return "new repository";
    // A bare repository may contain work trees, which are ordinary folders.
    if (changed && !inWorkTree) return "repository";
    inWorkTree ||= parts.has(".git");
  }
  return (await isNamedInConfig(join(root, ...names))) ? "named in config" : undefined;
}

/** The names by which Git recognises a repository or a work tree. */
const PARTS = ["HEAD", "objects", "refs", "commondir", ".git"] as const;

/** Looks up each name instead of listing the folder, because the file system may ignore case. */
async function repositoryParts(folder: string): Promise<ReadonlySet<string>> {
  const exist = await Promise.all(PARTS.map((name) => lstat(join(folder, name)).then(yes, no)));
  return new Set(PARTS.filter((_, index) => exist[index]).map(foldName));
}

/** Returns whether Git takes a folder with these names for a repository. With `commondir`, the others are elsewhere. */
function isRepository(parts: ReadonlySet<string>): boolean {
  return parts.has("head") && (parts.has("commondir") || (parts.has("objects") && parts.has("refs")));
}

/**
 * Removes everything that some file system ignores in a name: case, variants of characters, invisible characters, and
 * the endings that Windows ignores.
 */
function foldName(name: string): string {
  const visible = name.normalize("NFKC").replace(/\p{Default_Ignorable_Code_Point}/gu, "");
  return visible.replace(/:.*$|[. ]+$/gs, "").toLowerCase();
}

/** Searches the config of the nearest repository above the file, and the user's config. */
async function isNamedInConfig(file: string): Promise<boolean> {
  const home = homedir();
  const configHome = process.env["XDG_CONFIG_HOME"] || join(home, ".config");
  const userConfigs = [join(home, ".gitconfig"), join(configHome, "git", "config")];
  for (let folder = dirname(file); ; folder = dirname(folder)) {
    const isLast = folder === dirname(folder);
    const gitFolders = await gitFoldersOf(folder);
    if (isLast || gitFolders.length > 0) {
      const configs = gitFolders.flatMap((git) => [join(git, "config"), join(git, "config.worktree")]);
      const reading = { file, workTree: folder, seen: new Set<string>() };
      for (const config of [...configs, ...userConfigs]) if (await configNames(config, reading)) return true;
    }
    if (isLast) return false;
  }
}

/**
 * Returns the folders with the config of the repository that has this work tree. Empty if the folder is no work tree.
 */
async function gitFoldersOf(workTree: string): Promise<string[]> {
  const path = join(workTree, ".git");
  const kind = await lstat(path).catch(() => undefined);
  if (!kind) return [];
  const link = kind.isFile() ? /^gitdir: (.*?)\s*$/s.exec(await readText(path))?.[1] : undefined;
  const folder = link === undefined ? path : resolve(workTree, link);
  const common = (await readText(join(folder, "commondir"))).trim();
  return common === "" ? [folder] : [folder, resolve(folder, common)];
}

interface ConfigReading {
  readonly file: string;
  /** The folder in which Git runs programs. */
  readonly workTree: string;
  /** The config files that were read. */
  readonly seen: Set<string>;
}

/** Returns whether the file is this config file, is included by it, or is run by Git because of it. */
async function configNames(config: string, reading: ConfigReading): Promise<boolean> {
  const { file, workTree, seen } = reading;
  if (await isSamePath(file, config)) return true;
  if (seen.has(config)) return false;
  seen.add(config);
  for (const { key, value } of parseConfig(await readText(config))) {
    if (INCLUDE_KEY.test(key)) {
      if (await configNames(resolve(dirname(config), expandHome(value)), reading)) return true;
    } else if (FOLDER_KEY.test(key)) {
      const folder = await realPathOrSelf(resolve(workTree, expandHome(withoutHusky(value))));
      if (isInsideFolder(folder.toLowerCase(), file.toLowerCase())) return true;
    } else if (PROGRAM_KEY.test(key)) {
      // The value is a command line, and each of its words may be a script.
      for (const word of value.split(/[!\s"'`;&|()<>=]+/)) {
        if (word !== "" && (await isSamePath(file, resolve(workTree, expandHome(word))))) return true;
      }
    }
  }
  return false;
}

/** Keys that name a folder with hooks. Git copies the hooks of a template into each new repository. */
const FOLDER_KEY = /^(?:core\.hookspath|init\.templatedir)$/;
const INCLUDE_KEY = /^include(?:if)?\..*path$/;
/** Keys whose value is a command that Git runs. */
const PROGRAM_KEY =
  /^(?:alias|pager)\.|^submodule\.update$|^(?:browser|man|difftool|mergetool)\.path$|\.(?:difffilter|fsmonitor|clean|smudge|process|textconv|command|cmd|external|driver|program|helper|sshcommand|editor|pager|askpass|gitproxy|uploadpack|receivepack)$/;

/** Yields each key with its value. The key is `section.key` in lower case, without the subsection. */
function* parseConfig(text: string): Generator<{ readonly key: string; readonly value: string }> {
  let section = "";
  for (const line of text.replace(/\\\r?\n/g, "").split("\n")) {
    const [, header, rest = line] = /^\s*\[\s*([\w.-]+)(?:\s+"(?:[^"\\]|\\.)*")?\s*\](.*)$/s.exec(line) ?? [];
    if (header !== undefined) section = header.toLowerCase();
    const [, name, value] = /^\s*([\w-]+)\s*=\s*(.*?)\s*$/s.exec(rest) ?? [];
    if (name !== undefined) yield { key: `${section}.${name.toLowerCase()}`, value: unquote(value!) };
  }
}

/** Removes a comment behind the value, quotes and backslashes. */
function unquote(value: string): string {
  return value
    .replace(/^((?:[^"#;\\]|\\.|"(?:[^"\\]|\\.)*")*)[#;].*$/s, "$1")
    .trim()
    .replace(/"((?:[^"\\]|\\.)*)"/gs, "$1")
    .replace(/\\(.)/gs, "$1");
}

function expandHome(path: string): string {
  return path.startsWith("~/") ? join(homedir(), path.slice(2)) : path;
}

/** Returns `.husky` for husky's `.husky/_`, because the hooks in `_` run the scripts in `.husky`. */
function withoutHusky(hooks: string): string {
  return hooks.replace(/(?<=(?:^|[/\\])\.husky)[/\\]_[/\\]*$/i, "");
}

/** Ignores case, because some file systems do. */
async function isSamePath(file: string, path: string): Promise<boolean> {
  return (await realPathOrSelf(path)).toLowerCase() === file.toLowerCase();
}

async function readText(path: string): Promise<string> {
  return readFile(path, "utf8").catch(() => "");
}

const yes = () => true;
const no = () => false;
