/** Tests the spellings of a server's entry, and the messages about invalid entries. */
import type { ConfigSource } from "@plugboard/contracts";
import { readLayerFromText } from "#read/read-layer.js";
import { describe, expect, it } from "vitest";

const FILE = "/home/ann/config.json";

describe("readLayerFromText with optional keys and keys of other clients", () => {
  it.each<[string, object, object]>([
    ["disabled: true", { command: "x", disabled: true }, { enabled: false }],
    ["disabled: false", { command: "x", disabled: false }, { enabled: true }],
    [
      "a timeout in seconds",
      { command: "x", startup_timeout_sec: 10, tool_timeout_sec: 60.5 },
      { startupTimeoutMs: 10_000, requestTimeoutMs: 60_500 },
    ],
    [
      "a timeout in seconds in camelCase",
      { command: "x", startupTimeoutSec: 1, maxTimeoutSec: 2 },
      { startupTimeoutMs: 1000, maxTimeoutMs: 2000 },
    ],
    ["timeout, which is in milliseconds", { command: "x", timeout: 5000 }, { requestTimeoutMs: 5000 }],
    ["excluded_tools", { command: "x", excluded_tools: ["a"] }, { tools: { include: ["*"], exclude: ["a"] } }],
    ["disabled_tools", { command: "x", disabled_tools: ["a"] }, { tools: { exclude: ["a"] } }],
    ["excludeTools", { command: "x", excludeTools: ["a"] }, { tools: { exclude: ["a"] } }],
    ["enabled_tools", { command: "x", enabled_tools: ["a"] }, { tools: { include: ["a"], exclude: [] } }],
    [
      "includeTools beside tools.exclude",
      { command: "x", includeTools: ["a"], tools: { exclude: ["b"] } },
      { tools: { include: ["a"], exclude: ["b"] } },
    ],
    ["serverUrl", { serverUrl: "https://x" }, { transport: "http", url: "https://x" }],
    [
      "httpUrl and http_headers",
      { httpUrl: "https://x", http_headers: { A: "b" } },
      { url: "https://x", headers: { A: "b" } },
    ],
    ["environment", { command: "x", environment: { A: "b" } }, { env: { A: "b" } }],
    ["sdk as the type", { type: "sdk", name: "memory" }, { transport: "sdk", name: "memory" }],
    ["a lazy server", { command: "x", start: "lazy", share: "caller" }, { start: "lazy", share: "caller" }],
    ["an account", { url: "https://x", account: "ann@example.com" }, { account: "ann@example.com" }],
  ])("accepts %s", async (_, entry, expected) => {
    const { servers, problems } = await read(entry);
    expect(problems).toEqual([]);
    expect(servers[0]!.definition).toMatchObject(expected);
  });

  it("disables the server of a lower layer if the entry has only the key `disabled`", async () => {
    expect((await read({ disabled: true })).switches).toEqual([{ id: "one", enabled: false }]);
  });
});

describe("the key auth of a server's entry", () => {
  it.each<[string, object, object]>([
    ["none", { type: "none" }, { type: "none" }],
    [
      "an API key",
      { type: "api_key", header_name: "X-Key", api_key: "${K}" },
      { type: "api_key", headerName: "X-Key", apiKey: "${K}" },
    ],
    [
      "an API key in camelCase",
      { type: "api_key", headerName: "X-Key", apiKey: "${K}" },
      { type: "api_key", headerName: "X-Key", apiKey: "${K}" },
    ],
    [
      "an API key with its type in camelCase",
      { type: "apiKey", apiKey: "k" },
      { type: "api_key", headerName: "X-API-Key", apiKey: "k" },
    ],
    [
      "an API key that refers to a secret",
      { type: "api_key", api_key: { $secret: "k" } },
      { apiKey: { $secret: "k" } },
    ],
    ["a token file", { type: "token_file", tokenPath: "t" }, { type: "token_file", tokenPath: "t" }],
    [
      "OAuth with every key",
      {
        type: "oauth",
        authUrl: "https://a/authorize",
        tokenUrl: "https://a/token",
        registration_url: "https://a/register",
        clientId: "c",
        client_secret: { $file: "s" },
        scope: "mcp",
        client_metadata_url: "https://me/c.json",
        callback_port: 7777,
      },
      {
        type: "oauth",
        authorizationUrl: "https://a/authorize",
        tokenUrl: "https://a/token",
        registrationUrl: "https://a/register",
        clientId: "c",
        clientSecret: { $file: "s" },
        scope: "mcp",
        clientMetadataUrl: "https://me/c.json",
        callbackPort: 7777,
      },
    ],
    ["OAuth with a list of scopes", { type: "oauth", scopes: ["a", "b"] }, { type: "oauth", scope: "a b" }],
    ...["http://localhost/t", "http://as.localhost/t", "http://127.0.0.7:80/t", "http://[::1]/t", "${AT}"].map(
      (token_url): [string, object, object] => [
        `OAuth with the token URL ${token_url}`,
        { type: "oauth", token_url },
        { type: "oauth", tokenUrl: token_url },
      ],
    ),
    [
      "client credentials with a private key",
      { type: "client_credentials", token_url: "https://a/token", client_id: "c", private_key_file: "k.pem" },
      { type: "client_credentials", tokenUrl: "https://a/token", clientId: "c", privateKeyFile: "k.pem" },
    ],
    [
      "client credentials with an assertion file",
      { type: "client_credentials", client_id: "c", assertionFile: "jwt" },
      { type: "client_credentials", clientId: "c", assertionFile: "jwt" },
    ],
    [
      "an enterprise login",
      { type: "enterprise", client_id: "c", idpTokenUrl: "https://i/t", idp_client_id: "d", id_token_file: "id" },
      { type: "enterprise", clientId: "c", idpTokenUrl: "https://i/t", idpClientId: "d", idTokenFile: "id" },
    ],
  ])("can be %s", async (_, auth, expected) => {
    const { servers, problems } = await read({ url: "https://x", auth });
    expect(problems).toEqual([]);
    expect(servers[0]!.definition).toMatchObject({ auth: expected });
  });

  it("can be shortened to oauth, without a type", async () => {
    const { servers, problems } = await read({ url: "https://x", oauth: { token_url: "https://a/token" } });
    expect(problems).toEqual([]);
    expect(servers[0]!.definition).toMatchObject({ auth: { type: "oauth", tokenUrl: "https://a/token" } });
    expect((await read({ url: "https://x", oauth: {} })).servers[0]!.definition).toMatchObject({
      auth: { type: "oauth" },
    });
  });

  it("can have the type `none` beside an Authorization header", async () => {
    const { problems } = await read({
      url: "https://x",
      auth: { type: "none" },
      headers: { Authorization: "Bearer x" },
    });
    expect(problems).toEqual([]);
  });

  it("can have the type `none` for a stdio server", async () => {
    const { servers, problems } = await read({ command: "x", auth: { type: "none" } });
    expect(problems).toEqual([]);
    expect(servers[0]!.definition).not.toHaveProperty("auth");
  });
});

describe("a server's entry with an invalid value", () => {
  const remote = (more: object) => ({ url: "https://x", ...more });
  const TYPES = "none, api_key, token_file, oauth, client_credentials, enterprise";

  it.each<[string, object, string]>([
    ["an auth without a type", remote({ auth: {} }), `"auth.type" is missing; it must be one of ${TYPES}`],
    ["an auth that is a string", remote({ auth: "oauth" }), '"auth" must be an object'],
    ["an unknown auth type", remote({ auth: { type: "magic" } }), `"auth.type" is "magic"; it must be one of ${TYPES}`],
    ["an api_key auth without the key", remote({ auth: { type: "api_key" } }), '"auth.api_key" is missing'],
    ["an API key that is a number", remote({ auth: { type: "api_key", apiKey: 7 } }), '"auth.apiKey" must be a string'],
    [
      "an invalid header name",
      remote({ auth: { type: "api_key", headerName: "a b", apiKey: "k" } }),
      '"auth.headerName" is not a valid header name',
    ],
    [
      "a header set twice",
      remote({ headers: { "x-api-key": "1" }, auth: { type: "api_key", api_key: "k" } }),
      '"headers.x-api-key" is also set by "auth"; remove one of the two',
    ],
    [
      "a line break in headers",
      remote({ headers: { A: "1\r\nEvil: ${X}" } }),
      '"headers.A" has a line break or another character that is not allowed in a header',
    ],
    ["an invalid name in headers", remote({ headers: { "a:b": "1" } }), '"headers.a:b" is not a valid header name'],
    [
      "a key of another auth type",
      remote({ auth: { type: "token_file", token_path: "t", api_key: "k" } }),
      '"auth.api_key" is not allowed for "token_file"',
    ],
    ["an invalid URL", remote({ oauth: { authUrl: "ftp://x" } }), '"oauth.authUrl" must be an http(s) URL'],
    [
      "an invalid port",
      remote({ oauth: { callback_port: 70_000 } }),
      '"oauth.callback_port" must be a number from 1 to 65535',
    ],
    [
      "a port that is a string",
      remote({ oauth: { callback_port: "3000" } }),
      '"oauth.callback_port" must be a number from 1 to 65535',
    ],
    ...["authorization_url", "token_url", "registration_url"].map((key): [string, object, string] => [
      `an unencrypted ${key}`,
      remote({ oauth: { [key]: "http://login.example.com/" } }),
      `"oauth.${key}" must be https; http is allowed only on this machine`,
    ]),
    [
      "a token URL whose host only looks like localhost",
      remote({ oauth: { token_url: "http://127.0.0.1.example.com/" } }),
      '"oauth.token_url" must be https; http is allowed only on this machine',
    ],
    ...["http://me.example.com/c.json", "https://me.example.com/", "me"].map((url): [string, object, string] => [
      `the client metadata URL ${url}`,
      remote({ oauth: { client_metadata_url: url } }),
      '"oauth.client_metadata_url" must be an https URL with a path',
    ]),
    [
      "a client secret without a client id",
      remote({ oauth: { clientSecret: "s" } }),
      '"oauth" has a "client_secret" but no "client_id"',
    ],
    ...[
      { type: "oauth" },
      { type: "token_file", token_path: "t" },
      { type: "client_credentials", client_id: "c", client_secret: "s" },
    ].map((auth): [string, object, string] => [
      `an Authorization header beside ${auth.type}`,
      remote({ auth, headers: { authorization: "Bearer x" } }),
      '"headers.authorization" is also set by "auth"; remove one of the two',
    ]),
    [
      "client credentials without a secret, key or assertion",
      remote({ auth: { type: "client_credentials", client_id: "c" } }),
      '"auth" needs one of "client_secret", "private_key_file" or "assertion_file"',
    ],
    [
      "client credentials with both a secret and a key",
      remote({ auth: { type: "client_credentials", client_id: "c", client_secret: "s", private_key_file: "k" } }),
      '"auth" has more than one of "client_secret", "private_key_file" and "assertion_file"; keep one',
    ],
    [
      "enterprise auth without an identity provider",
      remote({ auth: { type: "enterprise", client_id: "c", idp_client_id: "d", id_token_file: "id" } }),
      '"auth.idp_token_url" is missing',
    ],
    ["both auth and oauth", remote({ auth: { type: "none" }, oauth: {} }), '"auth" is defined twice, on line 1'],
    [
      "a login for a stdio server",
      { command: "x", oauth: {} },
      '"oauth" is not allowed for a stdio server; pass credentials in "env"',
    ],
    ["a disabled that is not a boolean", { command: "x", disabled: "yes" }, '"disabled" must be true or false'],
    [
      "a timeout in seconds that is a string",
      { command: "x", startup_timeout_sec: "9" },
      '"startup_timeout_sec" must be a whole number above 0',
    ],
    [
      "a negative timeout in seconds",
      { command: "x", toolTimeoutSec: -1 },
      '"toolTimeoutSec" must be a whole number above 0',
    ],
    ["tools as a list", { command: "x", tools: ["a"] }, '"tools" must be an object with "include" or "exclude"'],
    [
      "an excluded tool that is not a string",
      { command: "x", excludedTools: ["a", 1] },
      '"excludedTools.1" must be a string',
    ],
    [
      "tools.include as a string",
      { command: "x", tools: { include: "a" } },
      '"tools.include" must be a list of tool names, with * for any part',
    ],
    [
      "tools.exclude and its alias",
      { command: "x", excluded_tools: ["a"], tools: { exclude: ["b"] } },
      '"tools.exclude" is defined twice, on line 1',
    ],
    ["an unknown start", { command: "x", start: "soon" }, '"start" must be "eager" or "lazy"'],
    ["an unknown share", { command: "x", share: "some" }, '"share" must be "all" or "caller"'],
    [
      "a trust_annotations that is a string",
      { command: "x", trust_annotations: "yes" },
      '"trust_annotations" must be true or false',
    ],
    [
      "a strict_results that is a string",
      { command: "x", strict_results: "yes" },
      '"strict_results" must be true or false',
    ],
    ["an account with spaces", remote({ account: "a b" }), '"account" must be 1 to 128 letters, digits or . _ @ + -'],
    ["an account for a stdio server", { command: "x", account: "a" }, '"account" is not allowed for a stdio server'],
    ["an sdk server without a name", { type: "sdk" }, '"name" is missing'],
    [
      "an empty object instead of a reference",
      { command: "x", env: { A: {} } },
      '"env.A" must be a string, or an object with only "$secret", "$file" or "$cmd"',
    ],
    [
      "a reference with two keys",
      { command: "x", env: { A: { $secret: "a", $file: "b" } } },
      '"env.A" must be a string, or an object with only "$secret", "$file" or "$cmd"',
    ],
    [
      "a secret name that is not a string",
      { command: "x", args: [{ $secret: 1 }] },
      '"args.0" must have a string in "$secret"',
    ],
    [
      "a file with an empty path",
      remote({ headers: { A: { $file: "" } } }),
      '"headers.A" must have a string in "$file"',
    ],
    [
      "a command line instead of a list in $cmd",
      { command: "x", args: [{ $cmd: "op read" }] },
      '"args.0" must have a list in "$cmd": the program and its arguments',
    ],
    [
      "an empty list in $cmd",
      { command: "x", args: [{ $cmd: [] }] },
      '"args.0" must have a list in "$cmd": the program and its arguments',
    ],
    ["a secret as the command", { command: { $secret: "a" } }, '"command" must be a string'],
    ["a secret as the URL", { url: { $secret: "a" } }, '"url" must be a string'],
  ])("disables the server, and the reason names the key as the file spells it: %s", async (_, entry, reason) => {
    const { servers, problems } = await read(entry);
    expect(problems).toMatchObject([{ severity: "error", server: "one", file: FILE, message: reason }]);
    expect(servers).toMatchObject([{ id: "one", definition: { invalid: reason } }]);
  });

  it("is reported at the position of the value, together with all other problems of the entry", async () => {
    const text =
      '{"servers": {"one": {"url": "https://x",\n  "headers": {"A": "b",\n    "B": 7},\n"auth": {"type": "api_key",\n  "headerName": "ok"}}}}';
    const { problems } = await readLayerFromText(FILE, text, { source: "user", folder: "/" });
    expect(problems).toMatchObject([
      { line: 3, column: 10, message: '"headers.B" must be a string' },
      { line: 4, column: 9, message: '"auth.api_key" is missing' },
    ]);
  });
});

describe("an unknown key inside auth or tools", () => {
  it.each([
    [
      { url: "https://x", auth: { type: "api_key", api_key: "k", hedder_name: "x" } },
      'unknown key "auth.hedder_name"; did you mean "header_name"?',
    ],
    [
      { url: "https://x", auth: { type: "oauth", clientid: "c" } },
      'unknown key "auth.clientid"; did you mean "client_id"?',
    ],
    [{ url: "https://x", oauth: { authServerMetadataUrl: "https://a" } }, 'unknown key "oauth.authServerMetadataUrl"'],
    [{ command: "x", tools: { exlude: [] } }, 'unknown key "tools.exlude"; did you mean "exclude"?'],
  ])("gives a warning with the most similar known key, if there is one: %j", async (entry, message) => {
    const { servers, problems } = await read(entry);
    expect(problems).toMatchObject([{ severity: "warning", server: "one", message }]);
    expect(servers[0]!.definition).not.toHaveProperty("invalid");
  });
});

it.each([
  ["env", { url: "https://x", env: { A: "b" } }, "http"],
  ["name", { command: "x", name: "mine" }, "stdio"],
])(
  "the key %s of a server that does not use it gives a warning, and the server still works",
  { meta: { covers: ["R2.39"] } },
  async (key, entry, transport) => {
    const { servers, problems } = await read(entry);
    const message = `"${key}" has no effect on a ${transport} server`;
    expect(problems).toMatchObject([{ severity: "warning", server: "one", message }]);
    expect(servers[0]!.definition).toMatchObject({ transport });
    expect(servers[0]!.definition).not.toHaveProperty(key);
  },
);

describe("a $cmd reference", () => {
  const entry = { command: "x", env: { TOKEN: { $cmd: ["op", "read", "op://x"] } } };

  it.each<ConfigSource>(["user", "managed"])("is allowed in the %s layer", async (source) => {
    expect((await read(entry, source)).problems).toEqual([]);
  });

  it.each<ConfigSource>(["project", "local", "invocation"])("is not allowed in the %s layer", async (source) => {
    const { servers, problems } = await read(entry, source);
    const message = '"env.TOKEN" has "$cmd", which is allowed only in your own config file and the administrator\'s';
    expect(problems).toMatchObject([{ severity: "error", server: "one", message }]);
    expect(servers[0]!.definition).toHaveProperty("invalid");
  });

  it("is not allowed in the auth of a project's server", async () => {
    const auth = { type: "api_key", api_key: { $cmd: ["id"] } };
    const { servers } = await read({ url: "https://x", auth }, "project");
    expect(servers[0]!.definition).toHaveProperty("invalid");
  });
});

describe("a server id that is dangerous as a file name", { meta: { covers: ["A10"] } }, () => {
  it.each([
    ["a parent folder", "../../x"],
    ["a subfolder", "a/b"],
    ["a Windows path", "C:\\x"],
    ["a NUL character", "nul\0byte"],
    ["a dot", "."],
    ["5000 characters", "x".repeat(5000)],
  ])("is rejected with one short error, and its entry is dropped: %s", async (_, id) => {
    const text = JSON.stringify({ servers: { [id]: { command: "x" }, good: { command: "y" } } });
    const { servers, problems } = await readLayerFromText(FILE, text, { source: "user", folder: "/" });
    expect(servers.map((server) => server.id)).toEqual(["good"]);
    expect(problems).toMatchObject([
      { severity: "error", line: 1, message: expect.stringMatching(/^a server id must be 1 to 64 of/) },
    ]);
    expect(problems[0]!.message.length).toBeLessThan(250);
    expect(problems[0]!.message).not.toContain("\0");
  });

  it("can be CON, a reserved name on Windows, because ids are not used as file names", async () => {
    const { servers, problems } = await readLayerFromText(FILE, '{"servers": {"CON": {"command": "x"}}}', {
      source: "user",
      folder: "/",
    });
    expect(servers.map((server) => server.id)).toEqual(["CON"]);
    expect(problems).toEqual([]);
  });
});

it("readLayerFromText quotes only the beginning of a long key or value in a message", async () => {
  const long = "y".repeat(5000);
  const { problems } = await read({ [long]: 1, transport: long });
  for (const { message } of problems) expect(message.length).toBeLessThan(250);
  expect(problems).toHaveLength(2);
});

function read(entry: object, source: ConfigSource = "user") {
  return readLayerFromText(FILE, JSON.stringify({ servers: { one: entry } }), { source, folder: "/" });
}

describe("the key `timeout` in files of other clients", () => {
  const CLINE = "/home/ann/.config/Code/User/globalStorage/saoudrizwan.claude-dev/settings/cline_mcp_settings.json";
  const read = async (file: string, timeout: unknown) => {
    const text = JSON.stringify({ mcpServers: { s: { command: "x", timeout } } }, undefined, 2);
    const { servers, problems } = await readLayerFromText(file, text, { source: "user", folder: "/home/ann" });
    return { definition: servers[0]!.definition, problems };
  };

  it.each([
    [CLINE, 60, 60_000],
    ["/home/ann/settings/mcp_settings.json", 0.5, 500],
    ["/p/.roo/mcp.json", 60, 60_000],
    ["C:\\p\\.kilocode\\mcp.json", 60, 60_000],
    ["/p/.mcp.json", 60_000, 60_000],
    ["/home/ann/.gemini/settings.json", 1000, 1000],
    ["/home/ann/.claude.json", 5000, 5000],
  ])(
    "is read in the unit of the client that the file belongs to: %s with timeout %d",
    async (file, timeout, requestTimeoutMs) => {
      expect(await read(file, timeout)).toMatchObject({ definition: { requestTimeoutMs }, problems: [] });
    },
  );

  it.each([
    [
      "/p/.mcp.json",
      60,
      60,
      '"timeout" is read as 60 ms, which is probably too short; for seconds, use "tool_timeout_sec"',
    ],
    [
      CLINE,
      60_000,
      60_000_000,
      '"timeout" is read as 60000 seconds, which is probably too long; for milliseconds, use "request_timeout_ms"',
    ],
  ])(
    "gives a warning with the position if the value is implausible: %s with timeout %d",
    async (file, timeout, requestTimeoutMs, message) => {
      const { definition, problems } = await read(file, timeout);
      expect(definition).toMatchObject({ requestTimeoutMs });
      expect(problems).toEqual([{ severity: "warning", file, line: 5, column: 18, server: "s", message }]);
    },
  );
});
