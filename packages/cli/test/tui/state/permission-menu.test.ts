import type { PermissionQuestion } from "@plugboard/contracts";
import { parseRuleOrError } from "@plugboard/config";
import * as fc from "fast-check";
import { describe, expect, it } from "vitest";
import { KeyParser } from "#tui/input/key-parser.js";
import { openMenu, pressKey } from "#tui/state/permission-menu.js";
import type { MenuResult, PermissionMenu } from "#tui/state/permission-menu.js";
import { suggestRule } from "#tui/state/suggest-rule.js";

const question: PermissionQuestion = {
  type: "permission",
  id: "q1",
  call: "c1",
  owner: { kind: "chat", id: "chat-1" },
  server: "files",
  tool: "write_file",
  arguments: { path: "/docs/notes/a.md", content: "two\nlines" },
  pin: "p",
  askedAt: 0,
  deadline: 1,
};

/** Presses the keys of each input. */
function press(...inputs: readonly string[]): PermissionMenu | MenuResult {
  const parser = new KeyParser();
  let menu: PermissionMenu | MenuResult = openMenu(question);
  for (const key of inputs.flatMap((input) => [...parser.push(input), ...parser.flush()])) {
    if ("type" in menu) throw new Error(`chosen before ${JSON.stringify(key)}`);
    menu = pressKey(menu, key);
  }
  return menu;
}

const decision = (name: string) => ({ type: "answer", answer: { type: "permission", decision: name } });
const DOWN = "\u001b[B";

describe("the permission menu", () => {
  it.each([
    ["y", "once"],
    ["s", "session"],
    ["a", "always"],
    ["n", "no"],
    ["\r", "once"],
    [`${DOWN}\r`, "session"],
    ["4", "server"],
    ["w", "server"],
    ["6", "no"],
    ["\u001b", "no"],
    ["\u0003", "no"],
  ])("answers %j with %s", { meta: { covers: ["F41"] } }, (input, expected) => {
    expect(press(input)).toEqual(decision(expected));
  });

  it("denies with a reason that the model reads", () => {
    expect(press("r", "not there\r")).toEqual({
      type: "answer",
      answer: { type: "permission", decision: "no", reason: "not there" },
    });
  });

  it("lets the user edit the suggested rule before it is added", () => {
    expect(press("p\r")).toEqual({ type: "rule", rule: "files:write_file(path=/docs/notes/*)" });
    expect(press("p", "\u0015files:*\r")).toEqual({ type: "rule", rule: "files:*" });
    expect(press("p\u001b")).toMatchObject({ selected: 4 });
  });

  it("offers no lasting decision for a tool without a definition", () => {
    const { pin: _, ...unpinned } = question;
    expect(openMenu(unpinned).choices.map(({ name }) => name)).toEqual(["once", "pattern", "no", "reason"]);
  });

  it("says what a lasting decision about a native tool covers", () => {
    const labels = (tool: string) =>
      openMenu({ ...question, server: "native", tool }).choices.map(({ label }) => label);
    expect(labels("terminal")).toEqual(
      expect.arrayContaining([
        "Yes, until this chat ends: native:terminal (every command, in this folder)",
        "Yes, always: native:terminal (every command, in this folder)",
      ]),
    );
    expect(labels("edit_file")).toContain("Yes, always: native:edit_file (every call, in this folder)");
    expect(openMenu(question).choices.map(({ label }) => label)).toContain("Yes, always: files:write_file");
  });

  it("names the server whose resources or prompts a lasting decision covers", () => {
    const labels = (tool: string) =>
      openMenu({ ...question, server: "native", tool, arguments: { server: "docs\n" } }).choices.map(
        ({ label }) => label,
      );
    const read = "native:mcp_resource_read (every resource of";
    expect(labels("mcp_resource_read").filter((label) => label.includes(read))).toHaveLength(2);
    expect(labels("mcp_prompt_get").join()).toContain("native:mcp_prompt_get (every prompt of");
    expect(labels("mcp_resource_read").join()).not.toContain("\n");
    expect(labels("mcp_resource_read").join()).toContain("docs");
  });

  it("does not choose by pasted text, or by the beginning of a sentence", () => {
    expect(press("yes, but")).toMatchObject({ selected: 0 });
    expect(press("\u001b[200~y\u001b[201~")).toMatchObject({ selected: 0 });
  });
});

describe("suggestRule", () => {
  it("suggests the folder of paths and URLs, and other values as they are", () => {
    const rule = (args: PermissionQuestion["arguments"]) => suggestRule({ server: "s", tool: "t", arguments: args });
    expect(rule({ url: "https://api.example/v1/items", limit: 3 })).toBe("s:t(url=https://api.example/v1/*, limit=3)");
    expect(rule({ owner: "Ann, or Bob" })).toBe('s:t(owner="Ann, or Bob")');
    expect(rule({})).toBeUndefined();
  });

  it("suggests the exact path if it may be a folder", () => {
    const rule = (path: string) => suggestRule({ server: "s", tool: "list", arguments: { path } });
    expect(rule("/home/ann/docs")).toBe("s:list(path=/home/ann/docs)");
    expect(rule("/home/ann/.config")).toBe("s:list(path=/home/ann/.config)");
    expect(rule("/home/ann/docs/a.md")).toBe("s:list(path=/home/ann/docs/*)");
  });

  it.each([
    ["edit_file", { old_text: "a", new_text: "b", replace_all: true }],
    ["write_file", { content: "short" }],
  ])("suggests only the path for native:%s, because the other arguments are content", (tool, content) => {
    const args = { path: "src/a.ts", ...content };
    expect(suggestRule({ server: "native", tool, arguments: args })).toBe(`native:${tool}(path=src/a.ts)`);
  });

  it("suggests a rule for exactly this command, and none if the command is long, has several lines or contains *", () => {
    const rule = (command: string) =>
      suggestRule({ server: "native", tool: "terminal", arguments: { command, cwd: "/x/y" } });
    expect(rule("/bin/rm -rf /tmp/x")).toBe('native:terminal(command="/bin/rm -rf /tmp/x", cwd=/x/y)');
    expect(rule("rm *")).toBeUndefined();
    expect(rule("a\nb")).toBeUndefined();
    expect(rule("a".repeat(300))).toBeUndefined();
  });

  it("suggests only valid rules", () => {
    const value = fc.oneof(fc.string(), fc.integer(), fc.boolean(), fc.constant(null));
    fc.assert(
      fc.property(fc.dictionary(fc.string({ minLength: 1 }), value, { maxKeys: 4 }), (args) => {
        const rule = suggestRule({ server: "s", tool: "t", arguments: args });
        if (rule !== undefined) expect(parseRuleOrError("allow", rule)).not.toHaveProperty("error");
      }),
    );
  });
});
