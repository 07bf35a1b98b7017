import { replaceEnvReferences } from "#lib/env-references.js";
import { parseServer } from "#registry/parse-server.js";
import { fillChoice } from "#registry/fill-choice.js";
import { isSupported, toChoices } from "#registry/to-choices.js";
import { unsetInputs } from "#registry/unset-inputs.js";
import { suggestServerId } from "#registry/suggest-server-id.js";
import type { InputAnswers } from "#registry/fill-choice.js";
import { FILESYSTEM, HYBRID, registryEntry, WEATHER } from "@plugboard/testkit/registry/sample-servers";
import type { RegistryEntry } from "@plugboard/testkit/registry/sample-servers";
import { describe, expect, it } from "vitest";

const choicesOf = (entry: RegistryEntry) => toChoices(parseServer(entry, "entry"));

/** Fills the choice at the index for a new server with the id "new". */
function fill(entry: RegistryEntry, index: number, answers?: InputAnswers) {
  const choice = choicesOf(entry)[index]!;
  if (!isSupported(choice)) throw new Error(choice.unsupported);
  return fillChoice(choice, "new", answers);
}

/** A server with one npm package that has the given fields. */
function npm(fields: object): RegistryEntry {
  const part = { registryType: "npm", identifier: "pkg", version: "1.0.0", transport: { type: "stdio" }, ...fields };
  return registryEntry({ name: "com.example/pkg", packages: [part] });
}

describe("toChoices and fillChoice", () => {
  it("run an npm package with npx, and pass its version, arguments and environment", () => {
    expect(fill(FILESYSTEM, 0, { target_dir: ["/a", "/b"] })).toEqual({
      entry: {
        command: "npx",
        args: ["-y", "@example/server-filesystem@1.0.2", "/a", "/b"],
        env: { LOG_LEVEL: "info" },
      },
      secrets: [],
      variables: [],
    });
  });

  it("name a secret after the server id, without a dash at the start", () => {
    const choice = choicesOf(WEATHER).find(isSupported)!;
    const answers = { WEATHER_API_KEY: ["canary"] };
    expect(fillChoice(choice, "-new", answers).secrets).toMatchObject([{ name: "new.WEATHER_API_KEY" }]);
  });

  it("write a reference to an environment variable for a required input that has no answer", () => {
    const { entry, variables } = fill(FILESYSTEM, 0);
    expect(entry.args).toEqual(["-y", "@example/server-filesystem@1.0.2", "${PLUGBOARD_INPUT_NEW_TARGET_DIR}"]);
    expect(variables).toEqual([{ name: "PLUGBOARD_INPUT_NEW_TARGET_DIR", description: "Path to access" }]);
  });

  it("run an image with docker, and pass only the names of environment variables in its arguments", () => {
    const { entry } = fill(FILESYSTEM, 1, { source_path: ["/data"] });
    expect(entry).toEqual({
      command: "docker",
      args: [
        ...["run", "-i", "--rm", "--mount", "type=bind,src=/data,dst=/project"],
        ...["-e", "LOG_LEVEL", "images.example/mcp/filesystem:1.0.2", "/project"],
      ],
      env: { LOG_LEVEL: "info" },
    });
  });

  it("run a PyPI package with uvx and refer to its secret by name", () => {
    const { entry, secrets } = fill(WEATHER, 0, { WEATHER_API_KEY: ["k3y"], WEATHER_UNITS: ["fahrenheit"] });
    expect(entry).toEqual({
      command: "uvx",
      args: ["weather-mcp-server==0.5.0"],
      env: { WEATHER_API_KEY: { $secret: "new.WEATHER_API_KEY" }, WEATHER_UNITS: "fahrenheit" },
    });
    expect(secrets).toEqual([
      { name: "new.WEATHER_API_KEY", description: "API key for the weather service", value: "k3y" },
    ]);
    expect(fill(WEATHER, 0).secrets[0]).not.toHaveProperty("value");
  });

  it("run a NuGet package with dnx, and put its arguments after --", () => {
    expect(fill(HYBRID, 2).entry).toEqual({
      command: "dnx",
      args: ["--yes", "Example.HybridServer@1.5.0-beta", "--", "mcp", "start"],
    });
  });

  it("turn a remote into a URL with headers, and store the whole value of a secret header", () => {
    const { entry, secrets } = fill(HYBRID, 0, { tenant: ["acme"], token: ["t0ken"] });
    expect(entry).toEqual({
      transport: "http",
      url: "https://acme.example.com/mcp",
      headers: { Authorization: { $secret: "new.Authorization" }, "X-Region": "eu" },
    });
    expect(secrets).toEqual([
      { name: "new.Authorization", description: "Your token", form: "Bearer {token}", value: "Bearer t0ken" },
    ]);
    expect(fill(HYBRID, 0).entry.url).toBe("https://${PLUGBOARD_INPUT_NEW_TENANT}.example.com/mcp");
    expect(fill(HYBRID, 1).entry).toEqual({ transport: "sse", url: "https://old.example.com/sse" });
  });

  it("say why a choice is not supported", () => {
    const http = npm({ transport: { type: "streamable-http", url: "http://127.0.0.1:{port}/mcp" } });
    const websocket = registryEntry({
      name: "com.example/x",
      remotes: [{ type: "websocket", url: "https://x.example" }],
    });
    const script = registryEntry({ name: "com.example/x", remotes: [{ type: "sse", url: "javascript:alert(1)" }] });
    expect(choicesOf(HYBRID)[3]).toMatchObject({ unsupported: "Plugboard can't run packages of the type mcpb" });
    expect(choicesOf(http)[0]).toMatchObject({ unsupported: expect.stringContaining("serves HTTP") });
    expect(choicesOf(websocket)[0]).toMatchObject({ unsupported: expect.stringContaining("websocket") });
    expect(choicesOf(script)[0]).toMatchObject({ unsupported: "its URL is neither http nor https" });
    expect(choicesOf(npm({ identifier: 3 }))[0]).toMatchObject({ unsupported: expect.stringContaining("identifier") });
  });

  it.each([
    { identifier: "--registry=https://evil.example" },
    { identifier: "https://evil.example/x.tgz" },
    { identifier: "../x" },
    { identifier: "pkg", version: "1.0.0 --yes" },
    { registryType: "pypi", identifier: "-e" },
    { registryType: "oci", identifier: "--privileged" },
    { registryType: "oci", identifier: "x y" },
    { registryType: "oci", identifier: "x", registryBaseUrl: "--volume=/:" },
    { registryType: "__proto__", identifier: "x" },
    { environmentVariables: [{ name: "A=B", value: "x" }] },
  ])("reject the package %j, whose fields could be taken for options or URLs", (fields) => {
    expect(choicesOf(npm(fields))[0]).toHaveProperty("unsupported");
  });

  it("reject a remote whose header has a line break", () => {
    const headers = [{ name: "X-A", value: "a\r\nEvil: 1" }];
    const entry = registryEntry({
      name: "com.example/x",
      remotes: [{ type: "sse", url: "https://x.example", headers }],
    });
    expect(choicesOf(entry)[0]).toMatchObject({ unsupported: "the header X-A contains a line break or NUL" });
  });

  it("never expand texts of the registry as references to environment variables", () => {
    const { entry } = fill(
      npm({
        packageArguments: [
          { type: "positional", value: "${AWS_SECRET}" },
          { type: "named", name: "--${HOME}", value: "x" },
        ],
        environmentVariables: [
          { name: "X", default: "a$${HOME}" },
          { name: "Y", value: "${gap}", variables: { gap: { default: "{HOME}" } } },
        ],
      }),
      0,
    );
    expect(entry).toEqual({
      command: "npx",
      args: ["-y", "pkg@1.0.0", "$${AWS_SECRET}", "--$${HOME}", "x"],
      env: { X: "a$$${HOME}", Y: "$${HOME}" },
    });
    expect(replaceEnvReferences("a$$${HOME}", () => "the value of HOME")).toBe("a$${HOME}");
    expect(fill(FILESYSTEM, 0, { target_dir: ["${HOME}/docs"] }).entry.args?.at(-1)).toBe("${HOME}/docs");
  });

  it("never refer to an environment variable whose name the registry chooses", { meta: { covers: ["A2"] } }, () => {
    const required = { isRequired: true };
    const { entry } = fill(
      npm({
        packageArguments: [{ type: "positional", valueHint: "GITHUB_TOKEN", ...required }],
        environmentVariables: [{ name: "ANTHROPIC_API_KEY", ...required }],
      }),
      0,
    );
    expect(entry).toMatchObject({
      args: ["-y", "pkg@1.0.0", "${PLUGBOARD_INPUT_NEW_GITHUB_TOKEN}"],
      env: { ANTHROPIC_API_KEY: "${PLUGBOARD_INPUT_NEW_ANTHROPIC_API_KEY}" },
    });
    const remote = {
      type: "sse",
      url: "https://x.example/?k={AWS_SECRET_ACCESS_KEY}",
      variables: { AWS_SECRET_ACCESS_KEY: required },
      headers: [{ name: "Authorization", value: "Bearer {GITHUB_TOKEN}", ...required }],
    };
    expect(fill(registryEntry({ name: "com.example/x", remotes: [remote] }), 0).entry).toMatchObject({
      url: "https://x.example/?k=${PLUGBOARD_INPUT_NEW_AWS_SECRET_ACCESS_KEY}",
      headers: { Authorization: "Bearer ${PLUGBOARD_INPUT_NEW_GITHUB_TOKEN}" },
    });
  });

  it.each(["constructor", "__proto__", "toString"])("treat the input name %s like any other", (name) => {
    const entry = npm({ packageArguments: [{ type: "positional", valueHint: name, isRequired: true }] });
    expect(fill(entry, 0).variables).toHaveLength(1);
    expect(fill(entry, 0, Object.fromEntries([[name, ["x"]]])).entry.args?.at(-1)).toBe("x");
  });

  it("pass named arguments as a flag and a value, and flags without a value alone", () => {
    const { entry, secrets } = fill(
      npm({
        runtimeArguments: [
          { type: "named", name: "-y" },
          { type: "named", name: "--quiet" },
        ],
        packageArguments: [
          { type: "named", name: "--host", default: "localhost" },
          { type: "named", name: "--port", format: "number" },
          { type: "named", name: "--debug", format: "boolean", default: "true" },
          { type: "named", name: "--mode=", value: "local" },
          { type: "named", name: "--token", isSecret: true, isRequired: true },
        ],
      }),
      0,
    );
    expect(entry.args).toEqual([
      ...["-y", "--quiet", "pkg@1.0.0", "--host", "localhost", "--debug=true", "--mode=local"],
      ...["--token", { $secret: "new.token" }],
    ]);
    expect(secrets).toEqual([{ name: "new.token" }]);
  });

  it("leave out optional inputs that have no answer, even if they are secret", () => {
    const { entry, secrets } = fill(
      npm({
        environmentVariables: [
          { name: "A" },
          { name: "B", isSecret: true },
          { name: "C", isSecret: true, default: "x" },
        ],
      }),
      0,
    );
    expect(entry).toEqual({ command: "npx", args: ["-y", "pkg@1.0.0"] });
    expect(secrets).toEqual([]);
  });

  it("write a reference to an environment variable for a secret in a URL, where $secret is not possible", () => {
    const remote = {
      type: "sse",
      url: "https://x.example/{api-key}/{unknown}",
      variables: { "api-key": { isSecret: true } },
    };
    const filled = fill(registryEntry({ name: "com.example/x", remotes: [remote] }), 0, { "api-key": ["k"] });
    expect(filled.entry.url).toBe("https://x.example/${PLUGBOARD_INPUT_NEW_API_KEY}/{unknown}");
    expect(filled.variables).toEqual([{ name: "PLUGBOARD_INPUT_NEW_API_KEY" }]);
  });

  it("ask for a placeholder without a declaration if the value is secret or required", () => {
    const remote = (header: object) =>
      registryEntry({
        name: "com.example/x",
        remotes: [{ type: "sse", url: "https://x.example", headers: [{ name: "Authorization", ...header }] }],
      });
    const secret = remote({ value: "Bearer {api_key}", description: "Your key", isRequired: true, isSecret: true });
    expect(fill(secret, 0, { api_key: ["k"] }).secrets).toEqual([
      { name: "new.Authorization", description: "Your key", form: "Bearer {api_key}", value: "Bearer k" },
    ]);
    const declared = remote({ value: "Bearer {key}", isRequired: true, isSecret: true, variables: { key: {} } });
    expect(fill(declared, 0).entry.headers).toEqual({ Authorization: { $secret: "new.Authorization" } });
    expect(fill(remote({ value: "{literal}" }), 0).entry.headers).toEqual({ Authorization: "{literal}" });
  });

  it("number inputs that have the same name", () => {
    const choice = choicesOf(
      npm({
        packageArguments: [
          { type: "positional", isRequired: true },
          { type: "positional", isRequired: true },
        ],
      }),
    )[0]!;
    expect(isSupported(choice) && choice.inputs.map(({ name }) => name)).toEqual(["argument", "argument-2"]);
  });

  it("let the caller's variables, headers and arguments replace those of the registry", () => {
    const [hybrid] = choicesOf(HYBRID);
    const [, image] = choicesOf(FILESYSTEM);
    if (!isSupported(hybrid!) || !isSupported(image!)) throw new Error("not supported");
    const given = { env: { LOG_LEVEL: "debug", EXTRA: "${EXTRA}" }, args: ["--last"] };
    const filled = fillChoice(image, "new", { source_path: ["/d"] }, given);
    expect(filled.entry.args?.slice(-7)).toEqual([
      ...["-e", "LOG_LEVEL", "-e", "EXTRA", "images.example/mcp/filesystem:1.0.2", "/project", "--last"],
    ]);
    expect(filled.entry.env).toEqual(given.env);
    const headers = { Authorization: "Bearer ${TOKEN}" };
    expect(fillChoice(hybrid, "new", {}, { headers })).toMatchObject({ entry: { headers }, secrets: [] });
    expect(unsetInputs(hybrid, { headers }).map(({ name }) => name)).toEqual(["tenant", "X-Region"]);
    expect(unsetInputs(image, given).map(({ name }) => name)).toEqual(["source_path", "target_path"]);
  });

  it.each([
    [{ WEATHER_UNITS: ["kelvin"] }, "must be one of: celsius, fahrenheit"],
    [{ WEATHER_API_KEY: [""] }, "must not be empty"],
    [{ WEATHER_API_KEY: ["a", "b"] }, "takes one value"],
    [{ WEATHER_UNIT: ["celsius"] }, 'no input "WEATHER_UNIT"'],
  ])("reject the answers %j with USAGE", (answers, message) => {
    const error = { code: "USAGE", message: expect.stringContaining(message) };
    expect(() => fill(WEATHER, 0, answers)).toThrow(expect.objectContaining(error));
  });
});

describe("suggestServerId", () => {
  it.each([
    ["io.github.example/weather-mcp", "weather"],
    ["com.notion/mcp", "notion"],
    ["io.github.example/github-mcp-server", "github"],
    ["com.example/my.server_two", "my-two"],
    ["mcp/server", "server"],
  ])("suggests an id for %s: %s", (name, id) => {
    expect(suggestServerId(name)).toBe(id);
  });
});
