/** Checks the examples of permission rules in the docs. */
import { readFileSync } from "node:fs";
import { decide } from "#policy/decide.js";
import { requestTo } from "#tools/native-result.js";
import { Policy } from "#policy/policy.js";
import { parseRule } from "@plugboard/config";
import type { Effect } from "@plugboard/config";
import type { JsonObject } from "@plugboard/contracts";
import { expect, it } from "vitest";

it.each(["config.md", "native-tools.md"])(
  "docs/%s gives the correct result for each example of rules and a call",
  (name) => {
    const text = readFileSync(new URL(`../../../../docs/${name}`, import.meta.url), "utf8");
    const rows = [...text.matchAll(/^\| (`(?:allow|ask|deny) .*`) \| `(.*)` \| (\w+) \|$/gm)];
    expect(rows.length).toBeGreaterThan(0);
    for (const [, ruleTexts, callText, effect] of rows) {
      const rules = [...ruleTexts!.matchAll(/`(\w+) ([^`]+)`/g)].map(([, ruleEffect, rule]) =>
        parseRule(ruleEffect as Effect, rule!)!,
      );
      const [, server, tool, args] = /^(\w+):(\w+) ?(.*)$/.exec(callText!) as unknown as [
        string,
        string,
        string,
        string,
      ];
      const call = { server, tool, arguments: JSON.parse(args || "{}") as JsonObject };
      const request = tool.startsWith("mcp_") ? requestTo(call.arguments, "") : undefined;
      expect(decide(new Policy(rules), { ...call, request, impliesPermission: false }).effect, ruleTexts).toBe(effect);
    }
  },
);
