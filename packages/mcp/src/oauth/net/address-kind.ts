/**
 * Classifies IP addresses and hostnames, so that a login does not contact private networks. Pure. Expects hosts as
 * `URL` normalises them: it turns `0x7f000001`, `2130706433` and `127.1` into `127.0.0.1`.
 */
import { isIP } from "node:net";

/** `special` addresses are never a server: unspecified, multicast, reserved, documentation and benchmarking. */
export type AddressKind = "public" | "private" | "loopback" | "link-local" | "special";

/** Classifies an IP address. */
export function addressKind(address: string): AddressKind {
  // A resolver may append the interface name, as in `fe80::1%eth0`.
  const [bare = ""] = address.split("%", 1);
  switch (isIP(bare)) {
    case 4:
      return ipv4Kind(parseIpv4(bare));
    case 6:
      return ipv6Kind(parseIpv6(bare));
    default:
      return "special";
  }
}

/** Returns undefined for a name that needs a DNS lookup. */
export function hostnameKind(hostname: string): AddressKind | undefined {
  const host = hostname
    .toLowerCase()
    .replace(/^\[(.*)\]$/, "$1")
    .replace(/\.$/, "");
  if (isIP(host) !== 0) return addressKind(host);
  return host === "localhost" || host.endsWith(".localhost") ? "loopback" : undefined;
}

/** The first match counts. All other addresses are public. */
const IPV4_RANGES: readonly (readonly [network: string, bits: number, kind: AddressKind])[] = [
  // Metadata services of cloud providers, which reveal credentials.
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

/** The first match counts. All other addresses are `special`. */
const IPV6_RANGES: readonly (readonly [network: string, bits: number, kind: AddressKind | "embeds-ipv4"])[] = [
  ["::1", 128, "loopback"],
  ["::ffff:0:0", 96, "embeds-ipv4"],
  ["::ffff:0:0:0", 96, "embeds-ipv4"],
  ["64:ff9b::", 96, "embeds-ipv4"],
  // The metadata service of a cloud provider.
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
  // A 6to4 address contains an IPv4 address after its prefix.
  if (address >> 112n === 0x2002n) return ipv4Kind((address >> 80n) & 0xffff_ffffn);
  const [, , kind] = IPV6_RANGES.find(([network, bits]) => isInRange(address, parseIpv6(network), 128 - bits)) ?? [];
  return kind === "embeds-ipv4" ? ipv4Kind(address & 0xffff_ffffn) : (kind ?? "special");
}

function isInRange(address: bigint, network: bigint, hostBits: number): boolean {
  return address >> BigInt(hostBits) === network >> BigInt(hostBits);
}

function parseIpv4(text: string): bigint {
  return text.split(".").reduce((number, part) => (number << 8n) | BigInt(part), 0n);
}

function parseIpv6(text: string): bigint {
  // `URL` normalises the text to groups.
  const [left = "", right] = new URL(`http://[${text}]`).hostname.slice(1, -1).split("::");
  const before = groups(left);
  const after = groups(right ?? "");
  const zeros = Array.from({ length: 8 - before.length - after.length }, () => "0");
  return [...before, ...zeros, ...after].reduce((number, group) => (number << 16n) | BigInt(`0x${group}`), 0n);
}

function groups(text: string): string[] {
  return text === "" ? [] : text.split(":");
}
