import type { ConfiguredServer } from "#config/definition/definition.js";
import { definitionHash, variablesOf } from "#trust/definition-hash.js";
import { describe, expect, it } from "vitest";
import { configured, httpDefinition, sdkDefinition, stdioDefinition } from "../helpers/small-definitions.ts";

const stdio = { command: "x", args: ["a"], cwd: "w", env: { A: "${B}" } };
const http = {
  url: "https://x",
  headers: { A: "b" },
  auth: { type: "api_key", headerName: "H", apiKey: "${K}" },
} as const;

describe("definitionHash changes with", { meta: { covers: ["A1"] } }, () => {
  it.each<[string, ConfiguredServer, ConfiguredServer]>([
    ["the command", of(stdio), of({ ...stdio, command: "y" })],
    ["an argument", of(stdio), of({ ...stdio, args: ["b"] })],
    ["the order of arguments", of({ args: ["a", "b"] }), of({ args: ["b", "a"] })],
    ["the name of a variable", of(stdio), of({ ...stdio, env: { C: "${B}" } })],
    ["the value of a variable", of(stdio), of({ ...stdio, env: { A: "${C}" } })],
    ["a reference to a secret", of({ env: { A: { $secret: "a" } } }), of({ env: { A: { $secret: "b" } } })],
    ["its cwd", of(stdio), of({ ...stdio, cwd: "v" })],
    ["the project folder", of(stdio), { ...of(stdio), folder: "/elsewhere" }],
    ["the id", of(stdio), { ...of(stdio), id: "other" }],
    ["the URL", at(http), at({ ...http, url: "https://y" })],
    ["the name of a header", at(http), at({ ...http, headers: { B: "b" } })],
    ["the value of a header", at(http), at({ ...http, headers: { A: "c" } })],
    ["the transport", at(http), at({ ...http, transport: "sse" })],
    ["the auth type", at(http), at({ ...http, auth: { type: "none" } })],
    ["an auth field", at(http), at({ ...http, auth: { ...http.auth, apiKey: "${L}" } })],
    ["the account", at(http), at({ ...http, account: "ann" })],
    ["the tool filter", of(stdio), of({ ...stdio, tools: { include: ["a"], exclude: [] } })],
    ["the permission to sample", of(stdio), of({ ...stdio, sampling: true })],
    ["the message size limit", of(stdio), of({ ...stdio, maxMessageBytes: 2 ** 31 })],
    ["the result size limit", of(stdio), of({ ...stdio, resultLimitBytes: 2 ** 31 })],
    ["the sharing mode", of(stdio), of({ ...stdio, share: "caller" })],
    ["the name of an in-process server", configured(sdkDefinition("a")), configured(sdkDefinition("b"))],
    ["the file that enables it", of(stdio), { ...of(stdio), enabledBy: "/p/.mcp.json" }],
  ])("%s", (_, before, after) => {
    expect(definitionHash(after)).not.toBe(definitionHash(before));
    expect(definitionHash(after)).toMatch(/^[0-9a-f]{64}$/);
  });
});

it.each<[string, ConfiguredServer]>([
  ["timeouts", of({ ...stdio, startupTimeoutMs: 1, requestTimeoutMs: 1, maxTimeoutMs: 1 })],
  ["`enabled`", of({ ...stdio, enabled: false })],
  ["the order of keys", of({ env: { A: "${B}" }, cwd: "w", args: ["a"], command: "x" })],
  ["the config source", { ...of(stdio), source: "local", file: "/p/.plugboard/config.local.json" }],
])("definitionHash does not change with %s", (_, after) => {
  expect(definitionHash(after)).toBe(definitionHash(of(stdio)));
});

it("definitionHash uses unexpanded variables, so that a new token needs no new consent", () => {
  expect(definitionHash(of({ env: { A: "${B}" } }))).not.toBe(definitionHash(of({ env: { A: "value of B" } })));
});

describe("variablesOf returns", { meta: { covers: ["A2"] } }, () => {
  it.each<[string, ConfiguredServer, string[]]>([
    ["nothing for a definition without variables", of({ args: ["$${NOT}"] }), []],
    ["a variable in a URL", at({ url: "https://evil/?k=${ANTHROPIC_API_KEY}" }), ["ANTHROPIC_API_KEY"]],
    [
      "variables in any field",
      of({ command: "${A}", args: ["${B:-x}"], cwd: "${C}", env: { X: "${D}${A}" } }),
      ["A", "C", "B", "D"],
    ],
    [
      "variables in headers and auth fields",
      at({ headers: { X: "Bearer ${A}" }, auth: { ...http.auth, headerName: "${B}" } }),
      ["A", "B", "K"],
    ],
    [
      "secrets and files",
      of({ args: [{ $secret: "s" }], env: { X: { $file: "${HOME}/.ssh/id" } } }),
      ["HOME", "$secret:s", "$file:${HOME}/.ssh/id"],
    ],
    ["a token file", at({ auth: { type: "token_file", tokenPath: "/t" } }), ["$file:/t"]],
    ["a key file", at({ auth: { type: "client_credentials", clientId: "c", privateKeyFile: "/k" } }), ["$file:/k"]],
    [
      "an assertion file",
      at({ auth: { type: "client_credentials", clientId: "c", assertionFile: "/a" } }),
      ["$file:/a"],
    ],
    [
      "an ID token file",
      at({
        auth: { type: "enterprise", clientId: "c", idpTokenUrl: "https://i/t", idpClientId: "d", idTokenFile: "/id" },
      }),
      ["$file:/id"],
    ],
    ["nothing for an invalid definition", configured({ invalid: "x" }), []],
  ])("%s", (_, server, named) => {
    expect(variablesOf(server)).toEqual(named);
  });
});

function of(given: Parameters<typeof stdioDefinition>[0]): ConfiguredServer {
  return configured(stdioDefinition(given), { source: "project" });
}

function at(given: Parameters<typeof httpDefinition>[0]): ConfiguredServer {
  return configured(httpDefinition(given), { source: "project" });
}
