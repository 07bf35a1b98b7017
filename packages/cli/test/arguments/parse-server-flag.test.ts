import { parseServerFlag, parseServerFlags, splitCommand } from "#arguments/parse-server-flag.js";
import * as fc from "fast-check";
import { describe, expect, it } from "vitest";

describe("parseServerFlag", () => {
  it.each([
    ["files=npx", { command: "npx", args: [] }],
    ["files=npx -y server .", { command: "npx", args: ["-y", "server", "."] }],
    ["files=  npx  .  ", { command: "npx", args: ["."] }],
    ["files=node x.js --key=value", { command: "node", args: ["x.js", "--key=value"] }],
    ["files='/opt/my server/run' 'a b'", { command: "/opt/my server/run", args: ["a b"] }],
    ["files=node https://example.com", { command: "node", args: ["https://example.com"] }],
  ])("reads a command from %j", { meta: { covers: ["R3.24"] } }, (flag, entry) => {
    expect(parseServerFlag(flag)).toStrictEqual({ id: "files", entry: { transport: "stdio", ...entry } });
  });

  it.each([
    ["notes=https://example.com/mcp?a=b", "https://example.com/mcp?a=b"],
    ["notes=HTTP://localhost:3000", "HTTP://localhost:3000"],
  ])("reads an HTTP URL from %j", { meta: { covers: ["R3.24"] } }, (flag, url) => {
    expect(parseServerFlag(flag)).toStrictEqual({ id: "notes", entry: { transport: "http", url } });
  });

  it.each([
    ["without an id", "=npx", "is not of the form id=<command or URL>"],
    ["without a value", "files=", "is not of the form id=<command or URL>"],
    ["with a value of spaces", "files=  ", "is not of the form id=<command or URL>"],
    ["without an equals sign", "files npx", "is not of the form id=<command or URL>"],
    ["that is empty", "", "is not of the form id=<command or URL>"],
    ["with an empty command", 'files=""', "names no command"],
    ["with an unclosed quote", "files=npx 'a b", "a quote (') is not closed"],
  ])("rejects a flag %s", (_, flag, words) => {
    expect(() => parseServerFlag(flag)).toThrow(
      expect.objectContaining({ code: "USAGE", message: expect.stringContaining(words) }),
    );
  });
});

describe("splitCommand", () => {
  it.each([
    ["a b  c", ["a", "b", "c"]],
    ["a\tb\nc", ["a", "b", "c"]],
    ["", []],
    [`a "b c" 'd e'`, ["a", "b c", "d e"]],
    [`a"b c"d`, ["ab cd"]],
    [`'' ""`, ["", ""]],
    [`"it's" 'a "b"'`, ["it's", 'a "b"']],
    [String.raw`"a \" b" "c \\ d"`, ['a " b', String.raw`c \ d`]],
    [String.raw`"a\nb" 'c\"'`, [String.raw`a\nb`, String.raw`c\"`]],
    ["$HOME `x` *.js ; && |", ["$HOME", "`x`", "*.js", ";", "&&", "|"]],
  ])("splits %j as a shell does", (text, words) => {
    expect(splitCommand(text)).toEqual(words);
  });

  it("treats a backslash as an escape, except on Windows, where it separates folders", () => {
    expect(splitCommand("a\\ b\\\\c")).toEqual(process.platform === "win32" ? ["a\\", "b\\\\c"] : ["a b\\c"]);
  });

  it("restores any words that were quoted for a shell", () => {
    const single = (word: string) => `'${word.replaceAll("'", `'"'"'`)}'`;
    const double = (word: string) => `"${word.replace(/["\\]/g, String.raw`\$&`)}"`;
    const word = fc.oneof(fc.string(), fc.string({ unit: fc.constantFrom("a", " ", '"', "'", "\\", "\n") }));
    const quoted = fc
      .tuple(word, fc.constantFrom(single, double))
      .map(([bare, quote]) => ({ bare, text: quote(bare) }));
    fc.assert(
      fc.property(fc.array(quoted), (words) => {
        expect(splitCommand(words.map(({ text }) => text).join(" "))).toEqual(words.map(({ bare }) => bare));
      }),
    );
  });
});

it("parseServerFlag reads a WebSocket URL", () => {
  expect(parseServerFlag("a=ws://x/y")).toEqual({ id: "a", entry: { transport: "websocket", url: "ws://x/y" } });
});

it.each(["a=ftp://x", "a=file:///x"])("parseServerFlag rejects the URL scheme of %s", (flag) => {
  expect(() => parseServerFlag(flag)).toThrow(
    expect.objectContaining({ code: "USAGE", message: expect.stringContaining("http://, https://, ws:// or wss://") }),
  );
});

it("parseServerFlags rejects an id that is given twice", () => {
  expect(() => parseServerFlags(["a=x", "b=y", "a=z"])).toThrow(
    expect.objectContaining({ code: "USAGE", details: { message: '--mcp-server gives "a" twice' } }),
  );
});
