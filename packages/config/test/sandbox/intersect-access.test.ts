import type { SandboxAccess } from "@plugboard/contracts";
import { exceedsLimit, intersectAccess } from "#sandbox/intersect-access.js";
import { array, assert, boolean, constantFrom, oneof, property, record, uniqueArray } from "fast-check";
import { describe, expect, it } from "vitest";

const NOTHING: SandboxAccess = { read: [], write: [], network: false };

describe("intersectAccess", () => {
  it.each<[string, Partial<SandboxAccess>, Partial<SandboxAccess>, Partial<SandboxAccess>]>([
    ["a folder inside of an allowed one", { write: ["/p/a"] }, { write: ["/p"] }, { write: ["/p/a"] }],
    ["the allowed folder inside of a wider one", { write: ["/"] }, { write: ["/p"] }, { write: ["/p"] }],
    ["a folder that may only be read", { write: ["/p/a"] }, { read: ["/p"] }, { read: ["/p/a"] }],
    ["no folder beside the allowed one", { read: ["/pp", "/q"] }, { read: ["/p"] }, {}],
    [
      "a folder to read inside of one to write",
      { write: ["/p"] },
      { write: ["/p"], read: ["/p/ro"] },
      { write: ["/p"], read: ["/p/ro"] },
    ],
    [
      "a request to write inside of a folder to read",
      { write: ["/p/ro/x"] },
      { write: ["/p"], read: ["/p/ro"] },
      { read: ["/p/ro/x"] },
    ],
    ["the narrower network", { network: true }, { network: ["a.com"] }, { network: ["a.com"] }],
    ["no network", { network: ["a.com"] }, { network: false }, { network: false }],
    [
      "hosts that both list",
      { network: ["a.com", "x.b.com", "c.com:443", "10.0.0.1"] },
      { network: ["A.com.", "*.b.com", "c.com", "*.0.0.1"] },
      { network: ["a.com", "x.b.com", "c.com:443", "A.com."] },
    ],
    ["no other port", { network: ["a.com"] }, { network: ["a.com:443"] }, { network: ["a.com:443"] }],
  ])("allows %s", (_, one, other, both) => {
    const [a, b] = [one, other].map((access) => ({ ...NOTHING, ...access })) as [SandboxAccess, SandboxAccess];
    expect(intersectAccess(a, b)).toEqual({ ...NOTHING, ...both });
  });

  const path = array(constantFrom("a", "b", "c"), { maxLength: 4 }).map((names) => `/${names.join("/")}`);
  const access = record({
    read: uniqueArray(path, { maxLength: 4 }),
    write: uniqueArray(path, { maxLength: 4 }),
    network: oneof(boolean(), uniqueArray(constantFrom("a.com", "*.a.com", "x.a.com", "a.com:1"))),
  });

  it("never allows more than one of the two, and is the same in both orders", () => {
    assert(
      property(access, access, (a, b) => {
        const both = intersectAccess(a, b);
        expect([exceedsLimit(both, a), exceedsLimit(both, b)]).toEqual([false, false]);
        const swapped = intersectAccess(b, a);
        expect(swapped.write.toSorted()).toEqual(both.write.toSorted());
        expect(swapped.read.toSorted()).toEqual(both.read.toSorted());
      }),
    );
  });

  it("keeps the whole access if it is within the limit", () => {
    assert(
      property(access, access, (a, limit) => {
        if (exceedsLimit(a, limit)) return;
        const both = intersectAccess(a, limit);
        expect(exceedsLimit(a, both)).toBe(false);
      }),
    );
  });
});
