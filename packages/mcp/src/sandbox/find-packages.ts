/**
 * Finds the files that a server needs to run: its program, the package it belongs to, and its interpreter. Looks only at the
 * command and at the script of an interpreter, because other arguments are data.
 */
import { access, constants, open, realpath, stat } from "node:fs/promises";
import { basename, dirname, join, resolve } from "node:path";
import { isWithin } from "./sandbox-mounts.ts";

export interface ServerCommand {
  readonly command: string;
  readonly args: readonly string[];
  readonly cwd: string;
  /** All variables of the server. */
  readonly env: { readonly [name: string]: string | undefined };
}

const INTERPRETERS =
  /^(?:node|nodejs|bun|deno|tsx|ts-node|python[\d.]*|pypy[\d.]*|ruby|perl|php|java|dotnet|sh|bash|dash|zsh)$/;
const PACKAGE_FILES = ["package.json", "pyproject.toml", "pyvenv.cfg", "setup.py", "deno.json", "go.mod", "Gemfile"];

/** Returns the folders and files outside of `systemFolders`. */
export async function findPackages(server: ServerCommand, systemFolders: readonly string[]): Promise<string[]> {
  const { command, args, cwd } = server;
  const found = new Set<string>();
  const add = async (file: string): Promise<void> => {
    const places = new Set([file, await realpath(file)]);
    for (const place of places) {
      if (systemFolders.some((folder) => isWithin(place, folder))) continue;
      for (const folder of await packageOf(place, server)) found.add(folder);
    }
    const interpreter = await readInterpreter(file);
    const program = interpreter === undefined ? undefined : await findProgram(interpreter, server);
    if (program !== undefined && program !== file) await add(program);
  };
  const program = await findProgram(command, server);
  if (program !== undefined) await add(program);
  if (INTERPRETERS.test(basename(command))) {
    const script = await firstFile(args.map((arg) => resolve(cwd, arg)));
    if (script !== undefined) await add(script);
  }
  return [...found];
}

async function packageOf(file: string, { env }: ServerCommand): Promise<string[]> {
  const modules = file.indexOf("/node_modules/");
  if (modules > 0) return [file.slice(0, modules + "/node_modules".length)];
  const folder = dirname(file);
  const prefix = dirname(folder);
  // An installation of Node or Python, or a virtual environment: `<prefix>/bin/node`.
  if (basename(folder) === "bin" && (await isAnyThere(prefix, ["lib/node_modules", "pyvenv.cfg", "include"])))
    return isTooWide(prefix, env) ? [file] : [prefix];
  for (let at = folder; !isTooWide(at, env); at = dirname(at))
    if (await isAnyThere(at, PACKAGE_FILES)) return [at, ...(await outerModules(dirname(at)))];
  return [isTooWide(folder, env) || basename(folder) === "bin" ? file : folder];
}

/** Returns the `node_modules` of outer folders, where the packages of a workspace are installed. */
async function outerModules(folder: string): Promise<string[]> {
  const found: string[] = [];
  for (let at = folder; at !== dirname(at); at = dirname(at))
    if (await isAnyThere(at, ["node_modules"])) found.push(join(at, "node_modules"));
  return found;
}

/** True for the home folder and what is above it, and for folders directly below the root. */
function isTooWide(folder: string, { HOME }: ServerCommand["env"]): boolean {
  return dirname(dirname(folder)) === dirname(folder) || (HOME !== undefined && isWithin(resolve(HOME), folder));
}

async function isAnyThere(folder: string, names: readonly string[]): Promise<boolean> {
  const found = await Promise.all(names.map((name) => isThere(join(folder, name))));
  return found.includes(true);
}

function isThere(path: string, mode = constants.F_OK): Promise<boolean> {
  return access(path, mode).then(
    () => true,
    () => false,
  );
}

async function findProgram(command: string, { cwd, env }: ServerCommand): Promise<string | undefined> {
  if (command.includes("/")) return firstFile([resolve(cwd, command)]);
  const folders = (env["PATH"] ?? "/bin:/usr/bin").split(":");
  return firstFile(
    folders.map((folder) => resolve(cwd, folder, command)),
    constants.X_OK,
  );
}

async function firstFile(paths: readonly string[], mode = constants.F_OK): Promise<string | undefined> {
  for (const path of paths) {
    const stats = await stat(path).catch(() => undefined);
    if (stats?.isFile() && (await isThere(path, mode))) return path;
  }
  return undefined;
}

/** Returns the interpreter in the first line of a script: `#!/usr/bin/env node` → `node`. */
async function readInterpreter(file: string): Promise<string | undefined> {
  const opened = await open(file).catch(() => undefined);
  if (!opened) return undefined;
  try {
    const { buffer, bytesRead } = await opened.read({ buffer: Buffer.alloc(256), position: 0 });
    const [line = ""] = buffer.toString("latin1", 0, bytesRead).split("\n");
    const [, program, argument] = /^#![ \t]*(\S+)(?:[ \t]+(?:-S[ \t]+)?(\S+))?/.exec(line) ?? [];
    return program !== undefined && basename(program) === "env" ? argument : program;
  } finally {
    await opened.close();
  }
}
