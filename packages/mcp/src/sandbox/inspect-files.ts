/** Reads from the disk what a sandbox depends on. Refuses links by which a server could widen its own sandbox. */
import { lstat, readlink, realpath, stat } from "node:fs/promises";
import { dirname, resolve } from "node:path";
import type { SandboxPolicy } from "@plugboard/contracts";
import { findPackages } from "./find-packages.ts";
import type { ServerCommand } from "./find-packages.ts";
import { isWithin } from "./sandbox-mounts.ts";
import type { SandboxFiles, SandboxPath, SystemFolder } from "./sandbox-mounts.ts";

const SYSTEM_FOLDERS = ["/usr", "/bin", "/sbin", "/lib", "/lib32", "/lib64", "/libx32", "/etc", "/opt", "/nix", "/gnu"];

/** Only root can read them. They are hidden if the host itself runs as root. */
const SYSTEM_SECRETS = ["/etc/shadow", "/etc/shadow-", "/etc/gshadow", "/etc/gshadow-", "/etc/ssh", "/etc/ssl/private"];

/** A reason, as a part of a sentence, why the sandbox of this server can't be built. */
export class SandboxProblem extends Error {}

export async function inspectFiles(policy: SandboxPolicy, command: ServerCommand): Promise<SandboxFiles> {
  const { cwd, env } = command;
  const home = env["HOME"] ?? "/";
  const [system, packages, read, write, hide, secrets] = await Promise.all([
    Promise.all(SYSTEM_FOLDERS.map(inspectSystemFolder)),
    findPackages(command, SYSTEM_FOLDERS).then(inspectAll),
    inspectAll(policy.read),
    inspectAll(policy.write),
    inspectAll(policy.hide ?? []),
    inspectAll(process.getuid?.() === 0 ? SYSTEM_SECRETS : []),
  ]);
  const missing = write.find(({ type }) => type === "missing");
  if (missing) throw new SandboxProblem(`its \`write\` names ${missing.path}, which does not exist`);
  await Promise.all([...read, ...write, ...packages].map((path) => refusePlantedLink(path, write)));
  if (policy.limit) await refuseBeyondLimit({ read, write }, policy.limit);
  return {
    home,
    cwd,
    system: system.filter((folder) => folder !== undefined),
    packages: packages.filter(({ type }) => type !== "missing"),
    read,
    write,
    hide: [...hide, ...secrets.filter(({ type }) => type !== "missing")],
  };
}

async function inspectSystemFolder(path: string): Promise<SystemFolder | undefined> {
  const stats = await lstat(path).catch(() => undefined);
  if (!stats) return undefined;
  return stats.isSymbolicLink() ? { path, linkTo: await readlink(path) } : { path };
}

function inspectAll(paths: readonly string[]): Promise<SandboxPath[]> {
  return Promise.all([...new Set(paths.map((path) => resolve(path)))].map(inspectPath));
}

async function inspectPath(path: string): Promise<SandboxPath> {
  try {
    const real = await realpath(path);
    return { path, real, type: (await stat(real)).isDirectory() ? "folder" : "file" };
  } catch {
    return { path, real: await realParent(path), type: "missing" };
  }
}

/** Resolves the links of the part of the path that exists. */
async function realParent(path: string): Promise<string> {
  const parent = dirname(path);
  if (parent === path) return path;
  const real = await realpath(parent).catch(() => realParent(parent));
  return resolve(real, path.slice(parent.length).replace(/^\//, ""));
}

/** Throws for a path that leads out of the limit by a link. Checked at each start, because links change. */
async function refuseBeyondLimit(
  paths: { readonly read: readonly SandboxPath[]; readonly write: readonly SandboxPath[] },
  limit: NonNullable<SandboxPolicy["limit"]>,
): Promise<void> {
  const [read, write] = await Promise.all([inspectAll(limit.read), inspectAll(limit.write)]);
  const refuse = (checked: readonly SandboxPath[], folders: readonly SandboxPath[]) => {
    const beyond = checked.find(({ real }) => !folders.some((folder) => isWithin(real, folder.real)));
    if (beyond)
      throw new SandboxProblem(`${beyond.path} leads to ${beyond.real}, which your \`sandbox_default\` does not allow`);
  };
  refuse(paths.write, write);
  refuse(paths.read, [...read, ...write]);
}

/**
 * Throws for a link that the server could have created itself, in a folder that it may write, and that leads out of it. The
 * next start would show the server what the link leads to.
 */
async function refusePlantedLink({ path, real }: SandboxPath, write: readonly SandboxPath[]): Promise<void> {
  if (path === real || write.some((folder) => isWithin(real, folder.real))) return;
  for (let at = path; at !== "/"; at = dirname(at)) {
    const stats = await lstat(at).catch(() => undefined);
    if (!stats?.isSymbolicLink()) continue;
    const parent = await realpath(dirname(at));
    if (write.some((folder) => isWithin(parent, folder.real)))
      throw new SandboxProblem(
        `${at} is a link in a folder that it may write, and leads to ${real}; if that is right, name ${real} instead`,
      );
  }
}
