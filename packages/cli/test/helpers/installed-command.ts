/** Installs the packed `plugboard` package into an empty prefix, as `npm install --global` does for a user. */
import { execFile, spawn } from "node:child_process";
import type { ChildProcessByStdio } from "node:child_process";
import { mkdir, mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { delimiter, join } from "node:path";
import type { Readable } from "node:stream";
import { promisify } from "node:util";
import { npmInstall } from "./npm-install.ts";
import { packPackages } from "../../../../scripts/build/pack-packages.mjs";

export interface InstalledCommand {
  /** The folder with all installed packages. */
  readonly packages: string;
  /** The folder in which the command runs. It contains notes.md. */
  readonly folder: string;
  /** Runs the command and returns its stdout. Throws if its exit status is not 0. */
  run(...args: readonly string[]): Promise<string>;
  /** Starts the command with stdout as a pipe. The caller stops it. */
  start(...args: readonly string[]): ChildProcessByStdio<null, Readable, null>;
  remove(): Promise<void>;
}

/** Installs and runs the command with the `node` in this folder. */
export async function installCommand(nodeFolder: string): Promise<InstalledCommand> {
  const root = await mkdtemp(join(tmpdir(), "plugboard-installed-"));
  const [prefix, folder, home] = [join(root, "prefix"), join(root, "folder"), join(root, "home")];
  await Promise.all([prefix, folder, home].map((path) => mkdir(path)));
  await writeFile(join(folder, "notes.md"), "Buy milk.\n");
  const path = [nodeFolder, process.env["PATH"] ?? ""].join(delimiter);
  const execute = promisify(execFile);
  const [packed] = await packPackages(root, ["cli"]);
  await npmInstall(["--global", `--prefix=${prefix}`, packed!.tarball], { cwd: root, path });
  const env = { PATH: path, HOME: home, XDG_STATE_HOME: join(root, "state"), XDG_CONFIG_HOME: join(root, "config") };
  const command = join(prefix, "bin", "plugboard");
  return {
    packages: join(prefix, "lib", "node_modules"),
    folder,
    run: async (...args) => (await execute(command, args, { cwd: folder, env })).stdout,
    start: (...args) => spawn(command, args, { cwd: folder, env, stdio: ["ignore", "pipe", "inherit"] }),
    remove: () => rm(root, { recursive: true, force: true }),
  };
}
