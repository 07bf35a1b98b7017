import { decide, isReadOnly } from "#policy/decide.js";
import type { CallToDecide } from "#policy/decide.js";
import { Policy } from "#policy/policy.js";
import { parseRule } from "@plugboard/config";
import type { Effect, Rule } from "@plugboard/config";
import type { JsonObject, ConfigSource } from "@plugboard/contracts";
import * as fc from "fast-check";
import { describe, expect, it } from "vitest";

const call = { server: "files", tool: "read_file" };
/** The user does not make the call, so it implies no permission. */
const others = { impliesPermission: false };
/** The user makes the call, which implies permission. */
const own = { impliesPermission: true };

describe("decide", () => {
  describe("without a matching rule", () => {
    it.each([
      ["allows a call that implies permission", own, "allow"],
      ["asks about a call that does not imply permission", others, "ask"],
      ["allows a call to a read-only tool", { impliesPermission: false, readOnly: true }, "allow"],
      ["asks about a call to a tool that is not read-only", { impliesPermission: false, readOnly: false }, "ask"],
    ] as const)("%s", { meta: { covers: ["R2.137"] } }, (_, defaults, effect) => {
      expect(evaluate([], call, defaults)).toStrictEqual({ effect });
      expect(evaluate(rules("deny other:*", "deny files:write_*"), call, defaults)).toStrictEqual({ effect });
    });

    it("allows a native tool that does not ask, unless a rule says otherwise", () => {
      const native = { server: "native", tool: "search_tools" };
      const runs = { ...others, native: true };
      expect(evaluate([], native, runs).effect).toBe("allow");
      expect(evaluate([], native, others).effect).toBe("ask");
      expect(evaluate(rules("ask native:search_*"), native, runs).effect).toBe("ask");
      expect(evaluate(rules("deny *"), native, runs).effect).toBe("deny");
    });
  });

  describe("about a request of a native tool to a server", () => {
    const request = { server: "docs", method: "resources/read" };
    const native = { server: "native", tool: "mcp_resource_read" };

    it.each<[string, string[], string]>([
      ["asks without a rule", [], "ask"],
      ["allows it by a rule for all tools of the server", ["allow docs:*"], "allow"],
      ["asks if the rule is for some tools of the server", ["allow docs:read_*"], "ask"],
      ["asks if the rule is for all tools with some arguments", ["allow docs:*(uri=*)"], "ask"],
      ["asks if the rule is for another server", ["allow other:*"], "ask"],
      ["allows it by a rule for the tool", ["allow native:mcp_resource_read"], "allow"],
      ["allows it by a rule for the tool and the server", ["allow native:mcp_*(server=docs)"], "allow"],
      ["asks if the rule for the tool names another server", ["allow native:mcp_*(server=other)"], "ask"],
      ["prefers a rule that names the tool", ["ask docs:*", "allow native:mcp_resource_read"], "allow"],
      ["prefers a rule that names the tool, even if it asks", ["allow docs:*", "ask native:mcp_resource_read"], "ask"],
      [
        "asks if the rule for the server asks and the rule for all native tools allows",
        ["ask docs:*", "allow native:*"],
        "ask",
      ],
      [
        "asks if the rule for the server allows and the rule for all native tools asks",
        ["allow docs:*", "ask native:*"],
        "ask",
      ],
      ["prefers a rule for the server to one for all servers", ["ask *", "allow docs:*"], "allow"],
      ["prefers a rule for the server, even if it asks", ["allow *", "ask docs:*"], "ask"],
      ["allows it by a rule for everything", ["allow *"], "allow"],
      ["allows it by a rule for all native tools", ["allow native:*"], "allow"],
      ["denies it if all tools of the server are denied", ["deny docs:*", "allow native:mcp_resource_read"], "deny"],
      ["denies it if the native tool is denied", ["allow docs:*", "deny native:mcp_resource_read"], "deny"],
      ["denies it if the arguments are denied", ["allow docs:*", "deny native:*(uri=note:*)"], "deny"],
    ])("%s", (_, texts, effect) => {
      const args = { server: "docs", uri: "note:1" };
      expect(evaluate(rules(...texts), { ...native, arguments: args, request }, others).effect).toBe(effect);
    });

    it("ignores an allow rule of a project's file", () => {
      const ofProject = [parseRule("allow", "docs:*", "project")!];
      expect(evaluate(ofProject, { ...native, request }, others).effect).toBe("ask");
    });
  });

  describe("isReadOnly", { meta: { covers: ["S20"] } }, () => {
    it.each([
      ["returns true for a read-only tool of a trusted server", true, { readOnlyHint: true }, true],
      [
        "returns true for a read-only and non-destructive tool",
        true,
        { readOnlyHint: true, destructiveHint: false },
        true,
      ],
      [
        "returns false for a tool that is read-only and destructive",
        true,
        { readOnlyHint: true, destructiveHint: true },
        false,
      ],
      ["returns false for a tool that is only non-destructive", true, { destructiveHint: false }, false],
      ["returns false without annotations", true, undefined, false],
      [
        "returns false for a server whose annotations are not trusted",
        false,
        { readOnlyHint: true, destructiveHint: false },
        false,
      ],
    ])("%s", (_, trusted, annotations, readOnly) => {
      expect(isReadOnly(trusted, annotations)).toBe(readOnly);
    });

    it("decides for a tool of any name, but only if its annotations are trusted", () => {
      const deleteAll = { server: "files", tool: "delete_all" };
      const annotations = { readOnlyHint: true };
      const defaults = (trusted: boolean) => ({ impliesPermission: false, readOnly: isReadOnly(trusted, annotations) });
      expect(evaluate([], deleteAll, defaults(false)).effect).toBe("ask");
      expect(evaluate([], deleteAll, defaults(true)).effect).toBe("allow");
      expect(evaluate(rules("ask files:*"), deleteAll, defaults(true)).effect).toBe("ask");
    });
  });

  describe("deciding rule", () => {
    it.each<[string, string[], string]>([
      ["is the only one that matches", ["allow files:read_*", "deny notes:*"], "allow files:read_*"],
      ["is a denial, whatever other rules match", ["allow files:read_file", "deny *"], "deny *"],
      ["is a denial rather than an ask rule", ["ask files:read_file", "deny *:read_*"], "deny *:read_*"],
      ["is the one with the exact tool", ["allow files:read_file", "ask files:read_fil*"], "allow files:read_file"],
      ["is the one with the exact tool on any server", ["allow *:read_file", "ask files:*"], "allow *:read_file"],
      ["is the one with the longer tool pattern", ["ask files:read_*", "allow *:*ead_file"], "allow *:*ead_file"],
      [
        "is the one with the longer tool pattern, whatever the server",
        ["allow *:read_*", "ask files:*"],
        "allow *:read_*",
      ],
      [
        "is the one with the exact server if the tool patterns are equal",
        ["ask *:read_*", "allow files:read_*"],
        "allow files:read_*",
      ],
      ["is the one with the longer server pattern", ["ask f*:*", "allow fil*:*"], "allow fil*:*"],
      [
        "is the one with the exact server rather than a longer pattern",
        ["ask files*:*", "allow files:*"],
        "allow files:*",
      ],
      ["is the one for the server rather than `*`", ["ask *", "allow files:*"], "allow files:*"],
      ["is the ask rule on a tie", ["allow files:read_*", "ask files:*_file"], "ask files:*_file"],
      ["is the ask rule for two equal patterns", ["allow files:*", "ask files:*"], "ask files:*"],
      ["is the one with an argument pattern", ["ask files:read_file", "allow *:*(path=/a/*)"], "allow *:*(path=/a/*)"],
      [
        "is the one with more argument patterns",
        ["ask files:*(path=/a/b)", "allow *:*(path=*,n=1)"],
        "allow *:*(path=*,n=1)",
      ],
      ["is the one with the exact argument", ["ask *:*(path=/a/b*)", "allow *:*(path=/a/b)"], "allow *:*(path=/a/b)"],
      [
        "is the one with the longer argument pattern",
        ["ask *:read_file(path=/*)", "allow *:*(path=/a*)"],
        "allow *:*(path=/a*)",
      ],
      [
        "is the one with the exact tool if the argument patterns are equal",
        ["ask *:*(n=1)", "allow *:read_file(n=1)"],
        "allow *:read_file(n=1)",
      ],
      ["is the ask rule on a tie of arguments", ["allow *:*(path=/a*)", "ask *:*(path=*/b)"], "ask *:*(path=*/b)"],
      ["is a denial with argument patterns", ["allow files:read_file(path=/a/b)", "deny *:*(n=*)"], "deny *:*(n=*)"],
      ["is a general denial rather than one with argument patterns", ["deny *:*(n=1)", "deny *"], "deny *"],
      ["is not one whose argument patterns don't match", ["allow files:*", "ask files:*(path=/b/*)"], "allow files:*"],
    ])("%s", (_, written, deciding) => {
      const withArguments = { ...call, arguments: { path: "/a/b", n: 1 } };
      for (const order of [written, written.toReversed()]) {
        const { effect, rule } = evaluate(rules(...order), withArguments, others);
        expect(`${effect} ${rule?.text}`).toBe(deciding);
        expect(rule?.effect).toBe(effect);
      }
    });

    it("asks or denies even a call that implies permission", () => {
      expect(evaluate(rules("ask files:*"), call, own).effect).toBe("ask");
      expect(evaluate(rules("deny files:*"), call, own).effect).toBe("deny");
    });

    it.each([true, false])(
      "can be an allow rule whether the call implies permission or not (impliesPermission: %s)",
      (impliesPermission) => {
        expect(evaluate(rules("allow files:read_*", "ask *"), call, { impliesPermission })).toMatchObject({
          effect: "allow",
        });
      },
    );

    it.each<[ConfigSource, Effect]>([
      ["project", "ask"],
      ["local", "ask"],
      ["user", "allow"],
      ["managed", "allow"],
      ["invocation", "allow"],
    ])(
      "is never an allow rule of a project: an allow rule from source %s leads to %s",
      { meta: { covers: ["A1"] } },
      (source, effect) => {
        expect(evaluate([parseRule("allow", "files:*", source)!], call, others).effect).toBe(effect);
        expect(evaluate([parseRule("deny", "files:*", source)!], call, own).effect).toBe("deny");
        expect(evaluate([parseRule("ask", "files:*", source)!], call, own).effect).toBe("ask");
      },
    );
  });

  describe("Policy.isAlwaysDenied", () => {
    it.each<[string, string[], boolean]>([
      ["returns true if the tool is denied for any arguments", ["allow files:read_file", "deny files:*"], true],
      ["returns false if only some arguments are denied", ["deny files:*(path=*)"], false],
      ["returns true if another rule denies any arguments", ["deny files:*(path=*)", "deny *"], true],
      ["returns false for an ask rule", ["ask *"], false],
      ["returns false if another tool is denied", ["deny files:write_*"], false],
    ])("%s", (_, written, hidden) => {
      expect(new Policy(rules(...written)).isAlwaysDenied(call)).toBe(hidden);
    });
  });

  describe("for generated rules", () => {
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

    it("decides the same in any order of the rules", () => {
      const shuffled = anyRules.chain((all) =>
        fc.tuple(fc.constant(all), fc.shuffledSubarray(all, { minLength: all.length })),
      );
      fc.assert(
        fc.property(shuffled, anyCall, ([all, other], made) => {
          expect(evaluate(other, made, others).effect).toBe(evaluate(all, made, others).effect);
        }),
      );
    });

    it("denies exactly the calls that a deny rule matches", () => {
      fc.assert(
        fc.property(anyRules, anyCall, (all, made) => {
          const denied = all.some((rule) => rule.effect === "deny" && fits(rule, made));
          expect(evaluate(all, made, others).effect === "deny").toBe(denied);
        }),
      );
    });

    it("is never less strict with an additional deny rule", () => {
      const denial = written.map((line) => rules(line.replace(/^\w+/, "deny"))[0]!);
      fc.assert(
        fc.property(anyRules, denial, anyCall, (all, more, made) => {
          const [before, after] = [evaluate(all, made, others).effect, evaluate([...all, more], made, others).effect];
          expect(strictness[after]).toBeGreaterThanOrEqual(strictness[before]);
        }),
      );
    });

    it("ignores rules that don't match", () => {
      fc.assert(
        fc.property(anyRules, anyCall, (all, made) => {
          const matching = all.filter((rule) => fits(rule, made));
          expect(evaluate(all, made, others).effect).toBe(evaluate(matching, made, others).effect);
        }),
      );
    });

    it("matches at least as many calls with a deny rule as with an allow rule of the same text", () => {
      fc.assert(
        fc.property(anyRules, anyCall, (all, made) => {
          for (const rule of all) {
            const allows = { ...rule, effect: "allow" } as const;
            if (fits(allows, made)) expect(fits({ ...rule, effect: "deny" }, made)).toBe(true);
          }
        }),
      );
    });

    it("gives the same result with cached rules", () => {
      fc.assert(
        fc.property(anyRules, fc.array(anyCall), (all, made) => {
          const policy = new Policy(all);
          for (const one of made)
            expect(decide(policy, { ...one, ...others })).toStrictEqual(evaluate(all, one, others));
        }),
      );
    });
  });

  it("Policy caches the rules of each tool, and clears the cache after 100 000 tools", () => {
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
});

function evaluate(
  all: readonly Rule[],
  made: Pick<CallToDecide, "server" | "tool" | "arguments" | "request">,
  defaults: { impliesPermission: boolean; readOnly?: boolean; native?: boolean },
) {
  return decide(new Policy(all), { ...made, ...defaults });
}

function rules(...written: string[]): Rule[] {
  return written.map((line) => {
    const [effect, text] = [line.slice(0, line.indexOf(" ")), line.slice(line.indexOf(" ") + 1)] as [Effect, string];
    return parseRule(effect, text)!;
  });
}

/** Returns whether the rule matches the call: as the only rule, it decides about the call. */
function fits(rule: Rule, made: { server: string; tool: string; arguments: JsonObject }): boolean {
  return evaluate([rule], made, others).rule !== undefined;
}
