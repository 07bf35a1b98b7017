/** Tests the edits of JSON, TOML and YAML that keep all other text. */
import * as fc from "fast-check";
import { describe, expect, it } from "vitest";
import { editDocument } from "#connect/documents/edit-document.js";
import type { Syntax } from "#clients/syntax/parse-document.js";

const ENTRY = { command: "node", args: ["a.js", "stdio"] };
const set = (text: string, syntax: Syntax, path: string[], value: object | string = ENTRY) =>
  editDocument("file", text, syntax, [{ path, value: value as never }]);
const remove = (text: string, syntax: Syntax, path: string[]) =>
  editDocument("file", text, syntax, [{ path, value: undefined }]);

describe("editDocument for TOML", () => {
  const path = ["mcp_servers", "p"];
  const table = '[mcp_servers.p]\ncommand = "node"\nargs = ["a.js", "stdio"]\n';

  it.each([
    ["an empty text", "", table],
    ["a text without a final line break", "a = 1", `a = 1\n\n${table}`],
    ["a text with a blank line at its end", "a = 1\n\n", `a = 1\n\n${table}`],
    ["a table of servers", "[mcp_servers]\n", `[mcp_servers]\n\n${table}`],
    ["servers in dotted keys", 'mcp_servers.x.command = "y"\n', `mcp_servers.x.command = "y"\n\n${table}`],
    ["an array of tables", "[[a]]\nb = 1\n", `[[a]]\nb = 1\n\n${table}`],
  ])("adds a table at the end of %s", async (_, text, expected) => {
    expect(await set(text, "toml", path)).toBe(expected);
  });

  it.each([
    [
      "a table with a table below it",
      `# top\n\n${table}# inside\n[mcp_servers.p.env]\nA = "1" # one\n\n# next\n[z]\n`,
      "# top\n\n# next\n[z]\n",
    ],
    ["a quoted name", '[ mcp_servers . "p" ]\ncommand = "x"\n[z]\na = 1\n', "[z]\na = 1\n"],
    ["an inline table", '[mcp_servers]\np = { command = "x", args = ["]", "#"] }\nq = {}\n', "[mcp_servers]\nq = {}\n"],
    ["dotted keys", 'mcp_servers.p.command = "x"\nmcp_servers.p.args = [\n  "y", # ]\n]\nb = 2\n', "b = 2\n"],
  ])("removes %s", async (_, text, expected) => {
    expect(await remove(text, "toml", path)).toBe(expected);
  });

  it("is not misled by strings and comments that look like tables", async () => {
    const text = [
      'a = """',
      "[mcp_servers.p]",
      'command = "no" \\""" # no',
      '"""',
      "b = '''",
      "[mcp_servers.p]'''",
      "c = [ # [",
      "  1979-05-27 07:32:00, '#',",
      "]",
      "# [mcp_servers.p]",
      "",
    ].join("\n");
    const connected = await set(text, "toml", path);
    expect(connected).toBe(`${text}\n${table}`);
    expect(await remove(connected, "toml", path)).toBe(text);
  });

  it("changes single values of an existing table, and keeps its comments and other keys", async () => {
    const text = '[mcp_servers.p] # mine\ncommand = "old" # the program\nstartup_timeout_sec = 20\n\n[z]\n';
    const changed = await editDocument("file", text, "toml", [
      { path: [...path, "command"], value: "new" },
      { path: [...path, "args"], value: ["stdio"] },
      { path: [...path, "http_headers"], value: { "X Y": 'a"\u007f' } },
    ]);
    expect(changed).toBe(
      '[mcp_servers.p] # mine\ncommand = "new" # the program\nstartup_timeout_sec = 20\nargs = ["stdio"]\n' +
        'http_headers = { "X Y" = "a\\"\\u007f" }\n\n[z]\n',
    );
  });

  it.each([
    ["an inline table", "mcp_servers = { q = {} }\n"],
    ["a value that is not a table", "mcp_servers = 1\n"],
  ])("refuses servers in %s", async (_, text) => {
    await expect(set(text, "toml", path)).rejects.toMatchObject({ code: "CONFIG_INVALID" });
  });
});

describe("editDocument for YAML", () => {
  const path = ["extensions", "p"];
  const lines = "  p:\n    command: node\n    args:\n      - a.js\n      - stdio\n";

  it.each([
    ["an empty text", "", `extensions:\n${lines}`],
    ["a text with only comments", "# a\n---\n# b\n", `# a\n---\n# b\nextensions:\n${lines}`],
    ["other keys", "a: 1 # one\n# end", `a: 1 # one\nextensions:\n${lines}# end`],
    ["no extensions", "extensions:\nb: 2\n", `extensions:\n${lines}b: 2\n`],
    ["an empty mapping", "extensions: {} # none\nb: 2\n", `extensions: # none\n${lines}b: 2\n`],
    [
      "an indentation of four",
      "extensions:\n    a:\n        x: |\n          text\n        # y\n\n# b\nb: 2\n",
      `extensions:\n    a:\n        x: |\n          text\n        # y\n${lines.replaceAll(/^ {2}/gm, "    ")}\n# b\nb: 2\n`,
    ],
  ])("adds a key to %s", async (_, text, expected) => {
    expect(await set(text, "yaml", path)).toBe(expected);
  });

  it("removes a key with its comments, and leaves an empty mapping", async () => {
    expect(await remove(`extensions:\n  a: {}\n${lines}    # mine\n  # other\n  b: {}\n`, "yaml", path)).toBe(
      "extensions:\n  a: {}\n  # other\n  b: {}\n",
    );
    expect(await remove(`a: 1\nextensions:\n${lines}b: 2\n`, "yaml", path)).toBe("a: 1\nextensions: {}\nb: 2\n");
  });

  it("changes single values of an existing key, and keeps its comments and other keys", async () => {
    const text = "extensions:\n  p:\n    cmd: old # the program\n    timeout: 300\n    args:\n      - x\n";
    const changed = await editDocument("file", text, "yaml", [
      { path: [...path, "cmd"], value: "new: program" },
      { path: [...path, "args"], value: ["stdio"] },
    ]);
    expect(changed).toBe(
      'extensions:\n  p:\n    cmd: "new: program" # the program\n    timeout: 300\n    args:\n      - stdio\n',
    );
  });

  it.each([
    ["a mapping on one line", "extensions: { a: { x: 1 } }\n"],
    ["a list", "extensions:\n  - a\n"],
    ["an alias", "base: &base\n  a: 1\nextensions: *base\n"],
    ["several documents", "a: 1\n---\nb: 2\n"],
  ])("refuses %s", async (_, text) => {
    await expect(set(text, "yaml", path)).rejects.toMatchObject({ code: "CONFIG_INVALID" });
  });
});

describe("editDocument for JSON", () => {
  it("writes an object after comments, and refuses servers that are not an object", async () => {
    expect(await set("// mine\n", "json", ["s", "p"], {})).toBe('// mine\n{\n  "s": {\n    "p": {}\n  }\n}\n');
    for (const text of ['{"s": []}', '{"s": null}', '{"s": 1}', "[]"])
      await expect(set(text, "json", ["s", "p"])).rejects.toMatchObject({ code: "CONFIG_INVALID" });
  });
});

describe("editDocument for any file", () => {
  const key = fc.stringMatching(/^[a-z][a-z_-]{1,5}$/);
  const words = fc.constantFrom('"text"', "1", "true", '"# no comment"', '"[mcp.p]"');
  const comment = fc.stringMatching(/^[a-z [\]{}"'=:#]{0,12}$/);
  /** Servers with comments between them, in each syntax. */
  const servers = fc.uniqueArray(fc.record({ key, word: words, comment, blank: fc.boolean() }), {
    selector: (server) => server.key,
    minLength: 1,
    maxLength: 4,
  });
  const toText: {
    readonly [S in Syntax]: (all: readonly { key: string; word: string; comment: string; blank: boolean }[]) => string;
  } = {
    json: (all) =>
      `{\n  "mcp": {\n${all.map((s) => `    // ${s.comment}\n    "${s.key}": { "a": ${s.word} }`).join(",\n")}\n  }\n}\n`,
    toml: (all) =>
      all.map((s) => `#${s.comment}\n[mcp.${s.key}] #${s.comment}\na = ${s.word}\n${s.blank ? "\n" : ""}`).join(""),
    yaml: (all) =>
      all.length === 0
        ? ""
        : `mcp:\n${all.map((s) => `  #${s.comment}\n  ${s.key}: # ${s.comment}\n    a: ${s.word}\n${s.blank ? "\n" : ""}`).join("")}`,
  };

  it.each(["json", "toml", "yaml"] as const)(
    "keeps every line of %s when it adds an entry, and removing the entry restores the text",
    async (syntax) => {
      await fc.assert(
        fc.asyncProperty(servers, fc.constantFrom("\n", "\r\n"), async (all, eol) => {
          const text = toText[syntax](all).replaceAll("\n", eol);
          const added = await set(text, syntax, ["mcp", "p"]);
          const kept = (lines: string) => lines.split(eol).map((line) => line.replace(/,$/, ""));
          expect(kept(added)).toEqual(expect.arrayContaining(kept(text)));
          const removed = await remove(added, syntax, ["mcp", "p"]);
          const isFirst = all.length === 0 || text === "";
          if (!isFirst) expect(removed.trimEnd()).toBe(text.trimEnd());
        }),
        { numRuns: 150 },
      );
    },
  );
});
