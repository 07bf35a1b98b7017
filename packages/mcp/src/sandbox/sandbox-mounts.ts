/** Decides which files a sandboxed server sees, and where. Pure: `inspect-files.ts` reads the disk. */
import type { SandboxPolicy } from "@plugboard/contracts";

/** A path as it was written, and the file or folder that it leads to. */
export interface SandboxPath {
  readonly path: string;
  readonly real: string;
  readonly type: "folder" | "file" | "missing";
}

/** What the sandbox depends on, besides the policy. */
export interface SandboxFiles {
  readonly home: string;
  readonly cwd: string;
  /** The folders of the system: `/usr`, or `/bin` as a link to `usr/bin`. */
  readonly system: readonly SystemFolder[];
  /** The server's own package, and its interpreter. */
  readonly packages: readonly SandboxPath[];
  readonly read: readonly SandboxPath[];
  readonly write: readonly SandboxPath[];
  readonly hide: readonly SandboxPath[];
}

export interface SystemFolder {
  readonly path: string;
  readonly linkTo?: string;
}

export type Mount =
  | { readonly type: "read" | "write"; readonly path: string; readonly from: string }
  | { readonly type: "link"; readonly path: string; readonly to: string }
  /** Private to the sandbox, and writable. */
  | { readonly type: "private"; readonly path: string }
  /** An empty folder, so that the server can be started in it. */
  | { readonly type: "folder"; readonly path: string }
  | { readonly type: "hidden folder" | "hidden file"; readonly path: string };

/** If two mounts have the same path, the first of these types wins. */
const PRIORITY: readonly Mount["type"][] = [
  "hidden folder",
  "hidden file",
  "write",
  "read",
  "link",
  "private",
  "folder",
];

/** Returns the mounts in the order in which they are made: a folder before what is inside it. */
export function sandboxMounts(policy: SandboxPolicy, files: SandboxFiles): readonly Mount[] {
  const write = files.write.map((path) => bind("write", path));
  const chosen = [...write, ...files.read.filter(({ type }) => type !== "missing").map((path) => bind("read", path))];
  // The policy is what the user has chosen, so a package inside it follows the policy.
  const packages = files.packages.filter(({ path }) => !isCovered(path, chosen)).map((path) => bind("read", path));
  const visible = [...chosen, ...packages];
  const cache = policy.cache === undefined ? [] : [{ type: "write", path: policy.cache, from: policy.cache } as const];
  const system = files.system.map(({ path, linkTo }): Mount =>
    linkTo === undefined ? { type: "read", path, from: path } : { type: "link", path, to: linkTo },
  );
  const mounts: Mount[] = [
    ...system.filter(({ path }) => !isCovered(path, chosen)),
    // Sockets of the session bus, of Docker and of other programs are in /run and /tmp.
    { type: "private", path: "/run" },
    { type: "private", path: "/tmp" },
    ...(isCovered(files.home, chosen) || files.home === "/" ? [] : [{ type: "private", path: files.home } as const]),
    ...(isCovered(files.cwd, [...visible, ...system]) ? [] : [{ type: "folder", path: files.cwd } as const]),
    ...visible,
    ...cache,
    ...files.hide.flatMap((hidden) => hide(hidden, files)),
  ];
  const byPath = new Map<string, Mount>();
  for (const mount of mounts) {
    const other = byPath.get(mount.path);
    if (!other || rank(mount) < rank(other)) byPath.set(mount.path, mount);
  }
  return [...byPath.values()].toSorted((a, b) => depth(a.path) - depth(b.path));
}

function bind(type: "read" | "write", { path, real }: SandboxPath): Mount & { readonly path: string } {
  return { type, path, from: real };
}

/** Hides a path at each place where the policy shows it. A link may show it at another place than its own. */
function hide({ real, type }: SandboxPath, { system, read, write, packages }: SandboxFiles): Mount[] {
  const shownFolders = system.map(({ path }) => ({ path, real: path }));
  return [...write, ...read, ...packages, ...shownFolders].flatMap((shown): Mount[] => {
    if (!isWithin(real, shown.real)) return [];
    // There is nothing to hide, unless the server could create it.
    if (type === "missing" && !write.some((folder) => folder === shown)) return [];
    const path = joinPath(shown.path, real.slice(shown.real.length));
    return [{ type: type === "file" ? "hidden file" : "hidden folder", path }];
  });
}

function isCovered(path: string, mounts: readonly { readonly path: string }[]): boolean {
  return mounts.some((mount) => isWithin(path, mount.path));
}

/** True for the folder itself, too. */
export function isWithin(path: string, folder: string): boolean {
  return path === folder || path.startsWith(folder.endsWith("/") ? folder : `${folder}/`);
}

function joinPath(folder: string, rest: string): string {
  return rest === "" ? folder : `${folder.replace(/\/$/, "")}/${rest.replace(/^\//, "")}`;
}

function rank({ type }: Mount): number {
  return PRIORITY.indexOf(type);
}

function depth(path: string): number {
  return path === "/" ? 0 : path.split("/").length;
}
