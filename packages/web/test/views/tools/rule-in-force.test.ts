import type { PermissionRule } from "@plugboard/contracts";
import { ruleInForce } from "#views/tools/rule-in-force.js";
import { describe, expect, it } from "vitest";

const rule = (effect: PermissionRule["effect"], text: string, source: PermissionRule["source"]): PermissionRule => ({
  effect,
  rule: text,
  source,
  file: `${source}.json`,
});

describe("ruleInForce", () => {
  it("is the first rule, unless another rule denies the tool", () => {
    const [ask, allow, deny] = [
      rule("ask", "s:e", "project"),
      rule("allow", "s:e", "user"),
      rule("deny", "s:*", "user"),
    ];
    expect(ruleInForce([ask, allow])).toBe(ask);
    expect(ruleInForce([allow, deny])).toBe(deny);
    expect(ruleInForce([])).toBeUndefined();
  });

  it("is neither a rule about arguments nor a rule of a project that allows the tool", () => {
    expect(ruleInForce([rule("deny", "s:e(path=/x)", "user"), rule("allow", "s:e", "project")])).toBeUndefined();
  });
});
