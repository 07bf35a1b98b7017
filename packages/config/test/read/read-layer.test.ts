import { readLayerFromText } from "#read/read-layer.js";
import type { Layer } from "#read/read-layer.js";
import { HostError } from "@plugboard/contracts";
import { describe, expect, it } from "vitest";
import { stdioDefinition } from "../helpers/small-definitions.ts";

const FILE = "/home/ann/config.json";
const origin = { source: "user", folder: "/home/ann" } as const;

const stdio = stdioDefinition({ command: "npx" });

describe("readLayerFromText", () => {
  const servers = { files: { command: "npx" } };

  it.each([
    ["mcp.servers", { version: 1, mcp: { servers } }],
    ["mcpServers", { mcpServers: servers }],
    ["servers", { servers }],
  ])(
    "finds servers under %s",
    { meta: { covers: ["R0.25", "R2.35", "R2.36", "R2.38", "R2.32", "R2.33", "R3.5", "R3.80"] } },
    async (_, config) => {
      const layer = await read(JSON.stringify(config));
      expect(layer.servers).toStrictEqual([{ id: "files", ...origin, file: FILE, definition: stdio }]);
      expect(layer.problems).toEqual([]);
    },
  );

  it("uses only mcp.servers if the file has servers in several places", async () => {
    const layer = await read(
      JSON.stringify({ servers, mcpServers: servers, mcp: { servers: { own: { command: "x" } } } }),
    );
    expect(layer.servers.map(({ id }) => id)).toEqual(["own"]);
  });

  it("finds no servers in a file of another program", async () => {
    expect(await read('{ "editor.fontSize": 12 }')).toMatchObject({
      servers: [],
      switches: [],
      rules: [],
      problems: [],
    });
  });
});

describe("servers in the wrong place of a config file", () => {
  const servers = { files: { command: "node" } };

  it.each([
    ["mcp_servers", { mcp_servers: servers }],
    ["context_servers", { context_servers: servers, theme: "dark" }],
    ["mcpServer", { mcpServer: servers }],
    ["extensions", { version: 1, extensions: { x: { cmd: "node" } } }],
  ])("give a warning that names the key %s and the right one", async (key, config) => {
    const layer = await read(JSON.stringify(config));
    expect(layer.servers).toEqual([]);
    const message = `the servers in "${key}" are ignored, because servers belong in "mcp.servers" or "mcpServers"`;
    expect(layer.problems).toMatchObject([{ severity: "warning", line: 1, message }]);
  });

  it("give a warning if they are directly in mcp", async () => {
    const layer = await read(JSON.stringify({ mcp: { files: { command: "node" } } }));
    expect(layer.problems.map(({ message }) => message)).toEqual([
      '"files" is ignored, because servers belong in "mcp.servers"',
    ]);
  });
});

describe("a server's entry in a config file", () => {
  it("can set every key", { meta: { covers: ["R0.84", "R0.85", "R0.86", "R1.2", "R2.34", "R2.37"] } }, async () => {
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
    "can have a URL and headers: the transport is %s for %j",
    { meta: { covers: ["R1.3", "R1.4", "R2.34", "R2.40"] } },
    async (transport, transportKeys) => {
      const { command: _, args: __, env: ___, ...common } = stdio;
      expect(await definition({ url: "https://x/mcp", headers: { A: "b" }, ...transportKeys })).toStrictEqual({
        ...common,
        transport,
        url: "https://x/mcp",
        headers: { A: "b" },
        auth: { type: "none" },
      });
    },
  );

  it.each([
    ["the transport in type", { type: "http", url: "https://x" }, { transport: "http" }],
    [
      "keys in camelCase",
      { command: "x", startupTimeoutMs: 5, requestTimeoutMs: 6 },
      { startupTimeoutMs: 5, requestTimeoutMs: 6 },
    ],
    ["keys in snake_case", { command: "x", max_timeout_ms: 7 }, { maxTimeoutMs: 7 }],
    ["a URL with a variable", { url: "${BASE}/mcp" }, { url: "${BASE}/mcp" }],
    ["a URL with a user name", { url: "https://ann:pw@x/mcp" }, { url: "https://ann:pw@x/mcp" }],
    [
      "the longest timeout that Node supports",
      { command: "x", max_timeout_ms: 2 ** 31 - 1 },
      { maxTimeoutMs: 2 ** 31 - 1 },
    ],
    ["an escaped string that only looks like a reference", { command: "x", args: ["$${a-b}"] }, { args: ["$${a-b}"] }],
  ])("can have %s", { meta: { covers: ["R1.8"] } }, async (_, entry, expected) => {
    expect(await definition(entry)).toMatchObject(expected);
  });

  it("can have comments, a byte-order mark and a trailing comma", async () => {
    const layer = await read('\ufeff{ // mine\n"servers": { "files": { "command": "npx", }, }, }');
    expect(layer.servers).toMatchObject([{ id: "files", definition: { command: "npx" } }]);
    expect(layer.problems).toEqual([]);
  });

  it("enables or disables the server of a lower layer if it has only the key enabled", async () => {
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
      {
        command: "x",
        healthIntervalMs: 0,
        idle_stop_ms: 5,
        retry: "never",
        protocol: "legacy",
        max_message_bytes: 4096,
      },
      { healthIntervalMs: 0, idleStopMs: 5, retry: "never", protocol: "legacy", maxMessageBytes: 4096 },
    ],
  ])("can be %j", async (entry, expected) => {
    const layer = await read(JSON.stringify({ servers: { one: entry } }));
    expect(layer.problems).toEqual([]);
    expect(layer.servers[0]!.definition).toMatchObject(expected);
  });
});

describe("an unknown key of a server's entry", () => {
  it.each([
    ["with the most similar key", "comand", 'unknown key "comand"; did you mean "command"?'],
    [
      "with the most similar key in snake_case",
      "requestTimeoutMS",
      'unknown key "requestTimeoutMS"; did you mean "request_timeout_ms"?',
    ],
    ["without a suggestion if no key is similar", "autoApprove", 'unknown key "autoApprove"'],
    ["even if it is a property of every object", "constructor", 'unknown key "constructor"'],
  ])("gives a warning at its position %s, and the server still works", async (_, key, message) => {
    const layer = await read(
      `{\n  "servers": {\n    "files": {\n      "command": "npx",\n      "${key}": 1\n    }\n  }\n}`,
    );
    expect(layer.problems).toEqual([{ severity: "warning", file: FILE, line: 5, column: 7, server: "files", message }]);
    expect(layer.servers).toMatchObject([{ definition: { command: "npx" } }]);
  });
});

describe("an invalid entry of a server", { meta: { covers: ["R2.98"] } }, () => {
  it.each([
    ["a command that is not a string", { command: 7 }, '"command" must be a string'],
    ["an empty command", { command: "" }, '"command" must not be empty'],
    ["a stdio server without a command", { transport: "stdio" }, '"command" is missing'],
    ["an http server without a url", { transport: "http" }, '"url" is missing'],
    ["neither a command nor a url", { args: [] }, 'it has neither a "command" nor a "url"'],
    ["an empty object", {}, 'it has neither a "command" nor a "url"'],
    ["args that are not a list", { command: "x", args: "y" }, '"args" must be an array'],
    ["an argument that is not a string", { command: "x", args: ["y", 1] }, '"args.1" must be a string'],
    [
      "an environment variable that is not a string",
      { command: "x", env: { PORT: 80 } },
      '"env.PORT" must be a string',
    ],
    ["a header that is not a string", { url: "https://x", headers: { A: null } }, '"headers.A" must be a string'],
    ["an enabled that is not a boolean", { command: "x", enabled: "no" }, '"enabled" must be true or false'],
    ["a timeout of 0", { command: "x", request_timeout_ms: 0 }, '"request_timeout_ms" must be a whole number above 0'],
    [
      "a negative timeout",
      { command: "x", startup_timeout_ms: -1 },
      '"startup_timeout_ms" must be a whole number above 0',
    ],
    [
      "a timeout that is not a whole number",
      { command: "x", max_timeout_ms: 1.5 },
      '"max_timeout_ms" must be a whole number above 0',
    ],
    [
      "a timeout too long for a timer",
      { command: "x", max_timeout_ms: 2 ** 31 },
      '"max_timeout_ms" must be at most 2147483647',
    ],
    [
      "a timeout that is a string",
      { command: "x", startup_timeout_ms: "9" },
      '"startup_timeout_ms" must be a whole number above 0',
    ],
    ["an env that is not an object", { command: "x", env: ["A=b"] }, '"env" must be an object'],
    ["an invalid URL", { url: "not a url" }, '"url" must be an http(s) URL'],
    ["a URL that is not http", { url: "ftp://x" }, '"url" must be an http(s) URL'],
    [
      "an invalid reference",
      { command: "x", args: ["a", "${NOPE-TOK}"] },
      '"args.1" has ${NOPE-TOK}, which is not a valid reference; write ${NAME} or ${NAME:-default}, or $${ for a literal ${',
    ],
    [
      "an invalid reference in env that may be a secret",
      { command: "x", env: { A: "${TOK-s3cret}" } },
      '"env.A" has ${***}, which is not a valid reference; write ${NAME} or ${NAME:-default}, or $${ for a literal ${',
    ],
    [
      "an unterminated reference",
      { url: "https://x", headers: { A: "${TOKEN" } },
      '"headers.A" has ${, which is not a valid reference; write ${NAME} or ${NAME:-default}, or $${ for a literal ${',
    ],
    [
      "an unknown transport",
      { transport: "carrier pigeon" },
      /^"transport" is "carrier pigeon"; it must be one of stdio, http, sse, websocket, claudeai-proxy/,
    ],
    ["an http URL for a websocket server", { transport: "websocket", url: "https://x" }, '"url" must be a ws(s) URL'],
    ["a proxy without a server id", { transport: "claudeai-proxy", url: "https://x" }, '"id" is missing'],
    [
      "a negative idle time",
      { command: "x", idle_stop_ms: -1 },
      '"idle_stop_ms" must be a whole number; 0 means never',
    ],
    ["an unknown protocol", { command: "x", protocol: "new" }, '"protocol" must be "legacy" or "modern" or "auto"'],
    ["an unknown retry", { command: "x", retry: "always" }, '"retry" must be "safe" or "never"'],
    [
      "a max_message_bytes that is too small",
      { command: "x", max_message_bytes: 1 },
      /^"max_message_bytes" must be a whole number from/,
    ],
    ["a key of the other transport", { command: "x", headers: {} }, '"headers" is not allowed for a stdio server'],
    ["both a command and a url", { command: "x", url: "https://x" }, '"url" is not allowed for a stdio server'],
    ["a string instead of an object", ["npx"], "the entry must be an object"],
  ])("disables only its server: %s", { meta: { covers: ["R2.98", "R2.97", "R2.96"] } }, async (_, entry, reason) => {
    const layer = await read(JSON.stringify({ servers: { bad: entry, good: { command: "npx" } } }));
    expect(layer.servers.map(({ id }) => id)).toEqual(["bad", "good"]);
    const [bad, good] = layer.servers;
    expect(good!.definition).toEqual(stdio);
    const { invalid } = bad!.definition as { invalid: string };
    if (typeof reason === "string") expect(invalid).toBe(reason);
    else expect(invalid).toMatch(reason);
    expect(layer.problems).toMatchObject([{ severity: "error", server: "bad", message: invalid }]);
  });

  it.each([
    ["a key", '"command": "x",\n"command": "y"', '"command" is defined twice, on lines 2 and 3'],
    [
      "a key in two spellings",
      '"url": "https://x", "type": "http",\n"transport": "http"',
      '"transport" is defined twice, on lines 2 and 3',
    ],
    ["an environment variable", '"command": "x", "env": {"A": "1", "A": "2"}', '"env.A" is defined twice, on line 2'],
  ])("is reported for %s that is defined twice", async (_, body, reason) => {
    const layer = await read(`{"servers": {"bad": {\n${body}}, "good": {"command": "npx"}}}`);
    expect(layer.servers).toMatchObject([{ definition: { invalid: reason } }, { definition: stdio }]);
    expect(layer.problems).toMatchObject([{ severity: "error", server: "bad", message: reason }]);
  });

  it(
    "is reported at the position of the invalid value, or of the entry if a key is missing",
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

describe("a server id in a config file", () => {
  it(
    "defines an invalid server if it occurs twice, and the error names both lines",
    { meta: { covers: ["R2.51"] } },
    async () => {
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
    },
  );

  it.each([["a b"], ["a:b"], [""], ["é"], ["x".repeat(65)], ["\u001b[2J"]])(
    "can't be %j, and its entry is dropped",
    { meta: { covers: ["R2.49", "R2.50"] } },
    async (id) => {
      const layer = await read(JSON.stringify({ servers: { [id]: { command: "x" }, good: { command: "npx" } } }));
      expect(layer.servers.map((server) => server.id)).toEqual(["good"]);
      expect(layer.problems).toEqual([
        { severity: "error", file: FILE, line: 1, column: 13, message: expect.stringContaining(JSON.stringify(id)) },
      ]);
    },
  );

  it("is dropped if it is invalid and occurs twice", async () => {
    const layer = await read('{"servers": {"a b": {"command": "x"}, "a b": {"command": "x"}}}');
    expect(layer.servers).toEqual([]);
    expect(layer.problems.length).toBeGreaterThan(0);
  });

  it("can't be __proto__, which can't be a key of a plain object, and its entry is dropped", async () => {
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

describe("the permissions of a config file", () => {
  it("are read as rules in the order of the file", async () => {
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
    ["is invalid", '"delete everything"', '"delete everything" is not a rule'],
    ["is not a string", "7", "7 is not a rule"],
    ["has an unterminated argument", '"a:b(c=d"', '"a:b(c=d" is not a rule'],
  ])("are rejected if one rule %s, because it may be a deny rule", async (_, rule, reason) => {
    const text = `{"mcp": {"permissions": {\n  "deny": ["a:*",\n    ${rule}]}}}`;
    const error: unknown = await read(text).catch((thrown: unknown) => thrown);
    expect(error).toBeInstanceOf(HostError);
    expect(error).toMatchObject({
      code: "CONFIG_INVALID",
      details: { file: FILE, line: 3, column: 5, reason: expect.stringContaining(reason) },
    });
  });

  it.each([
    ["mcp.permissions", '{"mcp": {"permissions": {"deny": ["*:t"]}}}'],
    ["permissions next to mcpServers", '{"mcpServers": {}, "permissions": {"deny": ["*:t"]}}'],
    ["permissions next to servers", '{"permissions": {"deny": ["*:t"]}, "servers": {}}'],
    ["permissions alone", '{"permissions": {"deny": ["*:t"]}}'],
  ])("are found under %s", async (_, text) => {
    const { rules, problems } = await read(text);
    expect(rules.map((rule) => `${rule.effect} ${rule.text}`)).toEqual(["deny *:t"]);
    expect(problems).toEqual([]);
  });
});

describe("readLayerFromText with a file that may hide a deny rule", () => {
  it.each([
    ["invalid JSON", '{\n  "servers": {"a": {"command": "x"}\n', 3, 1, "not JSON: close brace expected"],
    [
      "a syntax error after the rules",
      '{"mcp": {"permissions": {"deny": ["*"]}},\n oops}',
      2,
      2,
      "not JSON: invalid symbol",
    ],
    ["an empty file", "", 1, 1, "the file is empty; it must contain an object"],
    ["a file with only a comment", "// later\n", 1, 1, "the file is empty; it must contain an object"],
    ["a list instead of an object", "[1]", 1, 1, "the file must contain an object"],
    ["null", "null", 1, 1, "the file must contain an object"],
    ["an mcp section that is a list", '{"mcp": [{"permissions": {"deny": ["*"]}}]}', 1, 9, '"mcp" must be an object'],
    ["permissions that are a list", '{"mcp": {"permissions": ["*:t"]}}', 1, 25, '"permissions" must be an object'],
    ["permissions that are a string", '{"mcp": {"permissions": "deny *"}}', 1, 25, '"permissions" must be an object'],
    ["permissions that are null", '{"mcp": {"permissions": null}}', 1, 25, '"permissions" must be an object'],
    [
      "a deny that is a string",
      '{"mcp": {"permissions": {"deny": "*:t"}}}',
      1,
      34,
      '"deny" must be an array of rules like "server:tool"',
    ],
    [
      "a DENY in capitals",
      '{"mcp": {"permissions": {"Deny": ["*:t"]}}}',
      1,
      26,
      '"Deny" is not one of allow, ask, deny; did you mean "deny"?',
    ],
    [
      "a misspelt deny",
      '{"mcp": {"permissions": {\n"denny": ["*:t"]}}}',
      2,
      1,
      '"denny" is not one of allow, ask, deny; did you mean "deny"?',
    ],
    [
      "a deny under another name",
      '{"mcp": {"permissions": {"forbid": ["*:t"]}}}',
      1,
      26,
      '"forbid" is not one of allow, ask, deny',
    ],
    [
      "misspelt permissions",
      '{"mcp": {"permission": {}}}',
      1,
      10,
      'unknown key "permission"; did you mean "permissions"?',
    ],
    [
      "misspelt permissions at the root",
      '{"mcpServers": {}, "Permisions": {}}',
      1,
      20,
      'unknown key "Permisions"; did you mean "permissions"?',
    ],
    [
      "permissions in a misspelt section",
      '{"MCP": {"permissions": {"deny": ["*"]}}}',
      1,
      2,
      'unknown key "MCP"; did you mean "mcp"?',
    ],
    ["a deny outside permissions", '{"mcp": {"deny": ["*"]}}', 1, 10, '"deny" belongs inside "permissions"'],
    ["a deny at the root", '{"deny": ["*"]}', 1, 2, '"deny" belongs inside "permissions"'],
    [
      "a deny in a server's entry",
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
      "permissions next to the mcp section",
      '{"mcp": {"servers": {}},\n"permissions": {"deny": ["*"]}}',
      2,
      1,
      '"permissions" must be inside "mcp", because the file has that section',
    ],
    [
      "duplicate permissions",
      '{"mcp": {\n"permissions": {"deny": ["*"]},\n"permissions": {}}}',
      3,
      1,
      '"permissions" is defined twice, on lines 2 and 3',
    ],
    [
      "duplicate deny lists",
      '{"permissions": {"deny": ["*"], "deny": []}}',
      1,
      33,
      '"deny" is defined twice, on line 1',
    ],
    [
      "duplicate mcp sections",
      '{"mcp": {},\n"mcp": {},\n"mcp": {}}',
      2,
      1,
      '"mcp" is defined 3 times, on lines 1, 2 and 3',
    ],
    ["duplicate servers", '{"servers": {},\n"servers": {}}', 2, 1, '"servers" is defined twice, on lines 1 and 2'],
    [
      "duplicate mcpServers",
      '{"mcpServers": {},\n"mcpServers": {}}',
      2,
      1,
      '"mcpServers" is defined twice, on lines 1 and 2',
    ],
    [
      "duplicate mcp.servers",
      '{"mcp": {"servers": {},\n"servers": {}}}',
      2,
      1,
      '"servers" is defined twice, on lines 1 and 2',
    ],
    [
      "an unknown version",
      '{"version": 2, "mcp": {}}',
      1,
      13,
      '"version" is 2; this version of Plugboard reads version 1',
    ],
    [
      "a version that is a string",
      '{"version": "1"}',
      1,
      13,
      '"version" is "1"; this version of Plugboard reads version 1',
    ],
  ])(
    "rejects the file and reports the position: %s",
    { meta: { covers: ["R2.32"] } },
    async (_, text, line, column, reason) => {
      await expect(read(text)).rejects.toMatchObject({
        code: "CONFIG_INVALID",
        details: { file: FILE, line, column, reason },
      });
    },
  );
});

it("CONFIG_INVALID has no full stop after a reason that ends with a question mark", async () => {
  await expect(read('{"permissions": {"Deny": []}}')).rejects.toThrow(/did you mean "deny"\? Correct the file/);
  await expect(read("[]")).rejects.toThrow(/must contain an object\. Correct the file/);
});

describe("an ignored key of a config file", () => {
  it.each([
    ["a misspelt key at the root", '{"mpcServers": {}}', 2, 'unknown key "mpcServers"; did you mean "mcpServers"?'],
    ["a misspelt key in mcp", '{"mcp": {"servrs": {}}}', 10, 'unknown key "servrs"; did you mean "servers"?'],
    ["an unknown key in mcp", '{"mcp": {"colour": 1}}', 10, 'unknown key "colour"'],
    ["an unknown key beside known ones", '{"servers": {}, "inputs": []}', 17, 'unknown key "inputs"'],
    ["naming beside mcp", '{"mcp": {}, "naming": "{tool}"}', 13, '"naming" is ignored; move it into "mcp"'],
    [
      "servers beside mcp.servers",
      '{"mcp": {"servers": {}}, "servers": {}}',
      26,
      '"servers" is ignored, because the file has "mcp.servers"',
    ],
    [
      "servers beside mcpServers",
      '{"mcpServers": {}, "servers": {}}',
      20,
      '"servers" is ignored, because the file has "mcpServers"',
    ],
  ])("gives a warning with its position: %s", async (_, text, column, message) => {
    const { problems } = await read(text);
    expect(problems).toEqual([{ severity: "warning", file: FILE, line: 1, column, message }]);
  });

  it.each(["$schema", "version"])("gives no warning if it is %s", async (key) => {
    expect((await read(`{"${key}": 1, "mcp": {}}`)).problems).toEqual([]);
  });
});

it("readLayerFromText ignores servers that are not an object, with an error, and reads the rest of the file", async () => {
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
