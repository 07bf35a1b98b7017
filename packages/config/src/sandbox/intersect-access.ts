/** Intersects what two sandboxes allow. Pure: compares paths as they are written, so links are checked at the start. */
import type { SandboxAccess } from "@plugboard/contracts";
import { isInsideFolder } from "@plugboard/store";

/** Returns what both allow. */
export function intersectAccess(a: SandboxAccess, b: SandboxAccess): SandboxAccess {
  const paths = [...new Set([a, b].flatMap(({ read, write }) => [...read, ...write]))];
  const levels = paths.map((path) => ({ path, level: Math.min(levelOf(path, a), levelOf(path, b)) }));
  const pathsAt = (wanted: number) => levels.flatMap(({ path, level }) => (level === wanted ? [path] : []));
  return { read: pathsAt(READ), write: pathsAt(WRITE), network: intersectNetworks(a.network, b.network) };
}

/** Returns whether `access` allows anything that `limit` does not. */
export function exceedsLimit(access: SandboxAccess, limit: SandboxAccess): boolean {
  const paths = [...access.read, ...access.write];
  if (paths.some((path) => levelOf(path, access) > levelOf(path, limit))) return true;
  // Inside of a folder that it may write, the limit may have one that it may only read.
  if (limit.read.some((path) => levelOf(path, access) > levelOf(path, limit))) return true;
  return exceedsNetwork(access.network, limit.network);
}

const NONE = 0;
const READ = 1;
const WRITE = 2;

/** The innermost path that contains this one decides, as the mounts of the sandbox do. */
function levelOf(path: string, { read, write }: SandboxAccess): number {
  const containing = [
    ...write.map((folder) => [folder, WRITE] as const),
    ...read.map((folder) => [folder, READ] as const),
  ];
  let [innermost, level]: readonly [string, number] = ["", NONE];
  for (const [folder, granted] of containing)
    if (isInsideFolder(folder, path) && folder.length > innermost.length) [innermost, level] = [folder, granted];
  return level;
}

type Network = SandboxAccess["network"];

function intersectNetworks(a: Network, b: Network): Network {
  if (a === true) return b;
  if (b === true) return a;
  if (a === false || b === false) return false;
  return [...new Set([...a, ...b])].filter((host) => isCovered(host, a) && isCovered(host, b));
}

function exceedsNetwork(network: Network, limit: Network): boolean {
  if (limit === true || network === false) return false;
  if (network === true || limit === false) return network === true || network.length > 0;
  return network.some((host) => !isCovered(host, limit));
}

/** Returns whether the list allows every host and port that the entry stands for. */
function isCovered(entry: string, list: readonly string[]): boolean {
  const wanted = parseHost(entry);
  return list.some((listed) => {
    const { host, port } = parseHost(listed);
    if (port !== undefined && port !== wanted.port) return false;
    return (
      host === wanted.host || (host.startsWith("*.") && isName(wanted.host) && wanted.host.endsWith(host.slice(1)))
    );
  });
}

function isName(host: string): boolean {
  return !host.includes(":") && !/^[\d.]+$/.test(host);
}

function parseHost(entry: string): { readonly host: string; readonly port: string | undefined } {
  const [, host = entry, port] = /^(\[[^\]]*\]|[^:]*):(\d+)$/.exec(entry) ?? [];
  const normalized = host.toLowerCase().replace(/^\[(.*)\]$/, "$1");
  return { host: normalized.replace(/\.$/, ""), port };
}
