import { entryRows } from "@plugboard/contracts";
import { toCamelCase } from "#lib/key-case.js";
import type { ConfiguredServer } from "#definition/definition.js";
import { definitionHash, variablesOf } from "#definition/definition-hash.js";
import { describe, expect, it } from "vitest";
import { configured, httpDefinition, sdkDefinition, stdioDefinition } from "../helpers/small-definitions.ts";

const stdio = { command: "x", args: ["a"], cwd: "w", env: { A: "${B}" } };
const http = {
  url: "https://x",
  headers: { A: "b" },
  auth: { type: "api_key", headerName: "H", apiKey: "${K}" },
} as const;

describe("definitionHash", { meta: { covers: ["A1"] } }, () => {
  it.each<[string, ConfiguredServer, ConfiguredServer]>([
    ["the command", stdioServer(stdio), stdioServer({ ...stdio, command: "y" })],
    ["an argument", stdioServer(stdio), stdioServer({ ...stdio, args: ["b"] })],
    ["the order of arguments", stdioServer({ args: ["a", "b"] }), stdioServer({ args: ["b", "a"] })],
    ["the name of a variable", stdioServer(stdio), stdioServer({ ...stdio, env: { C: "${B}" } })],
    ["the value of a variable", stdioServer(stdio), stdioServer({ ...stdio, env: { A: "${C}" } })],
    [
      "a reference to a secret",
      stdioServer({ env: { A: { $secret: "a" } } }),
      stdioServer({ env: { A: { $secret: "b" } } }),
    ],
    ["its cwd", stdioServer(stdio), stdioServer({ ...stdio, cwd: "v" })],
    ["the project folder", stdioServer(stdio), { ...stdioServer(stdio), folder: "/elsewhere" }],
    ["the id", stdioServer(stdio), { ...stdioServer(stdio), id: "other" }],
    ["the URL", httpServer(http), httpServer({ ...http, url: "https://y" })],
    ["the name of a header", httpServer(http), httpServer({ ...http, headers: { B: "b" } })],
    ["the value of a header", httpServer(http), httpServer({ ...http, headers: { A: "c" } })],
    ["the transport", httpServer(http), httpServer({ ...http, transport: "sse" })],
    ["the auth type", httpServer(http), httpServer({ ...http, auth: { type: "none" } })],
    ["an auth field", httpServer(http), httpServer({ ...http, auth: { ...http.auth, apiKey: "${L}" } })],
    ["the account", httpServer(http), httpServer({ ...http, account: "ann" })],
    ["the setting whose login clients use", httpServer(http), httpServer({ ...http, login: "shared" })],
    ["the tool filter", stdioServer(stdio), stdioServer({ ...stdio, tools: { include: ["a"], exclude: [] } })],
    ["the permission to sample", stdioServer(stdio), stdioServer({ ...stdio, sampling: true })],
    ["the message size limit", stdioServer(stdio), stdioServer({ ...stdio, maxMessageBytes: 2 ** 31 })],
    ["the result size limit", stdioServer(stdio), stdioServer({ ...stdio, resultLimitBytes: 2 ** 31 })],
    ["the protocol", stdioServer(stdio), stdioServer({ ...stdio, protocol: "legacy" })],
    ["the sandbox", stdioServer(stdio), stdioServer({ ...stdio, sandbox: true })],
    ["a host of the sandbox", stdioServer({ sandbox: { network: [] } }), stdioServer({ sandbox: { network: ["a"] } })],
    ["the sharing mode", stdioServer(stdio), stdioServer({ ...stdio, share: "caller" })],
    ["the name of an in-process server", configured(sdkDefinition("a")), configured(sdkDefinition("b"))],
    ["the file that enables the server", stdioServer(stdio), { ...stdioServer(stdio), enabledBy: "/p/.mcp.json" }],
  ])("changes with %s", (_, before, after) => {
    expect(definitionHash(after)).not.toBe(definitionHash(before));
    expect(definitionHash(after)).toMatch(/^[0-9a-f]{64}$/);
  });
});

it.each<[string, ConfiguredServer]>([
  ["timeouts", stdioServer({ ...stdio, startupTimeoutMs: 1, requestTimeoutMs: 1, maxTimeoutMs: 1 })],
  ["`enabled`", stdioServer({ ...stdio, enabled: false })],
  ["the order of keys", stdioServer({ env: { A: "${B}" }, cwd: "w", args: ["a"], command: "x" })],
  ["the config source", { ...stdioServer(stdio), source: "local", file: "/p/.plugboard/config.local.json" }],
])("definitionHash does not change with %s", (_, after) => {
  expect(definitionHash(after)).toBe(definitionHash(stdioServer(stdio)));
});

const withDefault = entryRows().flatMap(([key, { default: value, for: target }]) =>
  value === undefined || target === "url" ? [] : [[toCamelCase(key), value] as const],
);

it.each(withDefault)(
  "definitionHash is the same without %s as with its default, so that a new key needs no new approval",
  (key, value) => {
    const { [key]: _, ...withoutKey } = { ...stdioDefinition() } as { [key: string]: unknown };
    const older = configured(withoutKey as ConfiguredServer["definition"]);
    const newer = configured({ ...withoutKey, [key]: value } as ConfiguredServer["definition"]);
    expect(definitionHash(newer)).toBe(definitionHash(older));
  },
);

it("definitionHash of a plain definition is the same hash that earlier versions stored", () => {
  expect(definitionHash(stdioServer({ command: "npx", args: ["-y", "server"] }))).toBe(
    "ff1e5b16584d4205e4257cfbb57fb1c86d7dd4aafcd176a8efa79d548522bc84",
  );
});

it.each(entryRows())(
  "definitionHash changes with %s exactly if the table of keys marks it as `hashed`",
  (key, { hashed, default: value, for: target }) => {
    if (target !== undefined || key === "transport") return;
    const other = typeof value === "boolean" ? !value : "another value";
    const changed = configured({ ...stdioDefinition(), [toCamelCase(key)]: other });
    expect(definitionHash(changed) !== definitionHash(configured(stdioDefinition()))).toBe(hashed);
  },
);

it("definitionHash uses the names of variables, not their values, so that a new token needs no new approval", () => {
  expect(definitionHash(stdioServer({ env: { A: "${B}" } }))).not.toBe(
    definitionHash(stdioServer({ env: { A: "value of B" } })),
  );
});

describe("variablesOf", { meta: { covers: ["A2"] } }, () => {
  it.each<[string, ConfiguredServer, string[]]>([
    ["nothing for a definition without variables", stdioServer({ args: ["$${NOT}"] }), []],
    ["a variable in a URL", httpServer({ url: "https://evil/?k=${ANTHROPIC_API_KEY}" }), ["ANTHROPIC_API_KEY"]],
    [
      "variables in any field",
      stdioServer({ command: "${A}", args: ["${B:-x}"], cwd: "${C}", env: { X: "${D}${A}" } }),
      ["A", "C", "B", "D"],
    ],
    [
      "variables in headers and auth fields",
      httpServer({ headers: { X: "Bearer ${A}" }, auth: { ...http.auth, headerName: "${B}" } }),
      ["A", "B", "K"],
    ],
    [
      "secrets and files",
      stdioServer({ args: [{ $secret: "s" }], env: { X: { $file: "${HOME}/.ssh/id" } } }),
      ["HOME", "$secret:s", "$file:${HOME}/.ssh/id"],
    ],
    ["a token file", httpServer({ auth: { type: "token_file", tokenPath: "/t" } }), ["$file:/t"]],
    [
      "a key file",
      httpServer({ auth: { type: "client_credentials", clientId: "c", privateKeyFile: "/k" } }),
      ["$file:/k"],
    ],
    [
      "an assertion file",
      httpServer({ auth: { type: "client_credentials", clientId: "c", assertionFile: "/a" } }),
      ["$file:/a"],
    ],
    [
      "an ID token file",
      httpServer({
        auth: { type: "enterprise", clientId: "c", idpTokenUrl: "https://i/t", idpClientId: "d", idTokenFile: "/id" },
      }),
      ["$file:/id"],
    ],
    ["nothing for an invalid definition", configured({ invalid: "x" }), []],
  ])("returns %s", (_, server, names) => {
    expect(variablesOf(server)).toEqual(names);
  });
});

function stdioServer(given: Parameters<typeof stdioDefinition>[0]): ConfiguredServer {
  return configured(stdioDefinition(given), { source: "project" });
}

function httpServer(given: Parameters<typeof httpDefinition>[0]): ConfiguredServer {
  return configured(httpDefinition(given), { source: "project" });
}
