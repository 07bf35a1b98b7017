/** What is asked for. */
import { selectScope, stepUpScope } from "@plugboard/mcp/oauth";
import type { OAuthProvider } from "@plugboard/mcp/oauth";
import * as fc from "fast-check";
import { describe, expect, it } from "vitest";

function provider(resource?: readonly string[], server?: string[]): OAuthProvider {
  return {
    issuer: "https://as.example",
    metadata: { issuer: "https://as.example", ...(server && { scopes_supported: server }) },
    source: "metadata",
    ...(resource && { scopesSupported: resource }),
  };
}

describe("a scope", () => {
  const challenge = { scope: "challenged" };

  it.each([
    ["configured", { configured: "mine", challenge, provider: provider(["all"]) }, "mine"],
    ["what the challenge says", { challenge, provider: provider(["all"]) }, "challenged"],
    ["all that the resource has", { provider: provider(["a", "b"]) }, "a b"],
    ["not chosen", { provider: provider() }, undefined],
    ["not chosen from an empty list", { configured: "", provider: provider([]) }, undefined],
    ["each one once", { configured: " a  b a ", provider: provider() }, "a b"],
    ["with leave to stay", { challenge, provider: provider([], ["offline_access"]) }, "challenged offline_access"],
    ["not that leave alone", { provider: provider(undefined, ["offline_access"]) }, undefined],
    ["not what only the authorization server has", { provider: provider(undefined, ["a"]) }, undefined],
    ["what was granted and more", { challenge, granted: "a b", provider: provider(["c"]) }, "a b challenged"],
    ["no more than was granted, if nothing is demanded", { granted: "a", provider: provider(["a", "b"]) }, "a"],
    [
      "also more than was configured",
      { configured: "a", challenge, granted: "a", provider: provider() },
      "a challenged",
    ],
    ["without what is too long", { provider: provider(["a", "b".repeat(9000), "c"]) }, "a c"],
    ["without what is no scope", { challenge: { scope: 'a "b" c\u0007 d\\ é' }, provider: provider() }, "a"],
  ])("is %s", (_, sources, scope) => {
    expect(selectScope(sources)).toBe(scope);
  });
});

describe("a step up", () => {
  it.each([
    ["read", "write", "read write"],
    [undefined, "write", "write"],
    ["read write", "write", undefined],
    ["read", "read", undefined],
    ["read", undefined, undefined],
    [undefined, undefined, undefined],
    ["read", '"\u0000', undefined],
  ])("from %j to %j is %j", { meta: { covers: ["S12"] } }, (granted, wanted, union) => {
    expect(stepUpScope(granted, wanted)).toBe(union);
  });

  it("keeps all that was granted, and comes to an end", { meta: { covers: ["S12"] } }, () => {
    const scope = fc.array(fc.stringMatching(/^[a-z:.]{1,20}$/), { maxLength: 8 }).map((all) => all.join(" "));
    fc.assert(
      fc.property(scope, scope, (granted, wanted) => {
        const union = stepUpScope(granted, wanted);
        if (union === undefined) return;
        const all = union.split(" ");
        for (const one of `${granted} ${wanted}`.split(" ").filter(Boolean)) expect(all).toContain(one);
        expect(stepUpScope(union, wanted)).toBeUndefined();
      }),
    );
  });

  it("is bounded, however many a server demands one after the other", { meta: { covers: ["S12"] } }, () => {
    let granted: string | undefined;
    let steps = 0;
    for (let next = stepUpScope(undefined, "s0"); next !== undefined; next = stepUpScope(granted, `s${steps}`)) {
      granted = next;
      steps += 1;
      if (steps > 1000) break;
    }
    expect(steps).toBeLessThanOrEqual(200);
    expect(stepUpScope("a", "x".repeat(10_000))).toBeUndefined();
  });
});
