import { Policy } from "#policy/policy.js";
import { parseRule } from "#policy/rule.js";
import { expect, it } from "vitest";

it("finds out once which rules are about a tool, for as many tools as large servers have", () => {
  let looks = 0;
  const rule = parseRule("deny", "other:x*")!;
  const counted = {
    ...rule,
    server: { ...rule.server, matches: (text: string) => (looks++, rule.server.matches(text)) },
  };
  const policy = new Policy([counted]);
  const listAll = () => {
    for (const server of ["a", "b", "c"]) {
      for (let at = 0; at < 10_000; at++) policy.deniedOutright({ server, tool: `t${at}` });
    }
  };
  listAll();
  listAll();
  expect(looks).toBe(30_000);
});
