import { callCommand, callProgram } from "#format/call-snippets.js";
import { callerText } from "#format/caller.js";
import { formatBytes, formatKnownMs, plural, quantile } from "#format/format.js";
import { fillTemplate, templateVariables } from "#format/uri-template.js";
import { describe, expect, it } from "vitest";

describe("callerText", () => {
  it("names a client first by its token, then by the name that it gives itself", () => {
    expect(callerText({ kind: "chat" })).toBe("a chat");
    expect(callerText({ kind: "front", client: "Cursor" })).toBe("Cursor");
    expect(callerText({ kind: "front", client: "Cursor", principal: { name: "work" } })).toBe("work (Cursor)");
    expect(callerText({ kind: "front", client: "work", principal: { name: "work" } })).toBe("work");
  });
});

describe("numbers", () => {
  it("are shown with units that people read", () => {
    expect([27, undefined].map(formatKnownMs)).toEqual(["27 ms", "–"]);
    expect([12, 3400, 1_200_000].map(formatBytes)).toEqual(["12 B", "3.4 kB", "1.2 MB"]);
    expect([plural(1, "tool"), plural(12_000, "tool")]).toEqual(["1 tool", "12,000 tools"]);
    expect([quantile([3, 1, 2], 0.5), quantile([], 0.5), quantile([1, 2, 3], 0.99)]).toEqual([2, undefined, 3]);
  });
});

describe("the snippets of a call", () => {
  it("quote what a server or the user has chosen", () => {
    expect(callCommand("s", "echo", { text: "it's", n: 3, list: [1] })).toBe(
      `plugboard call s:echo 'text=it'\\''s' n:=3 'list:=[1]'`,
    );
    expect(callCommand("s", "x; rm -rf /", { "a b": 1 })).toBe(`plugboard call 's:x; rm -rf /' --args '{"a b":1}'`);
    expect(callProgram("s", 'a"b', {})).toContain(String.raw`host.tools.call("s:a\"b", {})`);
  });

  it("write hidden characters as escapes", () => {
    const args = { text: "a\u202eb", tag: "\u{e0041}" };
    const command = callCommand("s", "echo", args);
    expect(command).toBe(String.raw`plugboard call s:echo 'text:="a\u202eb"' 'tag:="\udb40\udc41"'`);
    expect(JSON.parse(/text:=("[^']*")/.exec(command)![1]!)).toBe(args.text);
    expect(callProgram("s", "a\u200bb", args)).toContain(String.raw`host.tools.call("s:a\u200bb", {`);
  });
});

describe("URI templates", () => {
  it("lists and fills their variables", () => {
    expect(templateVariables("file:///{+path}/{name}{?a,b*}")).toEqual(["path", "name", "a", "b"]);
    expect(fillTemplate("x://{+path}/{name}{?a,b}", { path: "a/b", name: "c d", b: "1" })).toBe("x://a/b/c%20d?b=1");
  });
});
