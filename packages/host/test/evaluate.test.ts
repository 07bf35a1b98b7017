import { evaluate } from "#policy/evaluate.js";
import { parseRule } from "#policy/rule.js";
import type { Effect, Rule } from "#policy/rule.js";
import * as fc from "fast-check";
import { describe, expect, it } from "vitest";

const call = { server: "files", tool: "read_file" };

describe("without a rule", () => {
  it.each<[string, boolean, Effect]>([
    ["that is its own consent", true, "allow"],
    ["of anybody else", false, "ask"],
  ])("a call %s: %s → %s", (_, ownConsent, effect) => {
    expect(evaluate([], call, ownConsent)).toStrictEqual({ effect });
    expect(evaluate(rules("deny other:*", "deny files:write_*"), call, ownConsent)).toStrictEqual({ effect });
  });

  it("what a tool says of itself plays no role", () => {
    const harmless = { ...call, annotations: { readOnlyHint: true, destructiveHint: false } };
    expect(evaluate([], harmless, false).effect).toBe("ask");
  });
});

describe("the rule that decides", () => {
  it.each<[string, string[], string]>([
    ["is the only one that matches", ["allow files:read_*", "deny notes:*"], "allow files:read_*"],
    ["is a denial, whatever else matches", ["allow files:read_file", "deny *"], "deny *"],
    ["is a denial, also of one that asks", ["ask files:read_file", "deny *:read_*"], "deny *:read_*"],
    ["names the tool exactly", ["allow files:read_file", "ask files:read_fil*"], "allow files:read_file"],
    ["names the tool exactly on any server", ["allow *:read_file", "ask files:*"], "allow *:read_file"],
    ["fixes more of the tool", ["ask files:read_*", "allow *:*ead_file"], "allow *:*ead_file"],
    ["fixes more of the tool, before the server", ["allow *:read_*", "ask files:*"], "allow *:read_*"],
    ["names the server where tools are the same", ["ask *:read_*", "allow files:read_*"], "allow files:read_*"],
    ["fixes more of the server where neither names it", ["ask f*:*", "allow fil*:*"], "allow fil*:*"],
    ["names the server, before one that only fixes its letters", ["ask files*:*", "allow files:*"], "allow files:*"],
    ["is about a server, not about everything", ["ask *", "allow files:*"], "allow files:*"],
    ["asks on a tie", ["allow files:read_*", "ask files:*_file"], "ask files:*_file"],
    ["asks on a tie of the same words", ["allow files:*", "ask files:*"], "ask files:*"],
  ])("%s", (_, written, deciding) => {
    for (const order of [written, written.toReversed()]) {
      const { effect, rule } = evaluate(rules(...order), call, false);
      expect(`${effect} ${rule?.text}`).toBe(deciding);
      expect(rule?.effect).toBe(effect);
    }
  });

  it("asks even the person who typed the call, if that is what is written", () => {
    expect(evaluate(rules("ask files:*"), call, true).effect).toBe("ask");
    expect(evaluate(rules("deny files:*"), call, true).effect).toBe("deny");
  });

  it.each([true, false])("is the same whether the call is its own consent or not: %s", (ownConsent) => {
    expect(evaluate(rules("allow files:read_*", "ask *"), call, ownConsent)).toMatchObject({ effect: "allow" });
  });
});

describe("for any rules", () => {
  const rule = fc
    .tuple(
      fc.constantFrom<Effect[]>("allow", "ask", "deny"),
      fc.constantFrom("*", "files", "f*", "fil*", "notes", "*s"),
      fc.constantFrom("*", "read_file", "read_*", "*_file", "write_*", "r*e"),
    )
    .map(([effect, server, tool]) => `${effect} ${server}:${tool}`);
  const anyRules = fc.array(rule, { maxLength: 8 });

  it("the order in which they are written means nothing", () => {
    const shuffled = anyRules.chain((written) =>
      fc.tuple(fc.constant(written), fc.shuffledSubarray(written, { minLength: written.length })),
    );
    fc.assert(
      fc.property(shuffled, ([written, other]) => {
        expect(evaluate(rules(...other), call, false).effect).toBe(evaluate(rules(...written), call, false).effect);
      }),
    );
  });

  it("a denial that matches always denies, and nothing is denied without one", () => {
    fc.assert(
      fc.property(anyRules, (written) => {
        const parsed = rules(...written);
        const denied = parsed.some((one) => one.effect === "deny" && fits(one));
        expect(evaluate(parsed, call, false).effect === "deny").toBe(denied);
      }),
    );
  });

  it("those that do not match play no role", () => {
    fc.assert(
      fc.property(anyRules, (written) => {
        const parsed = rules(...written);
        expect(evaluate(parsed, call, false).effect).toBe(evaluate(parsed.filter(fits), call, false).effect);
      }),
    );
  });
});

function rules(...written: string[]): Rule[] {
  return written.map((line) => {
    const [effect, text] = line.split(" ") as [Effect, string];
    return parseRule(effect, text)!;
  });
}

function fits(rule: Rule): boolean {
  return rule.server.matches(call.server) && rule.tool.matches(call.tool);
}
