/** Translates a sandbox into the options of `bwrap`. Pure. */
import type { Mount } from "./sandbox-mounts.ts";

export interface BubblewrapSandbox {
  readonly mounts: readonly Mount[];
  readonly cwd: string;
  /** All variables of the server. */
  readonly env: { readonly [name: string]: string | undefined };
  /** True if the caller has already put `bwrap` into a network namespace. Otherwise the server gets an empty one. */
  readonly ownNetwork: boolean;
  /** Replaces the DNS configuration of the system: the file, and the descriptor with its content. */
  readonly resolvConf?: { readonly path: string; readonly fd: number };
}

/**
 * Returns options for `--args`. They contain the variables of the server, which may be secrets, so they must not be on the
 * command line, where other users see them. Variables such as LD_PRELOAD must not reach `bwrap` itself either.
 */
export function bubblewrapArgs(sandbox: BubblewrapSandbox): string[] {
  const { mounts, cwd, env, ownNetwork, resolvConf } = sandbox;
  const showsRoot = mounts.some(({ path }) => path === "/");
  return [
    ...["--unshare-user", "--unshare-pid", "--unshare-ipc", "--unshare-uts", "--unshare-cgroup-try"],
    ...(ownNetwork ? [] : ["--unshare-net"]),
    ...["--cap-drop", "ALL"],
    ...mounts.flatMap(mountArgs),
    ...["--proc", "/proc", ...KERNEL_SETTINGS.flatMap((path) => ["--ro-bind-try", path, path]), "--dev", "/dev"],
    ...(resolvConf ? ["--ro-bind-data", String(resolvConf.fd), resolvConf.path] : []),
    // A write outside of the sandbox fails. Otherwise it would seem to succeed, and be lost.
    ...(showsRoot ? [] : ["--remount-ro", "/"]),
    ...["--chdir", cwd, "--clearenv"],
    ...Object.entries(env).flatMap(([name, value]) => (value === undefined ? [] : ["--setenv", name, value])),
  ];
}

/**
 * The settings of the whole machine. The kernel lets a user whose id is 0 outside of the sandbox write them, even without
 * capabilities: a host that runs as root would give away the machine with /proc/sys/kernel/core_pattern.
 */
const KERNEL_SETTINGS = ["sys", "sysrq-trigger", "irq", "bus", "fs", "acpi"].map((name) => `/proc/${name}`);

function mountArgs(mount: Mount): string[] {
  const { path } = mount;
  switch (mount.type) {
    case "read":
      return ["--ro-bind", mount.from, path];
    case "write":
      return ["--bind", mount.from, path];
    case "link":
      return ["--symlink", mount.to, path];
    case "private":
      return ["--perms", path === "/tmp" ? "1777" : "0700", "--tmpfs", path];
    case "folder":
      return ["--dir", path];
    case "hidden folder":
      return ["--perms", "0000", "--tmpfs", path, "--remount-ro", path];
    case "hidden file":
      return ["--ro-bind", "/dev/null", path];
  }
}
