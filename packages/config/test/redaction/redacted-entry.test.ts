import { redactedEntry } from "#redaction/redacted-entry.js";
import { describe, expect, it } from "vitest";
import { httpDefinition, sdkDefinition, stdioDefinition } from "../helpers/small-definitions.ts";

describe("redactedEntry", { meta: { covers: ["A12"] } }, () => {
  it("masks the secrets of a stdio server and shows the rest of its definition", () => {
    const definition = stdioDefinition({
      command: "npx",
      args: ["-y", "server", "--token", "s3cret", "--key=${KEY:-s3cret}", { $secret: "github" }],
      cwd: "sub/${DIR}",
      env: {
        A: "s3cret",
        B: "${B}",
        C: "Bearer ${C}",
        D: { $cmd: ["op", "--token", "s3cret"] },
        E: { $file: "t.txt" },
      },
      requestTimeoutMs: 5000,
      tools: { include: ["*"], exclude: ["write_*"] },
      start: "lazy",
      enabled: false,
    });
    expect(redactedEntry(definition)).toEqual({
      transport: "stdio",
      command: "npx",
      args: ["-y", "server", "--token", "***", "--key=${KEY:-***}", { $secret: "github" }],
      cwd: "sub/${DIR}",
      env: { A: "***", B: "${B}", C: "***", D: { $cmd: ["op", "--token", "***"] }, E: { $file: "t.txt" } },
      request_timeout_ms: 5000,
      tools: { exclude: ["write_*"] },
      start: "lazy",
      enabled: false,
    });
  });

  it("does not mask variables that make a program load code", { meta: { covers: ["A21"] } }, () => {
    const env = { NODE_OPTIONS: "--import=/tmp/evil.js", LD_PRELOAD: "/tmp/evil.so", PATH: "/tmp/evil", KEY: "s3cret" };
    expect(redactedEntry(stdioDefinition({ command: "npx", env }))["env"]).toEqual({ ...env, KEY: "***" });
  });

  it("masks the secrets in the URL, the headers and the `auth` setting of an HTTP server", () => {
    const definition = httpDefinition({
      url: "https://ann:s3cret@x/mcp?k=s3cret",
      headers: { Authorization: "Bearer s3cret", "X-Plain": "s3cret" },
      auth: {
        type: "oauth",
        authorizationUrl: "https://a/authorize?k=s3cret",
        clientId: "s3cret",
        clientSecret: "s3cret",
        scope: "mcp",
        callbackPort: 7777,
      },
      account: "ann",
    });
    const shown = redactedEntry(definition);
    expect(shown).toEqual({
      transport: "http",
      url: "https://***@x/mcp?k=***",
      headers: { Authorization: "***", "X-Plain": "***" },
      auth: {
        type: "oauth",
        authorization_url: "https://a/authorize?k=***",
        client_id: "***",
        client_secret: "***",
        scope: "mcp",
        callback_port: 7777,
      },
      account: "ann",
    });
    expect(JSON.stringify(shown)).not.toContain("s3cret");
  });

  it.each([
    [
      { type: "api_key", headerName: "X-API-Key", apiKey: "hunter" },
      { type: "api_key", header_name: "X-API-Key", api_key: "***" },
    ],
    [
      { type: "api_key", headerName: "X-API-Key", apiKey: "${K}" },
      { type: "api_key", header_name: "X-API-Key", api_key: "${K}" },
    ],
    [
      { type: "token_file", tokenPath: "~/token" },
      { type: "token_file", token_path: "~/token" },
    ],
    [
      { type: "client_credentials", clientId: "c", clientSecret: "hunter" },
      { type: "client_credentials", client_id: "***", client_secret: "***" },
    ],
    [
      { type: "client_credentials", clientId: "c", assertionFile: "/run/jwt" },
      { type: "client_credentials", client_id: "***", assertion_file: "/run/jwt" },
    ],
    [
      {
        type: "enterprise",
        clientId: "c",
        idpTokenUrl: "https://i/t",
        idpClientId: "d",
        idpClientSecret: "hunter",
        idTokenFile: "/id",
      },
      {
        type: "enterprise",
        client_id: "***",
        idp_token_url: "https://i/t",
        idp_client_id: "***",
        idp_client_secret: "***",
        id_token_file: "/id",
      },
    ],
  ] as const)("masks the secrets in the `auth` setting %j", (auth, shown) => {
    expect(redactedEntry(httpDefinition({ auth }))["auth"]).toEqual(shown);
  });
});

it("redactedEntry omits default values", () => {
  expect(redactedEntry(stdioDefinition())).toEqual({ transport: "stdio", command: "x", args: [] });
  expect(redactedEntry(httpDefinition())).toEqual({ transport: "http", url: "https://x/mcp" });
  expect(redactedEntry(sdkDefinition("memory"))).toEqual({ transport: "sdk", name: "memory" });
});
