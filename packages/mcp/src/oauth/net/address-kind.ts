/**
 * What sort of address something is at, so that a server can't have us call on
 * our own machine or network. Pure. Hosts are as `URL` gives them out: it has
 * already turned `0x7f000001`, `2130706433` and `127.1` into `127.0.0.1`.
 */
import { isIP } from "node:net";

/** `special` is what nobody can be met at: unspecified, multicast, reserved, for documents and for measurements. */
export type AddressKind = "public" | "private" | "loopback" | "link-local" | "special";

/** Of an address in numbers, as `URL` or a resolver writes it. */
export function addressKind(address: string): AddressKind {
  const [bare = ""] = address.split("%", 1); // A resolver may name the interface.
  switch (isIP(bare)) {
    case 4:
      return ipv4Kind(parseIpv4(bare));
    case 6:
      return ipv6Kind(parseIpv6(bare));
    default:
      return "special";
  }
}

/** Nothing for a name that has to be looked up. */
export function hostnameKind(hostname: string): AddressKind | undefined {
  const host = hostname
    .toLowerCase()
    .replace(/^\[(.*)\]$/, "$1")
    .replace(/\.$/, "");
  if (isIP(host) !== 0) return addressKind(host);
  return host === "localhost" || host.endsWith(".localhost") ? "loopback" : undefined;
}

/** The first that fits counts; what fits none is public. */
const IPV4_RANGES: readonly (readonly [network: string, bits: number, kind: AddressKind])[] = [
  // Where clouds tell a machine its secrets, in whatever range they have put that.
  ["100.100.100.200", 32, "link-local"],
  ["168.63.129.16", 32, "link-local"],
  ["169.254.0.0", 16, "link-local"],
  ["127.0.0.0", 8, "loopback"],
  ["10.0.0.0", 8, "private"],
  ["100.64.0.0", 10, "private"],
  ["172.16.0.0", 12, "private"],
  ["192.168.0.0", 16, "private"],
  ["0.0.0.0", 8, "special"],
  ["192.0.0.0", 24, "special"],
  ["192.0.2.0", 24, "special"],
  ["192.88.99.0", 24, "special"],
  ["198.18.0.0", 15, "special"],
  ["198.51.100.0", 24, "special"],
  ["203.0.113.0", 24, "special"],
  ["224.0.0.0", 3, "special"],
];

/** The first that fits counts; what fits none is no address of anybody's. */
const IPV6_RANGES: readonly (readonly [network: string, bits: number, kind: AddressKind | "embeds"])[] = [
  ["::1", 128, "loopback"],
  ["::ffff:0:0", 96, "embeds"],
  ["::ffff:0:0:0", 96, "embeds"],
  ["64:ff9b::", 96, "embeds"],
  ["fd00:ec2::", 32, "link-local"],
  ["fe80::", 10, "link-local"],
  ["fc00::", 7, "private"],
  ["fec0::", 10, "private"],
  ["2001::", 23, "special"],
  ["2001:db8::", 32, "special"],
  ["3fff::", 20, "special"],
  ["2000::", 3, "public"],
];

function ipv4Kind(address: bigint): AddressKind {
  const found = IPV4_RANGES.find(([network, bits]) => isInRange(address, parseIpv4(network), 32 - bits));
  return found?.[2] ?? "public";
}

function ipv6Kind(address: bigint): AddressKind {
  // 6to4 has the other address in front.
  if (address >> 112n === 0x2002n) return ipv4Kind((address >> 80n) & 0xffff_ffffn);
  const [, , kind] = IPV6_RANGES.find(([network, bits]) => isInRange(address, parseIpv6(network), 128 - bits)) ?? [];
  return kind === "embeds" ? ipv4Kind(address & 0xffff_ffffn) : (kind ?? "special");
}

function isInRange(address: bigint, network: bigint, hostBits: number): boolean {
  return address >> BigInt(hostBits) === network >> BigInt(hostBits);
}

function parseIpv4(text: string): bigint {
  return text.split(".").reduce((number, part) => (number << 8n) | BigInt(part), 0n);
}

function parseIpv6(text: string): bigint {
  // `URL` writes it in groups, whichever way it was written before.
  const [left = "", right] = new URL(`http://[${text}]`).hostname.slice(1, -1).split("::");
  const before = groups(left);
  const after = groups(right ?? "");
  const zeros = Array.from({ length: 8 - before.length - after.length }, () => "0");
  return [...before, ...zeros, ...after].reduce((number, group) => (number << 16n) | BigInt(`0x${group}`), 0n);
}

function groups(text: string): string[] {
  return text === "" ? [] : text.split(":");
}
