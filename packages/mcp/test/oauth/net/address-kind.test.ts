/** Tests the classification of addresses in all spellings. */
import { addressKind, hostnameKind } from "#oauth/net/address-kind.js";
import type { AddressKind } from "#oauth/net/address-kind.js";
import * as fc from "fast-check";
import { describe, expect, it } from "vitest";

describe("addressKind", { meta: { covers: ["S14"] } }, () => {
  it.each<[AddressKind, ...string[]]>([
    ["public", "1.1.1.1", "9.255.255.255", "11.0.0.0", "100.63.255.255", "100.128.0.0", "126.255.255.255", "128.0.0.0"],
    ["public", "169.253.255.255", "169.255.0.0", "172.15.255.255", "172.32.0.0", "192.167.0.1", "192.169.0.0"],
    [
      "public",
      "198.17.255.255",
      "198.20.0.0",
      "223.255.255.255",
      "2600::1",
      "2a00:1450:4001::1",
      "2001:4860:4860::8888",
    ],
    ["public", "::ffff:1.1.1.1", "64:ff9b::101:101", "2002:101:101::1"],
    ["private", "10.0.0.0", "10.255.255.255", "172.16.0.0", "172.31.255.255", "192.168.0.0", "192.168.255.255"],
    ["private", "100.64.0.0", "100.127.255.255", "fc00::", "fd12:3456::1", "fdff:ffff::1", "fec0::1"],
    ["private", "::ffff:10.0.0.5", "64:ff9b::a00:5", "2002:a00:5::1", "::ffff:0:10.0.0.5"],
    ["loopback", "127.0.0.0", "127.0.0.1", "127.255.255.255", "::1", "0:0:0:0:0:0:0:1", "::ffff:127.0.0.1"],
    ["loopback", "::ffff:7f00:1", "64:ff9b::7f00:1", "2002:7f00:1::", "::ffff:0:7f00:1"],
    ["link-local", "169.254.0.0", "169.254.169.254", "169.254.255.255", "fe80::1", "fe80::1%eth0", "febf::1"],
    ["link-local", "::ffff:169.254.169.254", "64:ff9b::a9fe:a9fe", "2002:a9fe:a9fe::"],
    ["link-local", "100.100.100.200", "168.63.129.16", "fd00:ec2::254"],
    ["special", "0.0.0.0", "0.255.255.255", "::", "::127.0.0.1", "::1.1.1.1", "::ffff:0.0.0.0"],
    ["special", "192.0.0.1", "192.0.2.1", "192.88.99.1", "198.18.0.1", "198.19.255.255", "198.51.100.1", "203.0.113.1"],
    ["special", "224.0.0.1", "239.255.255.255", "240.0.0.1", "255.255.255.255", "ff02::1", "2001:db8::1", "3fff::1"],
    ["special", "2001::1", "2001:2::1", "2001:1ff::1", "100::1", "64:ff9b:1::1", "5f00::1", "4000::1", "nonsense", ""],
  ])("returns %s for %s", (kind, ...addresses) => {
    for (const address of addresses) expect([address, addressKind(address)]).toEqual([address, kind]);
  });

  const bytes = fc.tuple(fc.nat(255), fc.nat(255), fc.nat(255), fc.nat(255));

  it("returns the kind of the IPv4 address that an IPv6 address contains", () => {
    fc.assert(
      fc.property(bytes, (parts) => {
        const [a, b, c, d] = parts;
        const hex = [(a << 8) | b, (c << 8) | d].map((group) => group.toString(16)).join(":");
        const kind = addressKind(parts.join("."));
        for (const wrapped of [`::ffff:${hex}`, `::ffff:${parts.join(".")}`, `64:ff9b::${hex}`, `2002:${hex}::1`]) {
          expect([wrapped, addressKind(wrapped)]).toEqual([wrapped, kind]);
        }
      }),
    );
  });

  it("returns the same kind for each spelling of an address in a URL", () => {
    fc.assert(
      fc.property(bytes, (parts) => {
        const [a, b, c, d] = parts;
        const number = ((a * 256 + b) * 256 + c) * 256 + d;
        const octal = parts.map((part) => `0${part.toString(8)}`).join(".");
        const hex = `0x${number.toString(16)}`;
        const mixed = `${a}.0x${((b << 16) | (c << 8) | d).toString(16)}`;
        const dotted = parts.join(".");
        for (const spelled of [dotted, `${dotted}.`, String(number), hex, octal, mixed, `[::ffff:${dotted}]`]) {
          expect([spelled, hostnameKind(new URL(`http://${spelled}/`).hostname)]).toEqual([
            spelled,
            addressKind(dotted),
          ]);
        }
      }),
    );
  });

  it('returns "public" in IPv6 only for allocated ranges', () => {
    const groups = fc.array(fc.nat(0xffff), { minLength: 8, maxLength: 8 });
    fc.assert(
      fc.property(groups, (parts) => {
        const address = parts.map((part) => part.toString(16)).join(":");
        const givenOut = parts[0]! >> 13 === 1;
        const embeds = address.startsWith("64:ff9b:0:0:0:0:") || address.startsWith("0:0:0:0:");
        if (!givenOut && !embeds) expect([address, addressKind(address)]).not.toEqual([address, "public"]);
      }),
    );
  });
});

describe("hostnameKind", { meta: { covers: ["S14"] } }, () => {
  it.each<[string, AddressKind | undefined]>([
    ["localhost", "loopback"],
    ["localhost.", "loopback"],
    ["LOCALHOST", "loopback"],
    ["a.localhost", "loopback"],
    ["a.b.localhost.", "loopback"],
    ["127.0.0.1", "loopback"],
    ["127.0.0.1.", "loopback"],
    ["[::1]", "loopback"],
    ["[::ffff:7f00:1]", "loopback"],
    ["[fe80::1]", "link-local"],
    ["10.0.0.5", "private"],
    ["1.1.1.1", "public"],
    ["localhost.example", undefined],
    ["notlocalhost", undefined],
    ["127.0.0.1.example", undefined],
    ["example", undefined],
  ])("for %s returns %s", (host, kind) => {
    expect(hostnameKind(host)).toBe(kind);
  });
});
