import { readLayerFromText } from "#config/read/read-layer.js";
import type { Layer } from "#config/read/read-layer.js";
import { HostError } from "@plugboard/contracts";
import { describe, expect, it } from "vitest";

const FILE = "/home/ann/config.json";
const origin = { source: "user", folder: "/home/ann" } as const;

const stdio = {
  transport: "stdio",
  enabled: true,
  command: "npx",
  args: [],
  env: {},
  startupTimeoutMs: 30_000,
  requestTimeoutMs: 60_000,
  maxTimeoutMs: 600_000,
  start: "eager",
  share: "all",
  tools: { include: ["*"], exclude: [] },
  trustAnnotations: false,
  sampling: false,
  resultLimitBytes: 100_000,
};

describe("servers are found under", () => {
  const servers = { files: { command: "npx" } };

  it.each([
    ["mcp.servers", { version: 1, mcp: { servers } }],
    ["mcpServers", { mcpServers: servers }],
    ["servers", { servers }],
  ])(
    "%s",
    { meta: { covers: ["R0.25", "R2.35", "R2.36", "R2.38", "R2.32", "R2.33", "R3.5", "R3.80"] } },
    async (_, config) => {
      const layer = await read(JSON.stringify(config));
      expect(layer.servers).toStrictEqual([{ id: "files", ...origin, file: FILE, definition: stdio }]);
      expect(layer.problems).toEqual([]);
    },
  );

  it("mcp.servers first, where there are several", async () => {
    const layer = await read(
      JSON.stringify({ servers, mcpServers: servers, mcp: { servers: { own: { command: "x" } } } }),
    );
    expect(layer.servers.map(({ id }) => id)).toEqual(["own"]);
  });

  it("nothing at all, in a file about other things", async () => {
    expect(await read('{ "editor.fontSize": 12 }')).toMatchObject({
      servers: [],
      switches: [],
      rules: [],
      problems: [],
    });
  });
});

describe("an entry", () => {
  it("may say everything", { meta: { covers: ["R0.84", "R0.85", "R0.86", "R1.2", "R2.34", "R2.37"] } }, async () => {
    const entry = {
      transport: "stdio",
      enabled: false,
      command: "node",
      args: ["server.js", "${ROOT}", { $file: "key" }],
      cwd: "sub",
      env: { KEY: "${KEY:-x}", TOKEN: { $secret: "github" }, OTHER: { $cmd: ["op", "read"] } },
      startup_timeout_ms: 1,
      request_timeout_ms: 2,
      max_timeout_ms: 3,
      health_interval_ms: 4,
      start: "lazy",
      idle_stop_ms: 5,
      share: "caller",
      tools: { include: ["read_*"], exclude: ["read_x"] },
      retry: "never",
      trust_annotations: true,
      sampling: true,
      max_message_bytes: 4096,
      result_limit_bytes: 2048,
    };
    const inCamelCase = Object.fromEntries(
      Object.entries(entry).map(([key, value]) => [
        key.replace(/_[a-z]/g, ([, letter]) => letter!.toUpperCase()),
        value,
      ]),
    );
    expect(await definition(entry)).toEqual(inCamelCase);
  });

  it.each([
    ["http", {}],
    ["http", { transport: "http" }],
    ["sse", { type: "sse" }],
  ])(
    "may be a URL with headers: %s by %j",
    { meta: { covers: ["R1.3", "R1.4", "R2.34", "R2.40"] } },
    async (transport, said) => {
      const { command: _, args: __, env: ___, ...common } = stdio;
      expect(await definition({ url: "https://x/mcp", headers: { A: "b" }, ...said })).toStrictEqual({
        ...common,
        transport,
        url: "https://x/mcp",
        headers: { A: "b" },
        auth: { type: "none" },
      });
    },
  );

  it.each([
    ["its transport under type", { type: "http", url: "https://x" }, { transport: "http" }],
    [
      "keys in camelCase",
      { command: "x", startupTimeoutMs: 5, requestTimeoutMs: 6 },
      { startupTimeoutMs: 5, requestTimeoutMs: 6 },
    ],
    ["keys in snake_case", { command: "x", max_timeout_ms: 7 }, { maxTimeoutMs: 7 }],
    ["a URL that becomes one later", { url: "${BASE}/mcp" }, { url: "${BASE}/mcp" }],
    ["a URL with a user", { url: "https://ann:pw@x/mcp" }, { url: "https://ann:pw@x/mcp" }],
    ["as long a time as a timer takes", { command: "x", max_timeout_ms: 2 ** 31 - 1 }, { maxTimeoutMs: 2 ** 31 - 1 }],
    ["text that only looks like a reference", { command: "x", args: ["$${a-b}"] }, { args: ["$${a-b}"] }],
  ])("may have %s", { meta: { covers: ["R1.8"] } }, async (_, entry, expected) => {
    expect(await definition(entry)).toMatchObject(expected);
  });

  it("may stand among comments, after a byte-order mark, before a trailing comma", async () => {
    const layer = await read('\ufeff{ // mine\n"servers": { "files": { "command": "npx", }, }, }');
    expect(layer.servers).toMatchObject([{ id: "files", definition: { command: "npx" } }]);
    expect(layer.problems).toEqual([]);
  });

  it("that says only whether it is enabled switches another layer's", async () => {
    const layer = await read(
      '{ "servers": { "a": { "enabled": false }, "b": { "enabled": true }, "c": { "command": "x" } } }',
    );
    expect(layer.switches).toEqual([
      { id: "a", enabled: false },
      { id: "b", enabled: true },
    ]);
    expect(layer.servers.map(({ id }) => id)).toEqual(["c"]);
    expect(layer.problems).toEqual([]);
  });
});

describe("a key that nobody knows is a warning at its place, and the server still works:", () => {
  it.each([
    ["with the nearest name", "comand", 'unknown key "comand"; did you mean "command"?'],
    [
      "with the nearest name as we write it",
      "requestTimeoutMS",
      'unknown key "requestTimeoutMS"; did you mean "request_timeout_ms"?',
    ],
    ["without a name if none is near", "autoApprove", 'unknown key "autoApprove"'],
    ["also if every object has it", "constructor", 'unknown key "constructor"'],
  ])("%s", async (_, key, message) => {
    const layer = await read(
      `{\n  "servers": {\n    "files": {\n      "command": "npx",\n      "${key}": 1\n    }\n  }\n}`,
    );
    expect(layer.problems).toEqual([{ severity: "warning", file: FILE, line: 5, column: 7, server: "files", message }]);
    expect(layer.servers).toMatchObject([{ definition: { command: "npx" } }]);
  });
});

describe("an entry that is wrong disables that server alone:", { meta: { covers: ["R2.98"] } }, () => {
  it.each([
    ["a command that is no text", { command: 7 }, '"command" must be a string'],
    ["an empty command", { command: "" }, '"command" must not be empty'],
    ["no command", { transport: "stdio" }, '"command" is missing'],
    ["no url", { transport: "http" }, '"url" is missing'],
    ["neither", { args: [] }, 'it has neither a "command" nor a "url"'],
    ["nothing", {}, 'it has neither a "command" nor a "url"'],
    ["arguments that are no list", { command: "x", args: "y" }, '"args" must be an array'],
    ["an argument that is no text", { command: "x", args: ["y", 1] }, '"args.1" must be a string'],
    ["a variable that is no text", { command: "x", env: { PORT: 80 } }, '"env.PORT" must be a string'],
    ["a header that is no text", { url: "https://x", headers: { A: null } }, '"headers.A" must be a string'],
    ["enabled that is no yes or no", { command: "x", enabled: "no" }, '"enabled" must be true or false'],
    ["no time at all", { command: "x", request_timeout_ms: 0 }, '"request_timeout_ms" must be a whole number above 0'],
    [
      "a time before now",
      { command: "x", startup_timeout_ms: -1 },
      '"startup_timeout_ms" must be a whole number above 0',
    ],
    [
      "a time that is no whole number",
      { command: "x", max_timeout_ms: 1.5 },
      '"max_timeout_ms" must be a whole number above 0',
    ],
    [
      "a time too long for a timer",
      { command: "x", max_timeout_ms: 2 ** 31 },
      '"max_timeout_ms" must be at most 2147483647',
    ],
    [
      "text for a time",
      { command: "x", startup_timeout_ms: "9" },
      '"startup_timeout_ms" must be a whole number above 0',
    ],
    ["variables that are no object", { command: "x", env: ["A=b"] }, '"env" must be an object'],
    ["what is no URL", { url: "not a url" }, '"url" must be an http(s) URL'],
    ["what is no web URL", { url: "ftp://x" }, '"url" must be an http(s) URL'],
    [
      "a reference that is none",
      { command: "x", args: ["a", "${NOPE-TOK}"] },
      '"args.1" has ${NOPE-TOK}, which is not a valid reference; write ${NAME} or ${NAME:-default}, or $${ for a literal ${',
    ],
    [
      "a reference in a variable that is none, and maybe a secret",
      { command: "x", env: { A: "${TOK-s3cret}" } },
      '"env.A" has ${***}, which is not a valid reference; write ${NAME} or ${NAME:-default}, or $${ for a literal ${',
    ],
    [
      "a reference that does not end",
      { url: "https://x", headers: { A: "${TOKEN" } },
      '"headers.A" has ${, which is not a valid reference; write ${NAME} or ${NAME:-default}, or $${ for a literal ${',
    ],
    [
      "a transport that is not known",
      { transport: "carrier pigeon" },
      /^"transport" is "carrier pigeon"; it must be one of stdio, http, sse, websocket, claudeai-proxy/,
    ],
    ["a page where a socket should be", { transport: "websocket", url: "https://x" }, '"url" must be a ws(s) URL'],
    ["a proxy that does not say which server", { transport: "claudeai-proxy", url: "https://x" }, '"id" is missing'],
    ["a time before now", { command: "x", idle_stop_ms: -1 }, '"idle_stop_ms" must be a whole number; 0 means never'],
    ["a word for repeating that is not known", { command: "x", retry: "always" }, '"retry" must be "safe" or "never"'],
    [
      "no room for a message",
      { command: "x", max_message_bytes: 1 },
      /^"max_message_bytes" must be a whole number from/,
    ],
    ["a key of the other transport", { command: "x", headers: {} }, '"headers" is not allowed for a stdio server'],
    ["both transports", { command: "x", url: "https://x" }, '"url" is not allowed for a stdio server'],
    ["what is no object", ["npx"], "the entry must be an object"],
  ])("%s", { meta: { covers: ["R2.98", "R2.97", "R2.96"] } }, async (_, entry, reason) => {
    const layer = await read(JSON.stringify({ servers: { bad: entry, good: { command: "npx" } } }));
    expect(layer.servers.map(({ id }) => id)).toEqual(["bad", "good"]);
    const [bad, good] = layer.servers;
    expect(good!.definition).toEqual(stdio);
    const { invalid } = bad!.definition as { invalid: string };
    if (typeof reason === "string") expect(invalid).toBe(reason);
    else expect(invalid).toMatch(reason);
    expect(layer.problems).toMatchObject([{ severity: "error", server: "bad", message: invalid }]);
  });

  it.each<[object, object]>([
    [{ url: "https://x", type: "streamable-http" }, { transport: "http" }],
    [{ url: "https://x", type: "sse" }, { transport: "sse" }],
    [{ url: "wss://x" }, { transport: "websocket" }],
    [{ url: "ws://x", transport: "ws" }, { transport: "websocket" }],
    [
      { url: "https://x/{id}", transport: "claudeai-proxy", id: "a" },
      { transport: "claudeai-proxy", id: "a" },
    ],
    [
      { command: "x", healthIntervalMs: 0, idle_stop_ms: 5, retry: "never", max_message_bytes: 4096 },
      { healthIntervalMs: 0, idleStopMs: 5, retry: "never", maxMessageBytes: 4096 },
    ],
  ])("understands %j", async (entry, expected) => {
    const layer = await read(JSON.stringify({ servers: { one: entry } }));
    expect(layer.problems).toEqual([]);
    expect(layer.servers[0]!.definition).toMatchObject(expected);
  });

  it.each([
    ["a key", '"command": "x",\n"command": "y"', '"command" is defined twice, on lines 2 and 3'],
    [
      "a key in two spellings",
      '"url": "https://x", "type": "http",\n"transport": "http"',
      '"transport" is defined twice, on lines 2 and 3',
    ],
    ["a variable", '"command": "x", "env": {"A": "1", "A": "2"}', '"env.A" is defined twice, on line 2'],
  ])("%s that comes twice", async (_, body, reason) => {
    const layer = await read(`{"servers": {"bad": {\n${body}}, "good": {"command": "npx"}}}`);
    expect(layer.servers).toMatchObject([{ definition: { invalid: reason } }, { definition: stdio }]);
    expect(layer.problems).toMatchObject([{ severity: "error", server: "bad", message: reason }]);
  });

  it(
    "with the place of the value, or of the entry if a value is missing",
    { meta: { covers: ["R2.98", "R3.28"] } },
    async () => {
      const layer = await read('{"servers": {\n  "a": {"command": "x",\n    "args": 1},\n  "b": {"args": []}\n}}');
      expect(layer.problems.map(({ server, line, column }) => [server, line, column])).toEqual([
        ["a", 3, 13],
        ["b", 4, 8],
      ]);
    },
  );
});

describe("an id", () => {
  it("that comes twice is nobody's, with both lines", { meta: { covers: ["R2.51"] } }, async () => {
    const layer = await read(
      '{"servers": {\n"a": {"command": "x"},\n"b": {"command": "y"},\n\n"a": {"command": "z"}\n}}',
    );
    const invalid = "it is defined twice, on lines 2 and 5; remove one";
    expect(layer.servers).toMatchObject([
      { id: "a", definition: { invalid } },
      { id: "b", definition: { command: "y" } },
    ]);
    expect(layer.problems).toEqual([
      { severity: "error", file: FILE, line: 2, column: 1, server: "a", message: invalid },
    ]);
  });

  it.each([["a b"], ["a:b"], [""], ["é"], ["x".repeat(65)], ["\u001b[2J"]])(
    "can't be %j: then it names no server",
    { meta: { covers: ["R2.49", "R2.50"] } },
    async (id) => {
      const layer = await read(JSON.stringify({ servers: { [id]: { command: "x" }, good: { command: "npx" } } }));
      expect(layer.servers.map((server) => server.id)).toEqual(["good"]);
      expect(layer.problems).toEqual([
        { severity: "error", file: FILE, line: 1, column: 13, message: expect.stringContaining(JSON.stringify(id)) },
      ]);
    },
  );

  it("that can't be names no server when it comes twice either", async () => {
    const layer = await read('{"servers": {"a b": {"command": "x"}, "a b": {"command": "x"}}}');
    expect(layer.servers).toEqual([]);
    expect(layer.problems.length).toBeGreaterThan(0);
  });

  it("can't be __proto__, which no report could carry: then it names no server", async () => {
    const layer = await read('{"servers": {"__proto__": {"command": "x"}, "good": {"command": "npx"}}}');
    expect(layer.servers.map((server) => server.id)).toEqual(["good"]);
    expect(layer.problems).toMatchObject([{ severity: "error", message: '"__proto__" can\'t be a server id' }]);
  });

  it.each([["x"], ["x".repeat(64)], ["_-A9"], ["constructor"]])(
    "can be %s",
    { meta: { covers: ["R2.49", "R2.50", "R3.20"] } },
    async (id) => {
      const layer = await read(`{"servers": {"${id}": {"command": "x"}}}`);
      expect(layer.servers.map((server) => server.id)).toEqual([id]);
    },
  );
});

describe("permissions", () => {
  it("are read as rules, in order, as written", async () => {
    const permissions = { allow: ["files:read_*"], deny: ["*:delete_*", "*"], ask: ["github:*"] };
    const layer = await read(JSON.stringify({ mcp: { permissions } }));
    expect(layer.rules.map(({ effect, text }) => `${effect} ${text}`)).toEqual([
      "allow files:read_*",
      "deny *:delete_*",
      "deny *",
      "ask github:*",
    ]);
  });

  it.each([
    ["is no rule", '"delete everything"', '"delete everything" is not a rule'],
    ["is no text", "7", "7 is not a rule"],
    ["has an argument without its end", '"a:b(c=d"', '"a:b(c=d" is not a rule'],
  ])("can't be passed over if one %s: it may be a denial", async (_, rule, what) => {
    const text = `{"mcp": {"permissions": {\n  "deny": ["a:*",\n    ${rule}]}}}`;
    const error: unknown = await read(text).catch((thrown: unknown) => thrown);
    expect(error).toBeInstanceOf(HostError);
    expect(error).toMatchObject({
      code: "CONFIG_INVALID",
      details: { file: FILE, line: 3, column: 5, reason: expect.stringContaining(what) },
    });
  });

  it.each([
    ["mcp.permissions", '{"mcp": {"permissions": {"deny": ["*:t"]}}}'],
    ["permissions beside mcpServers", '{"mcpServers": {}, "permissions": {"deny": ["*:t"]}}'],
    ["permissions beside servers", '{"permissions": {"deny": ["*:t"]}, "servers": {}}'],
    ["permissions alone", '{"permissions": {"deny": ["*:t"]}}'],
  ])("are found under %s", async (_, text) => {
    const { rules, problems } = await read(text);
    expect(rules.map((rule) => `${rule.effect} ${rule.text}`)).toEqual(["deny *:t"]);
    expect(problems).toEqual([]);
  });
});

describe("nothing is read of a file in which a denial may be hidden, and the place is told:", () => {
  it.each([
    ["no JSON", '{\n  "servers": {"a": {"command": "x"}\n', 3, 1, "not JSON: close brace expected"],
    [
      "a mistake after the rules",
      '{"mcp": {"permissions": {"deny": ["*"]}},\n oops}',
      2,
      2,
      "not JSON: invalid symbol",
    ],
    ["an empty file", "", 1, 1, "the file is empty; it must contain an object"],
    ["a file with only a comment", "// later\n", 1, 1, "the file is empty; it must contain an object"],
    ["a list", "[1]", 1, 1, "the file must contain an object"],
    ["null", "null", 1, 1, "the file must contain an object"],
    ["a section that is a list", '{"mcp": [{"permissions": {"deny": ["*"]}}]}', 1, 9, '"mcp" must be an object'],
    ["permissions that are a list", '{"mcp": {"permissions": ["*:t"]}}', 1, 25, '"permissions" must be an object'],
    ["permissions that are text", '{"mcp": {"permissions": "deny *"}}', 1, 25, '"permissions" must be an object'],
    ["permissions that are null", '{"mcp": {"permissions": null}}', 1, 25, '"permissions" must be an object'],
    [
      "a denial that is text",
      '{"mcp": {"permissions": {"deny": "*:t"}}}',
      1,
      34,
      '"deny" must be an array of rules like "server:tool"',
    ],
    [
      "a denial in capitals",
      '{"mcp": {"permissions": {"Deny": ["*:t"]}}}',
      1,
      26,
      '"Deny" is not one of allow, ask, deny; did you mean "deny"?',
    ],
    [
      "a denial misspelt",
      '{"mcp": {"permissions": {\n"denny": ["*:t"]}}}',
      2,
      1,
      '"denny" is not one of allow, ask, deny; did you mean "deny"?',
    ],
    [
      "a denial by another name",
      '{"mcp": {"permissions": {"forbid": ["*:t"]}}}',
      1,
      26,
      '"forbid" is not one of allow, ask, deny',
    ],
    [
      "permissions misspelt",
      '{"mcp": {"permission": {}}}',
      1,
      10,
      'unknown key "permission"; did you mean "permissions"?',
    ],
    [
      "permissions misspelt at the root",
      '{"mcpServers": {}, "Permisions": {}}',
      1,
      20,
      'unknown key "Permisions"; did you mean "permissions"?',
    ],
    [
      "permissions in a section that is misspelt",
      '{"MCP": {"permissions": {"deny": ["*"]}}}',
      1,
      2,
      'unknown key "MCP"; did you mean "mcp"?',
    ],
    ["a denial outside of the permissions", '{"mcp": {"deny": ["*"]}}', 1, 10, '"deny" belongs inside "permissions"'],
    ["a denial at the root", '{"deny": ["*"]}', 1, 2, '"deny" belongs inside "permissions"'],
    [
      "a denial in a server's entry",
      '{"servers": {"a": {"command": "x", "deny": ["t"]}}}',
      1,
      36,
      '"deny" is not allowed in a server\'s entry; move it into "permissions", beside the servers',
    ],
    [
      "permissions among the servers",
      '{"servers": {"permissions": {"deny": ["*"]}}}',
      1,
      30,
      '"deny" is not allowed in a server\'s entry; move it into "permissions", beside the servers',
    ],
    [
      "permissions in a server's entry",
      '{"servers": {"a": {"command": "x", "permissions": {}}}}',
      1,
      36,
      '"permissions" is not allowed in a server\'s entry; move it beside the servers',
    ],
    [
      "permissions beside the section",
      '{"mcp": {"servers": {}},\n"permissions": {"deny": ["*"]}}',
      2,
      1,
      '"permissions" must be inside "mcp", because the file has that section',
    ],
    [
      "permissions twice",
      '{"mcp": {\n"permissions": {"deny": ["*"]},\n"permissions": {}}}',
      3,
      1,
      '"permissions" is defined twice, on lines 2 and 3',
    ],
    ["denials twice", '{"permissions": {"deny": ["*"], "deny": []}}', 1, 33, '"deny" is defined twice, on line 1'],
    ["the section twice", '{"mcp": {},\n"mcp": {},\n"mcp": {}}', 2, 1, '"mcp" is defined 3 times, on lines 1, 2 and 3'],
    ["servers twice", '{"servers": {},\n"servers": {}}', 2, 1, '"servers" is defined twice, on lines 1 and 2'],
    [
      "mcpServers twice",
      '{"mcpServers": {},\n"mcpServers": {}}',
      2,
      1,
      '"mcpServers" is defined twice, on lines 1 and 2',
    ],
    [
      "mcp.servers twice",
      '{"mcp": {"servers": {},\n"servers": {}}}',
      2,
      1,
      '"servers" is defined twice, on lines 1 and 2',
    ],
    [
      "another version",
      '{"version": 2, "mcp": {}}',
      1,
      13,
      '"version" is 2; this version of Plugboard reads version 1',
    ],
    ["a version in words", '{"version": "1"}', 1, 13, '"version" is "1"; this version of Plugboard reads version 1'],
  ])("%s", { meta: { covers: ["R2.32"] } }, async (_, text, line, column, what) => {
    await expect(read(text)).rejects.toMatchObject({
      code: "CONFIG_INVALID",
      details: { file: FILE, line, column, reason: what },
    });
  });
});

it("a refusal that ends in a question has no full stop after it", async () => {
  await expect(read('{"permissions": {"Deny": []}}')).rejects.toThrow(/did you mean "deny"\? Correct the file/);
  await expect(read("[]")).rejects.toThrow(/must contain an object\. Correct the file/);
});

describe("a key of the file that is not read is a warning at its place:", () => {
  it.each([
    ["misspelt at the root", '{"mpcServers": {}}', 2, 'unknown key "mpcServers"; did you mean "mcpServers"?'],
    ["misspelt in the section", '{"mcp": {"servrs": {}}}', 10, 'unknown key "servrs"; did you mean "servers"?'],
    ["not known in the section", '{"mcp": {"colour": 1}}', 10, 'unknown key "colour"'],
    ["not known beside what is", '{"servers": {}, "inputs": []}', 17, 'unknown key "inputs"'],
    ["outside of the section", '{"mcp": {}, "naming": "{tool}"}', 13, '"naming" is ignored; move it into "mcp"'],
    [
      "servers of another shape",
      '{"mcp": {"servers": {}}, "servers": {}}',
      26,
      '"servers" is ignored, because the file has "mcp.servers"',
    ],
    [
      "servers of a third shape",
      '{"mcpServers": {}, "servers": {}}',
      20,
      '"servers" is ignored, because the file has "mcpServers"',
    ],
  ])("%s", async (_, text, column, message) => {
    const { problems } = await read(text);
    expect(problems).toEqual([{ severity: "warning", file: FILE, line: 1, column, message }]);
  });

  it.each(["$schema", "version"])("but not %s", async (key) => {
    expect((await read(`{"${key}": 1, "mcp": {}}`)).problems).toEqual([]);
  });
});

it("servers that are no object define nothing, and the rest of the file is read", async () => {
  const layer = await read('{"servers": [1], "permissions": {"deny": ["*"]}}');
  expect(layer).toMatchObject({ servers: [], switches: [], rules: [{ text: "*" }] });
  expect(layer.problems).toEqual([
    { severity: "error", file: FILE, line: 1, column: 13, message: '"servers" must be an object' },
  ]);
});

function read(text: string): Promise<Layer> {
  return readLayerFromText(FILE, text, origin);
}

async function definition(entry: object): Promise<unknown> {
  const { servers, problems } = await read(JSON.stringify({ servers: { files: entry } }));
  expect(problems).toEqual([]);
  return servers[0]!.definition;
}
