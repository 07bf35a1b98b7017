import { bubblewrapArgs } from "#sandbox/bubblewrap-args.js";
import { sandboxMounts } from "#sandbox/sandbox-mounts.js";
import type { SandboxFiles, SandboxPath } from "#sandbox/sandbox-mounts.js";
import { describe, expect, it } from "vitest";

const folder = (path: string, real = path): SandboxPath => ({ path, real, type: "folder" });
const file = (path: string): SandboxPath => ({ path, real: path, type: "file" });

const files = (overrides: Partial<SandboxFiles> = {}): SandboxFiles => ({
  home: "/home/ann",
  cwd: "/home/ann/project",
  system: [{ path: "/usr" }, { path: "/bin", linkTo: "usr/bin" }, { path: "/etc" }],
  packages: [],
  read: [],
  write: [],
  hide: [],
  ...overrides,
});

const OFFLINE = { read: [], write: [], network: false } as const;
const mountsOf = (overrides: Partial<SandboxFiles>, policy = OFFLINE) => sandboxMounts(policy, files(overrides));
const typeAt = (path: string, overrides: Partial<SandboxFiles>) =>
  mountsOf(overrides).find((mount) => mount.path === path)?.type;

describe("sandboxMounts", () => {
  it("shows the system folders, an empty home and an empty working folder by default", () => {
    expect(mountsOf({})).toEqual([
      { type: "read", path: "/usr", from: "/usr" },
      { type: "link", path: "/bin", to: "usr/bin" },
      { type: "read", path: "/etc", from: "/etc" },
      { type: "private", path: "/run" },
      { type: "private", path: "/tmp" },
      { type: "private", path: "/home/ann" },
      { type: "folder", path: "/home/ann/project" },
    ]);
  });

  it("mounts a folder before what is inside it, so that a part of a writable folder can be read-only", () => {
    const mounts = mountsOf({
      read: [folder("/home/ann/project/.git"), folder("/tmp/shared")],
      write: [folder("/home/ann/project")],
    });
    const paths = mounts.map(({ path }) => path);
    expect(paths.indexOf("/home/ann/project")).toBeGreaterThan(paths.indexOf("/home/ann"));
    expect(paths.indexOf("/home/ann/project/.git")).toBeGreaterThan(paths.indexOf("/home/ann/project"));
    expect(paths.indexOf("/tmp/shared")).toBeGreaterThan(paths.indexOf("/tmp"));
  });

  it("mounts the target of a link at the place of the link", () => {
    expect(mountsOf({ read: [folder("/data", "/mnt/disk/data")] })).toContainEqual({
      type: "read",
      path: "/data",
      from: "/mnt/disk/data",
    });
  });

  it("shows the home folder if the policy names it or a folder above it", () => {
    expect(typeAt("/home/ann", { read: [folder("/home/ann")] })).toBe("read");
    expect(typeAt("/home/ann", { read: [folder("/home")] })).toBeUndefined();
  });

  it("lets the policy decide about a package inside of it", () => {
    const packages = [folder("/home/ann/project/node_modules"), folder("/srv/tools")];
    expect(
      typeAt("/home/ann/project/node_modules", { packages, write: [folder("/home/ann/project")] }),
    ).toBeUndefined();
    expect(typeAt("/srv/tools", { packages, write: [folder("/home/ann/project")] })).toBe("read");
  });

  it("ignores a missing folder of `read`", () => {
    expect(typeAt("/gone", { read: [{ path: "/gone", real: "/gone", type: "missing" }] })).toBeUndefined();
  });

  it("mounts the cache of the server writable", () => {
    const mounts = sandboxMounts({ ...OFFLINE, cache: "/home/ann/.cache/plugboard/files" }, files());
    expect(mounts).toContainEqual({
      type: "write",
      path: "/home/ann/.cache/plugboard/files",
      from: "/home/ann/.cache/plugboard/files",
    });
  });

  describe("with hidden paths", () => {
    const state = folder("/home/ann/.plugboard");

    it("hides them inside of readable and writable folders", () => {
      expect(typeAt("/home/ann/.plugboard", { hide: [state], write: [folder("/home/ann")] })).toBe("hidden folder");
      expect(typeAt("/home/ann/.plugboard", { hide: [state], write: [state] })).toBe("hidden folder");
      expect(typeAt("/home/ann/.npmrc", { hide: [file("/home/ann/.npmrc")], read: [folder("/home")] })).toBe(
        "hidden file",
      );
      expect(typeAt("/etc/shadow", { hide: [file("/etc/shadow")] })).toBe("hidden file");
    });

    it("hides them where a link shows them", () => {
      const read = [folder("/data", "/home/ann")];
      expect(typeAt("/data/.plugboard", { hide: [state], read })).toBe("hidden folder");
      expect(typeAt("/home/ann/.plugboard", { hide: [state], read })).toBeUndefined();
    });

    it("hides missing ones only where the server could create them", () => {
      const hide = [{ ...state, type: "missing" } as const];
      expect(typeAt("/home/ann/.plugboard", { hide, write: [folder("/home/ann")] })).toBe("hidden folder");
      expect(typeAt("/home/ann/.plugboard", { hide, read: [folder("/home/ann")] })).toBeUndefined();
    });

    it("adds no mount for what is not shown anyway", () => {
      expect(typeAt("/home/ann/.plugboard", { hide: [state] })).toBeUndefined();
    });
  });
});

describe("bubblewrapArgs", () => {
  const args = (ownNetwork: boolean, overrides: Partial<SandboxFiles> = {}) =>
    bubblewrapArgs({
      mounts: mountsOf(overrides),
      cwd: "/home/ann/project",
      env: { HOME: "/home/ann", EMPTY: "", UNSET: undefined },
      ownNetwork,
    }).join(" ");

  it("creates namespaces for users, processes, IPC and network, and keeps no capability", () => {
    expect(args(false)).toMatch(
      /^--unshare-user --unshare-pid --unshare-ipc --unshare-uts --unshare-cgroup-try --unshare-net --cap-drop ALL /,
    );
    expect(args(true)).not.toContain("--unshare-net");
  });

  it("makes the mounts, then a read-only root, then the environment", () => {
    expect(args(false, { write: [folder("/data", "/mnt/data")], hide: [folder("/data/x", "/mnt/data/x")] })).toMatch(
      / --ro-bind \/usr \/usr --symlink usr\/bin \/bin .*--perms 1777 --tmpfs \/tmp --bind \/mnt\/data \/data .*--perms 0000 --tmpfs \/data\/x --remount-ro \/data\/x .*--proc \/proc --ro-bind-try \/proc\/sys \/proc\/sys .*--dev \/dev --remount-ro \/ --chdir \/home\/ann\/project --clearenv --setenv HOME \/home\/ann --setenv EMPTY $/,
    );
  });
});
