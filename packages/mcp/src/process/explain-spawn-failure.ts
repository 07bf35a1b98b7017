/**
 * Explains why a process could not be started and what the user can do. The system reports one code for several causes
 * (ENOENT: the command, its folder or its interpreter), so this module inspects the files. Never quotes arguments or
 * variables, because they may contain secrets.
 */
import { access, constants, open, stat } from "node:fs/promises";
import { isAbsolute, resolve } from "node:path";
import { serverEnvironment } from "./server-environment.ts";
import type { Environment } from "./server-environment.ts";

export interface SpawnAttempt {
  readonly command: string;
  readonly cwd: string;
  /** The variables from the server's definition. */
  readonly env: Environment;
  /** All variables of the process, including PATH. */
  readonly fullEnv: Environment;
  /** The texts for messages, if the command, the folder or PATH contains a value that must not be shown. */
  readonly shown?: { readonly command: string; readonly cwd: string };
}

type ReasonedAttempt = Omit<SpawnAttempt, "fullEnv">;

export async function explainSpawnFailure(attempt: SpawnAttempt, error: NodeJS.ErrnoException): Promise<string> {
  if (attempt.command === "") return "its `command` is empty";
  return (await folderReason(attempt)) ?? (await commandReason(attempt, error)) ?? systemReason(error);
}

/**
 * Returns the reason why a process could not be started, without starting it. Returns undefined if no reason is found. On
 * Windows, only the folder is checked.
 */
export async function findSpawnProblem(attempt: ReasonedAttempt): Promise<string | undefined> {
  const { command, env } = attempt;
  if (command === "") return "its `command` is empty";
  const reason = await folderReason(attempt);
  if (reason !== undefined || process.platform === "win32") return reason;
  const fullAttempt = { ...attempt, fullEnv: serverEnvironment(process.env, env, process.platform) };
  const file = await findCommand(candidatePaths(fullAttempt));
  if (file !== undefined && (await stat(file)).isFile() && (await isExecutable(file))) {
    const interpreter = await readInterpreter(file);
    const canRun = interpreter === undefined || (await isExecutable(interpreter));
    return canRun ? undefined : interpreterReason(file, "ENOENT", attempt);
  }
  return commandReason(fullAttempt, Object.assign(new Error(), { code: "ENOENT" }));
}

async function folderReason({ cwd, shown }: ReasonedAttempt): Promise<string | undefined> {
  const shownFolder = shown?.cwd ?? cwd;
  const folder = await stat(cwd).catch(() => undefined);
  if (!folder) return `its working folder ${shownFolder} does not exist; create it or correct its \`cwd\``;
  if (!folder.isDirectory()) return `its working folder ${shownFolder} is not a folder; correct its \`cwd\``;
  if (!(await isExecutable(cwd))) return `its working folder ${shownFolder} may not be entered by this user`;
  return undefined;
}

async function commandReason(attempt: SpawnAttempt, { code }: NodeJS.ErrnoException): Promise<string | undefined> {
  if (code !== "ENOENT" && code !== "EACCES" && code !== "ENOTDIR") return undefined;
  const command = attempt.shown?.command ?? attempt.command;
  // The checks below are for POSIX. Windows searches other places and file names, and files have no execute permission.
  if (process.platform === "win32") return notFound(attempt);
  const file = await findCommand(candidatePaths(attempt));
  if (file === undefined) return notFound(attempt);
  if ((await stat(file)).isDirectory()) return `the command "${command}" is a folder`;
  if (!(await isExecutable(file))) {
    return `the command "${command}" may not be executed; make ${shownFile(file, attempt)} executable (chmod +x), or give the program that runs it as \`command\``;
  }
  return interpreterReason(file, code, attempt);
}

/** Returns the path of the command. It may contain the same values as the command, the folder and PATH. */
function shownFile(file: string, { shown }: ReasonedAttempt): string {
  return shown ? `"${shown.command}"` : file;
}

function notFound({ env, shown, ...attempt }: SpawnAttempt): string {
  const { command, cwd } = shown ?? attempt;
  const missing = `the command "${command}" was not found`;
  if (/\s/.test(command)) return `${missing}; it contains spaces, and arguments belong in \`args\``;
  if (isAbsolute(command)) return `${missing}; install it or correct its \`command\``;
  if (command.includes("/")) return `${missing}: there is no ${resolve(cwd, command)}; the path starts at its \`cwd\``;
  const path = Object.keys(env).some((name) => name.toUpperCase() === "PATH") ? "the PATH that its `env` sets" : "PATH";
  return `${missing} in ${path}; install it, or give its full path as \`command\``;
}

/** Called when the file exists and is executable, so its interpreter or loader is the cause. */
async function interpreterReason(file: string, code: string, attempt: ReasonedAttempt): Promise<string> {
  const shown = shownFile(file, attempt);
  const interpreter = await readInterpreter(file);
  if (interpreter?.endsWith("\r")) {
    return `the first line of ${shown} ends with a Windows line break, so its interpreter is not found; save the file with Unix line breaks`;
  }
  if (interpreter === undefined) {
    return code === "ENOENT"
      ? `the command ${shown} exists, but the loader it was built for does not; install a version for this system`
      : `the command ${shown} may not be executed, though it is executable; the disk may be mounted with "noexec"`;
  }
  const problem = (await stat(interpreter).catch(() => undefined)) ? "may not be executed" : "does not exist";
  return `the command ${shown} is a script for ${interpreter}, which ${problem}; install the interpreter or correct the script's first line`;
}

/** Returns the interpreter that a script's first line names: `#!/usr/bin/python3 -u` → `/usr/bin/python3`. */
async function readInterpreter(file: string): Promise<string | undefined> {
  const opened = await open(file).catch(() => undefined);
  if (!opened) return undefined;
  try {
    // The kernel does not read a longer first line either.
    const { buffer, bytesRead } = await opened.read({ buffer: Buffer.alloc(256), position: 0 });
    const [line = ""] = buffer.toString("utf8", 0, bytesRead).split("\n");
    return /^#![ \t]*([^ \t]+)/.exec(line)?.[1];
  } catch {
    return undefined;
  } finally {
    await opened.close();
  }
}

/** Returns the paths that the system tries, in order. */
function candidatePaths({ command, cwd, fullEnv }: SpawnAttempt): string[] {
  if (command.includes("/")) return [resolve(cwd, command)];
  const path = fullEnv["PATH"] ?? "/bin:/usr/bin";
  return path.split(":").map((folder) => resolve(cwd, folder, command));
}

/** Returns the first executable file, as the system does, or else the first path that exists. */
async function findCommand(files: readonly string[]): Promise<string | undefined> {
  let firstFound: string | undefined;
  for (const file of files) {
    const stats = await stat(file).catch(() => undefined);
    if (stats?.isFile() && (await isExecutable(file))) return file;
    if (stats) firstFound ??= file;
  }
  return firstFound;
}

function systemReason({ code, name }: NodeJS.ErrnoException): string {
  switch (code) {
    case "E2BIG":
      return "its arguments and variables are too long together";
    case "ERR_INVALID_ARG_VALUE":
      return "its command, one of its arguments or one of its variables has a NUL character in it";
    case "EMFILE":
    case "ENFILE":
      return "too many files are open; raise the limit (ulimit -n) or run fewer servers";
    case "EAGAIN":
      return "too many processes are running; raise the limit (ulimit -u) or run fewer servers";
    case "ENOMEM":
      return "there is not enough memory";
    case "ETXTBSY":
      return "its program is being written to at this moment; try again when that is done";
    default:
      return `the system refused (${code ?? name})`;
  }
}

/** For a folder: whether it may be entered. */
async function isExecutable(path: string): Promise<boolean> {
  return access(path, constants.X_OK).then(
    () => true,
    () => false,
  );
}
