import { networkInterfaces } from "node:os";
import { isListed, isLocalAddress } from "#sandbox/allowed-hosts.js";
import { expect, it } from "vitest";

it.for([
  [["example.com"], "example.com", true],
  [["example.com"], "EXAMPLE.com.", true],
  [["example.com"], "sub.example.com", false],
  [["example.com"], "example.com.evil.net", false],
  [["example.com"], "notexample.com", false],
  [["*.example.com"], "sub.example.com", true],
  [["*.example.com"], "example.com", false],
  [["*.example.com"], "evilexample.com", false],
  [["example.com:443"], "example.com", true],
  [["example.com:8443"], "example.com", false],
  [["127.0.0.1"], "127.0.0.1", true],
  [["[::1]:443"], "[::1]", true],
  [["*.0.0.1"], "127.0.0.1", false],
  [["example.com"], "93.184.216.34", false],
  [[], "example.com", false],
] as const)("isListed(%j, %j) with port 443 returns %j", ([hosts, host, listed]) => {
  expect(isListed(hosts, host, 443)).toBe(listed);
});

it("isLocalAddress recognizes loopback, link-local and the machine's own addresses in all spellings", () => {
  const own = Object.values(networkInterfaces()).flatMap((found) => found!.map(({ address }) => address));
  const local = ["127.0.0.1", "127.9.9.9", "0.0.0.0", "169.254.169.254", "::1", "::", "fe80::1", "::ffff:127.0.0.1"];
  for (const address of [...local, "::ffff:7f00:1", ...own])
    expect([address, isLocalAddress(address)]).toEqual([address, true]);
  for (const address of ["93.184.216.34", "10.1.2.3", "2606:2800::1"])
    expect([address, isLocalAddress(address)]).toEqual([address, false]);
});
