/** Decides whether a sandboxed server may connect to a host. Pure, except for the addresses of this machine. */
import { BlockList, isIP } from "node:net";
import { networkInterfaces } from "node:os";

/** True if the list names the host. An address or a local name must be listed as it is requested. */
export function isListed(hosts: readonly string[], host: string, port: number): boolean {
  const name = normalizeHost(host);
  return hosts.some((entry) => {
    const { pattern, onlyPort } = parseEntry(entry);
    if (onlyPort !== undefined && onlyPort !== port) return false;
    if (!pattern.startsWith("*.")) return pattern === name;
    return isIP(name) === 0 && name.endsWith(pattern.slice(1));
  });
}

/**
 * True if the address leads to this machine or its link, so that only an entry that says so may reach it: a name that
 * someone else controls can resolve to it.
 */
export function isLocalAddress(address: string): boolean {
  // The list compares IPv4 addresses in their IPv6 form, too.
  return LOCAL.check(address, isIP(address) === 6 ? "ipv6" : "ipv4") || ownAddresses().has(address);
}

/** True for a list entry that is itself an address or `localhost`. */
export function namesLocalHost(host: string): boolean {
  const name = normalizeHost(host);
  return isIP(name) !== 0 || name === "localhost";
}

export function normalizeHost(host: string): string {
  return host
    .toLowerCase()
    .replace(/^\[(.*)\]$/, "$1")
    .replace(/\.$/, "");
}

/** `example.com:8443` → port 8443 only. An IPv6 address with a port has brackets. */
function parseEntry(entry: string): { readonly pattern: string; readonly onlyPort?: number } {
  const [, host, port] = /^(\[[^\]]*\]|[^:]*):(\d+)$/.exec(entry) ?? [];
  if (host === undefined) return { pattern: normalizeHost(entry) };
  return { pattern: normalizeHost(host), onlyPort: Number(port) };
}

const LOCAL = new BlockList();
for (const [network, prefix] of [
  ["0.0.0.0", 8],
  ["127.0.0.0", 8],
  ["169.254.0.0", 16],
  ["224.0.0.0", 4],
  ["240.0.0.0", 4],
] as const)
  LOCAL.addSubnet(network, prefix, "ipv4");
for (const [network, prefix] of [
  ["::", 127],
  ["64:ff9b::", 96],
  ["fe80::", 10],
  ["ff00::", 8],
] as const)
  LOCAL.addSubnet(network, prefix, "ipv6");

function ownAddresses(): Set<string> {
  return new Set(Object.values(networkInterfaces()).flatMap((found) => (found ?? []).map(({ address }) => address)));
}
