/** Finds the programs that a sandbox needs. */
import { access, constants, readFile } from "node:fs/promises";
import { join } from "node:path";

export interface SandboxPrograms {
  readonly bwrap: string;
  readonly nsenter: string | undefined;
  readonly slirp4netns: string | undefined;
}

/** Returns undefined without bubblewrap. */
export async function findSandboxPrograms(path = process.env["PATH"] ?? ""): Promise<SandboxPrograms | undefined> {
  const find = (name: string) => findProgram(name, path);
  const [bwrap, nsenter, slirp4netns] = await Promise.all(["bwrap", "nsenter", "slirp4netns"].map(find));
  return bwrap === undefined ? undefined : { bwrap, nsenter, slirp4netns };
}

async function findProgram(name: string, path: string): Promise<string | undefined> {
  for (const folder of path.split(":")) {
    const file = join(folder, name);
    const found = await access(file, constants.X_OK).then(
      () => true,
      () => false,
    );
    // A relative folder of PATH could be one that a server may write.
    if (found && folder.startsWith("/")) return file;
  }
  return undefined;
}

/** Returns why the system does not let this user create namespaces, as far as it says so. */
export async function namespaceHint(): Promise<string | undefined> {
  for (const { file, refused, say } of NAMESPACE_SETTINGS) {
    const value = await readFile(file, "utf8").catch(() => undefined);
    if (value?.trim() === refused) return say;
  }
  return undefined;
}

const NAMESPACE_SETTINGS = [
  {
    file: "/proc/sys/user/max_user_namespaces",
    refused: "0",
    say: "user namespaces are switched off; an administrator can raise the sysctl user.max_user_namespaces",
  },
  {
    file: "/proc/sys/kernel/unprivileged_userns_clone",
    refused: "0",
    say: "this user may not create user namespaces; an administrator can set the sysctl kernel.unprivileged_userns_clone to 1",
  },
  {
    file: "/proc/sys/kernel/apparmor_restrict_unprivileged_userns",
    refused: "1",
    say: "AppArmor lets only certain programs create user namespaces; an administrator can add a profile for bwrap, or set the sysctl kernel.apparmor_restrict_unprivileged_userns to 0",
  },
] as const;
