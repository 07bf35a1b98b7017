import { decide, isReadOnly } from "#policy/decide.js";
import { Policy } from "#policy/policy.js";
import { parseRule } from "#policy/rule.js";
import type { Effect, Rule } from "#policy/rule.js";
import type { JsonObject, ConfigSource } from "@plugboard/contracts";
import * as fc from "fast-check";
import { describe, expect, it } from "vitest";

const call = { server: "files", tool: "read_file" };
const others = { ownConsent: false };
const own = { ownConsent: true };

describe("without a rule", () => {
  it.each([
    ["that is its own consent", own, "allow"],
    ["of anybody else", others, "ask"],
    ["of anybody else to a tool that a trusted server calls harmless", { ownConsent: false, readOnly: true }, "allow"],
    ["of anybody else to a tool that is not harmless", { ownConsent: false, readOnly: false }, "ask"],
  ] as const)("a call %s", { meta: { covers: ["R2.137"] } }, (_, defaults, effect) => {
    expect(evaluate([], call, defaults)).toStrictEqual({ effect });
    expect(evaluate(rules("deny other:*", "deny files:write_*"), call, defaults)).toStrictEqual({ effect });
  });

  it("a tool of the host itself runs, unless a rule says otherwise", () => {
    const native = { server: "native", tool: "search_tools" };
    expect(evaluate([], native, others).effect).toBe("allow");
    expect(evaluate(rules("ask native:search_*"), native, others).effect).toBe("ask");
    expect(evaluate(rules("deny *"), native, others).effect).toBe("deny");
  });
});

describe("a tool is harmless", { meta: { covers: ["S20"] } }, () => {
  it.each([
    ["if its server is trusted to say so", true, { readOnlyHint: true }, true],
    ["if it also says that it destroys nothing", true, { readOnlyHint: true, destructiveHint: false }, true],
    ["not if it contradicts itself", true, { readOnlyHint: true, destructiveHint: true }, false],
    ["not if it only destroys nothing", true, { destructiveHint: false }, false],
    ["not if it says nothing", true, undefined, false],
    ["not on the word of any other server", false, { readOnlyHint: true, destructiveHint: false }, false],
  ])("%s", (_, trusted, annotations, harmless) => {
    expect(isReadOnly(trusted, annotations)).toBe(harmless);
  });

  it("though it is called delete_all, on nobody's word but a trusted server's", () => {
    const deleteAll = { server: "files", tool: "delete_all" };
    const annotations = { readOnlyHint: true };
    const defaults = (trusted: boolean) => ({ ownConsent: false, readOnly: isReadOnly(trusted, annotations) });
    expect(evaluate([], deleteAll, defaults(false)).effect).toBe("ask");
    expect(evaluate([], deleteAll, defaults(true)).effect).toBe("allow");
    expect(evaluate(rules("ask files:*"), deleteAll, defaults(true)).effect).toBe("ask");
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
    ["looks at the arguments", ["ask files:read_file", "allow *:*(path=/a/*)"], "allow *:*(path=/a/*)"],
    ["looks at more of them", ["ask files:*(path=/a/b)", "allow *:*(path=*,n=1)"], "allow *:*(path=*,n=1)"],
    ["names an argument exactly", ["ask *:*(path=/a/b*)", "allow *:*(path=/a/b)"], "allow *:*(path=/a/b)"],
    ["fixes more of an argument", ["ask *:read_file(path=/*)", "allow *:*(path=/a*)"], "allow *:*(path=/a*)"],
    [
      "names the tool where arguments are the same",
      ["ask *:*(n=1)", "allow *:read_file(n=1)"],
      "allow *:read_file(n=1)",
    ],
    ["asks on a tie of arguments", ["allow *:*(path=/a*)", "ask *:*(path=*/b)"], "ask *:*(path=*/b)"],
    ["is a denial by arguments", ["allow files:read_file(path=/a/b)", "deny *:*(n=*)"], "deny *:*(n=*)"],
    ["is a denial of anything, before one by arguments", ["deny *:*(n=1)", "deny *"], "deny *"],
    ["does not look at other arguments", ["allow files:*", "ask files:*(path=/b/*)"], "allow files:*"],
  ])("%s", (_, written, deciding) => {
    const withArguments = { ...call, arguments: { path: "/a/b", n: 1 } };
    for (const order of [written, written.toReversed()]) {
      const { effect, rule } = evaluate(rules(...order), withArguments, others);
      expect(`${effect} ${rule?.text}`).toBe(deciding);
      expect(rule?.effect).toBe(effect);
    }
  });

  it("asks even the person who typed the call, if that is what is written", () => {
    expect(evaluate(rules("ask files:*"), call, own).effect).toBe("ask");
    expect(evaluate(rules("deny files:*"), call, own).effect).toBe("deny");
  });

  it.each([true, false])("is the same whether the call is its own consent or not: %s", (ownConsent) => {
    expect(evaluate(rules("allow files:read_*", "ask *"), call, { ownConsent })).toMatchObject({ effect: "allow" });
  });

  it.each<[ConfigSource, Effect]>([
    ["project", "ask"],
    ["local", "ask"],
    ["user", "allow"],
    ["managed", "allow"],
    ["invocation", "allow"],
  ])("is not an allowance that came with a project: from %s → %s", { meta: { covers: ["A1"] } }, (source, effect) => {
    expect(evaluate([parseRule("allow", "files:*", source)!], call, others).effect).toBe(effect);
    expect(evaluate([parseRule("deny", "files:*", source)!], call, own).effect).toBe("deny");
    expect(evaluate([parseRule("ask", "files:*", source)!], call, own).effect).toBe("ask");
  });
});

describe("a tool is hidden", () => {
  it.each<[string, string[], boolean]>([
    ["if it is denied whatever its arguments", ["allow files:read_file", "deny files:*"], true],
    ["not if only some arguments are denied", ["deny files:*(path=*)"], false],
    ["if some arguments, and then all, are denied", ["deny files:*(path=*)", "deny *"], true],
    ["not if it is asked for", ["ask *"], false],
    ["not if another is denied", ["deny files:write_*"], false],
  ])("%s", (_, written, hidden) => {
    expect(new Policy(rules(...written)).isAlwaysDenied(call)).toBe(hidden);
  });
});

describe("for any rules", () => {
  const server = fc.constantFrom("*", "files", "f*", "fil*", "notes", "*s");
  const tool = fc.constantFrom("*", "read_file", "read_*", "*_file", "write_*", "r*e");
  const argument = fc.constantFrom("a=1", "a=*", "b.c=x*", "b.c=xy", "b=*", "d=../*");
  const written = fc
    .tuple(fc.constantFrom<Effect[]>("allow", "ask", "deny"), server, tool, fc.array(argument, { maxLength: 2 }))
    .map(([effect, s, t, args]) => `${effect} ${s}:${t}${args.length ? `(${args.join(",")})` : ""}`);
  const anyRules = fc.array(written, { maxLength: 8 }).map((lines) => rules(...lines));
  const value = fc.oneof(
    fc.constantFrom<(string | number | boolean | null)[]>(1, "1", "x", "xy", true, null, "../x", "../../x"),
    fc.array(fc.constantFrom("xy", 1)),
    fc.record({ c: fc.constantFrom("x", "xy", "z") }),
  );
  const anyArguments = fc.dictionary(fc.constantFrom("a", "b", "d"), value) as fc.Arbitrary<JsonObject>;
  const anyCall = anyArguments.map((args) => ({ ...call, arguments: args }));
  const strictness = { allow: 0, ask: 1, deny: 2 };

  it("the order in which they are written means nothing", () => {
    const shuffled = anyRules.chain((all) =>
      fc.tuple(fc.constant(all), fc.shuffledSubarray(all, { minLength: all.length })),
    );
    fc.assert(
      fc.property(shuffled, anyCall, ([all, other], made) => {
        expect(evaluate(other, made, others).effect).toBe(evaluate(all, made, others).effect);
      }),
    );
  });

  it("a denial that matches always denies, and nothing is denied without one", () => {
    fc.assert(
      fc.property(anyRules, anyCall, (all, made) => {
        const denied = all.some((rule) => rule.effect === "deny" && fits(rule, made));
        expect(evaluate(all, made, others).effect === "deny").toBe(denied);
      }),
    );
  });

  it("one more denial never permits more", () => {
    const denial = written.map((line) => rules(line.replace(/^\w+/, "deny"))[0]!);
    fc.assert(
      fc.property(anyRules, denial, anyCall, (all, more, made) => {
        const [before, after] = [evaluate(all, made, others).effect, evaluate([...all, more], made, others).effect];
        expect(strictness[after]).toBeGreaterThanOrEqual(strictness[before]);
      }),
    );
  });

  it("those that do not match play no role", () => {
    fc.assert(
      fc.property(anyRules, anyCall, (all, made) => {
        const matching = all.filter((rule) => fits(rule, made));
        expect(evaluate(all, made, others).effect).toBe(evaluate(matching, made, others).effect);
      }),
    );
  });

  it("one of the same words that asks or denies matches whatever one that allows does", () => {
    fc.assert(
      fc.property(anyRules, anyCall, (all, made) => {
        for (const rule of all) {
          const allows = { ...rule, effect: "allow" } as const;
          if (fits(allows, made)) expect(fits({ ...rule, effect: "deny" }, made)).toBe(true);
        }
      }),
    );
  });

  it("a policy decides every call as if it were its first", () => {
    fc.assert(
      fc.property(anyRules, fc.array(anyCall), (all, made) => {
        const policy = new Policy(all);
        for (const one of made) expect(decide(policy, { ...one, ...others })).toStrictEqual(evaluate(all, one, others));
      }),
    );
  });
});

it("a policy looks for the rules of a tool once, and forgets when too many tools are named", () => {
  let asked = 0;
  const [rule] = rules("ask files:*");
  const counting: Rule = { ...rule!, server: { ...rule!.server, matches: () => (asked++, true) } };
  const policy = new Policy([counting]);
  for (let times = 0; times < 5; times++) decide(policy, { ...call, ...others });
  expect(asked).toBe(1);
  for (let made = 0; made < 100_000; made++) decide(policy, { server: "files", tool: `t${made}`, ...others });
  expect(asked).toBe(100_001);
  expect(decide(policy, { ...call, ...others }).effect).toBe("ask");
  expect(asked).toBe(100_002);
});

function evaluate(
  all: readonly Rule[],
  made: { server: string; tool: string; arguments?: JsonObject },
  defaults: { ownConsent: boolean; readOnly?: boolean },
) {
  return decide(new Policy(all), { ...made, ...defaults });
}

function rules(...written: string[]): Rule[] {
  return written.map((line) => {
    const [effect, text] = [line.slice(0, line.indexOf(" ")), line.slice(line.indexOf(" ") + 1)] as [Effect, string];
    return parseRule(effect, text)!;
  });
}

/** Alone, a rule decides if it matches. */
function fits(rule: Rule, made: { server: string; tool: string; arguments: JsonObject }): boolean {
  return evaluate([rule], made, others).rule !== undefined;
}
