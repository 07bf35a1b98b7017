/** Reads files that are broken or made to exhaust memory, time or the stack. */
import { CLIENTS } from "#clients/client-table.js";
import { entryNotes } from "#clients/entry/entry-notes.js";
import { readClientText } from "#clients/read-client-file.js";
import type { ClientServers } from "#clients/read-client-file.js";
import { isHostError } from "@plugboard/contracts";
import { describe, expect, it } from "vitest";

const read = (path: string, text: string): Promise<ClientServers> =>
  readClientText(path, text, { project: "/p", platform: "linux", scope: "user" });

const rejection = async (path: string, text: string): Promise<unknown> => {
  const error = await read(path, text).then(
    () => undefined,
    (thrown: unknown) => thrown,
  );
  return isHostError(error) && error.code === "CONFIG_INVALID" ? error.details : error;
};

/** Limits the processor time, which does not depend on other programs. A quadratic algorithm would take minutes. */
const MAX_MS = 10_000;
const processorMs = (since: NodeJS.CpuUsage) => process.cpuUsage(since).user / 1000;

const BOMB = `a: &a [x, x, x, x, x, x, x, x, x, x]
b: &b [*a, *a, *a, *a, *a, *a, *a, *a, *a, *a]
c: &c [*b, *b, *b, *b, *b, *b, *b, *b, *b, *b]
d: &d [*c, *c, *c, *c, *c, *c, *c, *c, *c, *c]
e: &e [*d, *d, *d, *d, *d, *d, *d, *d, *d, *d]
extensions: { x: *e }
`;

describe("readClientText rejects", () => {
  it("YAML aliases that expand to many values", async () => {
    expect(await rejection("goose/config.yaml", BOMB)).toMatchObject({ reason: expect.stringContaining("not YAML: ") });
  });

  it.each([
    ["x.json", "[".repeat(200_000)],
    ["x.toml", `a = ${"[".repeat(200_000)}`],
    ["x.yaml", `a: ${"[".repeat(100_000)}`],
    ["x.yaml", `a:\n${"- ".repeat(50_000)}`],
    ["x.yaml", Array.from({ length: 450 }, (_, index) => `${" ".repeat(index)}a:\n`).join("")],
    ["x.yaml", `a: ${"[".repeat(500)}${"]".repeat(500)}`],
  ])("deep nesting in %s", async (path, text) => {
    const reason = expect.stringMatching(/^not (JSON|TOML|YAML): .*(more than 100 levels|nested)/) as string;
    expect(await rejection(path, text)).toMatchObject({ file: path, reason });
  });

  it.each([
    ["an unresolved alias", "extensions: *CANARY-alias"],
    ["a long tag", `a: ${"!CANARY".repeat(15_000)}`],
    ["a text after a value", `extensions: "x" CANARY`],
    ["an unresolved alias in a list", "extensions: [*CANARY]"],
  ])("YAML with %s, and does not quote the file", async (_, text) => {
    const { reason } = (await rejection("x.yaml", text)) as { reason: string };
    expect(reason).not.toContain("CANARY");
    expect(reason.length).toBeLessThan(150);
  });

  it("YAML with thousands of anchors below many levels, in a short time", async () => {
    const levels = (count: number) => Array.from({ length: count }, (__, index) => `${" ".repeat(index)}a:\n`).join("");
    const start = process.cpuUsage();
    for (const text of [
      levels(50) + "&a ".repeat(40_000),
      levels(300) + "&a ".repeat(20_000),
      `a: ${"!!str ".repeat(20_000)}`,
    ]) {
      expect(await rejection("x.yaml", text)).toMatchObject({ reason: expect.stringContaining("not YAML: ") });
    }
    expect(processorMs(start)).toBeLessThan(MAX_MS / 10);
  });

  it.each([
    ["two lists of servers", `{"mcpServers": {"a": {"command": "x"}}, "mcpServers": {}}`, 1, 41, '"mcpServers"'],
    ["two servers with the same id", `{"mcpServers": {"a": {"command": "x"},\n "a": {"command": "y"}}}`, 2, 2, '"a"'],
    ["two commands", `{"mcpServers": {"a": {"command": "x",\n"command": "y"}}}`, 2, 1, '"command"'],
    [
      "two servers with the same id in a project",
      `{"projects": {"/p": {"mcpServers": {"a": {},\n"a": {}}}}}`,
      2,
      1,
      '"a"',
    ],
  ])("JSON with %s, and reports the position of the second", async (_, text, line, column, key) => {
    expect(await rejection("x.json", text)).toMatchObject({ line, column, reason: `${key} occurs twice` });
  });

  it("a TOML file of more than 1 MiB and a YAML file of more than 128 KiB", async () => {
    const toml = await rejection("x.toml", `a = "${"x".repeat(1 << 20)}"`);
    expect(toml).toMatchObject({ reason: "it is longer than 1048576 characters" });
    const yaml = await rejection("x.yaml", `a: ${"x".repeat(1 << 17)}`);
    expect(yaml).toMatchObject({ reason: "it is longer than 131072 characters" });
  });

  it("more than 500 servers", async () => {
    const servers = Object.fromEntries(Array.from({ length: 501 }, (_, index) => [`s${index}`, { command: "x" }]));
    const details = await rejection("x.json", JSON.stringify({ mcpServers: servers }));
    expect(details).toMatchObject({ reason: "it has 501 servers; the limit is 500" });
  });

  it(
    "broken text, and reports the position without quoting the file",
    { meta: { covers: ["F38", "A12"] } },
    async () => {
      const toml = '[mcp_servers.x]\ncommand = "x"\ntoken = canary-secret canary\n';
      const details = await rejection(".codex/config.toml", toml);
      expect(details).toMatchObject({ line: 3, reason: expect.stringContaining("not TOML: ") });
      expect(JSON.stringify(details)).not.toContain("canary");
      const yaml = "extensions:\n  x:\n   - a\n  canary: [canary-secret\n";
      const yamlDetails = await rejection("goose/config.yaml", yaml);
      expect(yamlDetails).toMatchObject({ reason: expect.stringContaining("not YAML: "), line: expect.any(Number) });
      expect(JSON.stringify(yamlDetails)).not.toContain("canary");
    },
  );

  it.each(["", "[]", "null", '"text"'])("the text %j, which is not an object", async (text) => {
    expect(await rejection("x.json", text)).toMatchObject({ reason: expect.stringContaining("object") });
  });
});

describe("readClientText reads in seconds", () => {
  const keys = (length: number, line: (index: number) => string) =>
    Array.from({ length }, (_, index) => line(index)).join("");

  it.each([
    ["many keys of YAML", "goose/config.yaml", `a:\n${keys(10_000, (index) => `  k${index}: 1\n`)}`],
    ["many keys of TOML", ".codex/config.toml", `[a]\n${keys(15_000, (index) => `k${index} = 1\n`)}`],
    ["many tables of TOML", ".codex/config.toml", keys(15_000, (index) => `[t.k${index}]\n`)],
    ["a long name of dashes", "x.json", `{"mcpServers":{"${"-".repeat(500_000)}x!":{"command":"x"}}}`],
    ["many dollars", "x.json", `{"mcpServers":{"x":{"command":"${"${".repeat(200_000)}"}}}`],
  ])("%s", async (_title, path, text) => {
    const start = process.cpuUsage();
    await read(path, text);
    expect(processorMs(start)).toBeLessThan(MAX_MS);
  });
});

it.each([
  ["claude-code", "${A:-"],
  ["gemini", "${A:-"],
  ["gemini", "$A"],
  ["cursor", "${env:"],
  ["vscode", "${input:"],
  ["windsurf", "${file:"],
  ["opencode", "{env:"],
] as const)("readClientText reads in seconds a file of %s with many placeholders %j", async (name, opening) => {
  const servers = { x: { command: opening.repeat(60_000) } };
  const document = CLIENTS[name].document(servers, { disabled: [], inputs: [] });
  const options = { client: CLIENTS[name], project: "/p", platform: "linux", scope: "project" } as const;
  const start = process.cpuUsage();
  await readClientText("x", JSON.stringify(document), options);
  expect(processorMs(start)).toBeLessThan(MAX_MS);
});

describe("readClientText", () => {
  it.each([
    ["x.json", '{\n"mcpServers": {\n"x": { "command": "y" }\n}\n}\n'],
    ["x.toml", '[mcp_servers.x]\ncommand = "y"\n'],
    ["x.yaml", "mcpServers:\n  x:\n    command: y\n"],
  ])("keeps the servers of %s with a byte-order mark and Windows line endings", async (path, text) => {
    const { servers } = await read(path, `\ufeff${text.replaceAll("\n", "\r\n")}`);
    expect(servers).toMatchObject([{ id: "x", entry: { command: "y" } }]);
  });

  it("keeps keys such as __proto__ as plain names", async () => {
    const text = "[mcp_servers.__proto__]\ncommand = 'x'\n[mcp_servers.constructor]\ncommand = 'y'\n";
    const { servers } = await read(".codex/config.toml", text);
    expect(servers.map(({ id, entry }) => [id, entry.command])).toEqual([
      ["__proto__-server", "x"],
      ["constructor", "y"],
    ]);
    expect(({} as { command?: string }).command).toBeUndefined();
  });

  it("keeps secrets out of notes and reasons", { meta: { covers: ["A12"] } }, async () => {
    const canary = "sk-canary-4f8a0c1d9e7b";
    const servers = {
      a: { command: "x", args: ["--token", canary], env: { API_KEY: canary, OTHER: canary } },
      b: { url: `https://x.example.com/?key=${canary}`, headers: { Authorization: `Bearer ${canary}` } },
      c: { command: "x", env: { API_KEY: { [canary]: canary } } },
      d: { url: canary },
      e: { command: "x", timeout: canary, [canary.slice(0, 5)]: canary },
    };
    for (const client of Object.values(CLIENTS)) {
      const document = client.document(servers, { disabled: [], inputs: [] });
      const options = { client: { ...client, syntax: "json" as const }, project: "/p", platform: "linux" as const };
      const imported = await readClientText("x", JSON.stringify(document), { ...options, scope: "user" });
      const shown = [...imported.servers.map(entryNotes), imported.skipped];
      expect(JSON.stringify(shown), client.label).not.toContain("canary");
    }
  });
});

it("readClientText ignores a duplicate key that is not about servers", async () => {
  const text = `{"editor": 1, "editor": 2, "mcpServers": {"a": {"command": "x"}}}`;
  expect((await read("x.json", text)).servers).toMatchObject([{ id: "a" }]);
});
