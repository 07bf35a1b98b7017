/** Tests the operations on permission rules in the process of a command, without a host. */
import { readFile } from "node:fs/promises";
import { describe, expect, it } from "vitest";
import { operationsInProcess } from "../../helpers/operations-in-process.ts";

describe("addRules", () => {
  it("returns the added and the replaced rules, and the file", async () => {
    const { operations, files, write } = await operationsInProcess();
    await write("user", { permissions: { deny: ["a:*", "b:x"], ask: ["c:*"] } });
    const { added, replaced, scope, file } = await operations.addRules("ask", ["a:*", "c:*"]);
    expect({ added, scope, file }).toEqual({ added: ["a:*"], scope: "user", file: files.user });
    expect(replaced).toEqual([{ effect: "deny", rule: "a:*", source: "user", file: files.user }]);
    expect(JSON.parse(await readFile(files.user, "utf8"))).toEqual({
      permissions: { deny: ["b:x"], ask: ["c:*", "a:*"] },
    });
  });

  it("does not change the rules of other scopes", async () => {
    const { operations, files, write } = await operationsInProcess();
    await write("user", { permissions: { allow: ["a:*"] } });
    const { replaced, file } = await operations.addRules("deny", ["a:*"], { scope: "project" });
    expect([replaced, file]).toEqual([[], files.project]);
    expect(await operations.rules()).toMatchObject([
      { effect: "allow", rule: "a:*", source: "user" },
      { effect: "deny", rule: "a:*", source: "project" },
    ]);
  });

  it.each([
    ["a server without a tool", "deny", ["s:x", "files"], {}, "for all tools of the server, write files:*"],
    ["a missing server", "ask", ["s:x", ":y"], {}, '":y" is not a rule: the server is missing'],
    ["allow in a project", "allow", ["s:x"], { scope: "project" }, "can deny and ask, but not allow"],
  ] as const)("refuses %s, and changes nothing", async (_, effect, rules, options, message) => {
    const { operations } = await operationsInProcess();
    await expect(operations.addRules(effect, rules, options)).rejects.toMatchObject({
      code: "USAGE",
      message: expect.stringContaining(message) as string,
    });
    expect(await operations.rules()).toEqual([]);
  });

  it("suggests a similar name for an unknown server, but not for patterns and Plugboard's own tools", async () => {
    const { operations, write } = await operationsInProcess();
    await write("user", { mcpServers: { files: { command: "x" } } });
    const rules = ["fils:a", "*:delete", "files:write", "f*:x", "native:write_file"];
    const { unknown } = await operations.addRules("deny", rules);
    expect(unknown).toEqual([{ server: "fils", suggestion: "files" }]);
  });
});

it("addRules adds a rule even if a file of another scope is invalid", async () => {
  const { operations, write } = await operationsInProcess();
  await write("user", "{");
  expect(await operations.addRules("deny", ["s:x"], { scope: "project" })).toMatchObject({
    added: ["s:x"],
    unknown: [],
  });
});

describe("removeRules", () => {
  const permissions = { allow: ["a:*"], deny: ["b:*", "a:*"] };

  it("removes the named rules whatever their effect, and ignores rules that the scope does not have", async () => {
    const { operations, write } = await operationsInProcess();
    await write("user", { permissions });
    const removed = await operations.removeRules({ rules: ["a:*", "other:*"] });
    expect(removed.map(({ effect, rule }) => `${effect} ${rule}`)).toEqual(["allow a:*", "deny a:*"]);
    expect(await operations.rules()).toMatchObject([{ effect: "deny", rule: "b:*" }]);
  });

  it("removes all rules of one scope", async () => {
    const { operations, write } = await operationsInProcess();
    await write("user", { permissions });
    await write("project", { permissions: { deny: ["d:*"] } });
    expect(await operations.removeRules({ all: true })).toHaveLength(3);
    expect(await operations.rules()).toMatchObject([{ rule: "d:*", source: "project" }]);
    await operations.removeRules({ scope: "project", all: true });
    expect(await operations.rules()).toEqual([]);
  });
});
