/**
 * Finds the files by which a model could make Git run a command: those of a repository, whatever its folder is called, and
 * those that the config of Git names. Expects real paths.
 */
import { lstat, readFile } from "node:fs/promises";
import { homedir } from "node:os";
import { dirname, join, resolve } from "node:path";
import { isInsideFolder, realPathOrSelf } from "@plugboard/store";

/** The effect of a change of a file: change a repository, make its folder one, or change a file that Git reads or runs. */
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

const PARTS = ["HEAD", "objects", "refs", "commondir", ".git"] as const;

/** Looks up each name, because the file system knows whether it ignores case. */
async function repositoryParts(folder: string): Promise<ReadonlySet<string>> {
  const exist = await Promise.all(PARTS.map((name) => lstat(join(folder, name)).then(yes, no)));
  return new Set(PARTS.filter((_, index) => exist[index]).map(foldName));
}

/** Git takes a folder with these names for a repository. With `commondir`, the other parts lie in another folder. */
function isRepository(parts: ReadonlySet<string>): boolean {
  return parts.has("head") && (parts.has("commondir") || (parts.has("objects") && parts.has("refs")));
}

/** Removes what some file system ignores in a name: case, compatible and invisible characters, and endings of Windows. */
function foldName(name: string): string {
  const visible = name.normalize("NFKC").replace(/\p{Default_Ignorable_Code_Point}/gu, "");
  return visible.replace(/:.*$|[. ]+$/gs, "").toLowerCase();
}

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

/** Returns the folders with the config of the repository whose work tree this is. Empty if it is none. */
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
  /** Git runs programs here. */
  readonly workTree: string;
  /** The config files that were read. */
  readonly seen: Set<string>;
}

/** Returns whether the file is this config file, or one that it includes, or one that Git runs because of it. */
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
      // A command line. Each of its words may be a script.
      for (const word of value.split(/[!\s"'`;&|()<>=]+/)) {
        if (word !== "" && (await isSamePath(file, resolve(workTree, expandHome(word))))) return true;
      }
    }
  }
  return false;
}

/** The hooks of a template are copied into each new repository. */
const FOLDER_KEY = /^(?:core\.hookspath|init\.templatedir)$/;
const INCLUDE_KEY = /^include(?:if)?\..*path$/;
const PROGRAM_KEY =
  /^(?:alias|pager)\.|^submodule\.update$|^(?:browser|man|difftool|mergetool)\.path$|\.(?:difffilter|fsmonitor|clean|smudge|process|textconv|command|cmd|external|driver|program|helper|sshcommand|editor|pager|askpass|gitproxy|uploadpack|receivepack)$/;

/** Returns the keys, as `section.key` without a subsection and in lower case, with their values. */
function* parseConfig(text: string): Generator<{ readonly key: string; readonly value: string }> {
  let section = "";
  for (const line of text.replace(/\\\r?\n/g, "").split("\n")) {
    const [, header, rest = line] = /^\s*\[\s*([\w.-]+)(?:\s+"(?:[^"\\]|\\.)*")?\s*\](.*)$/s.exec(line) ?? [];
    if (header !== undefined) section = header.toLowerCase();
    const [, name, value] = /^\s*([\w-]+)\s*=\s*(.*?)\s*$/s.exec(rest) ?? [];
    if (name !== undefined) yield { key: `${section}.${name.toLowerCase()}`, value: unquote(value!) };
  }
}

/** Leaves out a comment behind the value. */
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

/** Returns the folder above for husky's `.husky/_`, because the hooks in it run the scripts beside it. */
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
