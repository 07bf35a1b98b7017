/** Tests which scopes a login requests. */
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

describe("selectScope", () => {
  const challenge = { scope: "challenged" };

  it.each([
    ["the configured scope", { configured: "mine", challenge, provider: provider(["all"]) }, "mine"],
    ["the scope of the challenge", { challenge, provider: provider(["all"]) }, "challenged"],
    ["all scopes of the resource", { provider: provider(["a", "b"]) }, "a b"],
    ["undefined without any source", { provider: provider() }, undefined],
    ["undefined for an empty list", { configured: "", provider: provider([]) }, undefined],
    ["each scope once", { configured: " a  b a ", provider: provider() }, "a b"],
    [
      "offline_access too if the server supports it",
      { challenge, provider: provider([], ["offline_access"]) },
      "challenged offline_access",
    ],
    ["undefined instead of offline_access alone", { provider: provider(undefined, ["offline_access"]) }, undefined],
    ["undefined if only the authorization server lists scopes", { provider: provider(undefined, ["a"]) }, undefined],
    [
      "the granted scopes and the scope of the challenge",
      { challenge, granted: "a b", provider: provider(["c"]) },
      "a b challenged",
    ],
    ["only the granted scopes without a challenge", { granted: "a", provider: provider(["a", "b"]) }, "a"],
    [
      "the scope of the challenge beside the configured one",
      { configured: "a", challenge, granted: "a", provider: provider() },
      "a challenged",
    ],
    ["the scopes without one that is too long", { provider: provider(["a", "b".repeat(9000), "c"]) }, "a c"],
    ["only valid scope names", { challenge: { scope: 'a "b" c\u0007 d\\ é' }, provider: provider() }, "a"],
  ])("returns %s", (_, sources, scope) => {
    expect(selectScope(sources)).toBe(scope);
  });
});

describe("stepUpScope", () => {
  it.each([
    ["read", "write", "read write"],
    [undefined, "write", "write"],
    ["read write", "write", undefined],
    ["read", "read", undefined],
    ["read", undefined, undefined],
    [undefined, undefined, undefined],
    ["read", '"\u0000', undefined],
  ])(
    "with the granted scope %j and the needed scope %j returns %j",
    { meta: { covers: ["S12"] } },
    (granted, needed, union) => {
      expect(stepUpScope(granted, needed)).toBe(union);
    },
  );

  it(
    "returns all granted and needed scopes, and undefined once they are granted",
    { meta: { covers: ["S12"] } },
    () => {
      const scope = fc.array(fc.stringMatching(/^[a-z:.]{1,20}$/), { maxLength: 8 }).map((names) => names.join(" "));
      fc.assert(
        fc.property(scope, scope, (granted, needed) => {
          const union = stepUpScope(granted, needed);
          if (union === undefined) return;
          const scopes = union.split(" ");
          for (const name of `${granted} ${needed}`.split(" ").filter(Boolean)) expect(scopes).toContain(name);
          expect(stepUpScope(union, needed)).toBeUndefined();
        }),
      );
    },
  );

  it(
    "returns undefined at the limit if a server asks for one scope after another",
    { meta: { covers: ["S12"] } },
    () => {
      let granted: string | undefined;
      let steps = 0;
      for (let next = stepUpScope(undefined, "s0"); next !== undefined; next = stepUpScope(granted, `s${steps}`)) {
        granted = next;
        steps += 1;
        if (steps > 1000) break;
      }
      expect(steps).toBeLessThanOrEqual(200);
      expect(stepUpScope("a", "x".repeat(10_000))).toBeUndefined();
    },
  );
});
