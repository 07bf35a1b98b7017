/** Tests how resolveServer resolves logins, and references to secrets that are stored outside the config. */
import { once } from "node:events";
import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { resolveWithoutSecrets } from "#resolve/resolve-server.js";
import { HostError } from "@plugboard/contracts";
import { createHost } from "@plugboard/host";
import { linkedPair } from "@plugboard/mcp";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { resolveAuth, resolveTarget } from "../helpers/resolve-server-part.ts";
import { configured, httpDefinition, sdkDefinition, stdioDefinition } from "../helpers/small-definitions.ts";

const env = { KEY: "s3cret", NAME: "X-Key", BREAK: "s3cret\r\nX-Evil: 1" };
const apiKey = { type: "api_key", headerName: "X-API-Key", apiKey: "${KEY}" } as const;

let folder: string;
beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), "plugboard-secrets-"));
});
afterEach(() => rm(folder, { recursive: true }));

describe("resolveServer with an API key", () => {
  it("adds the header that `auth` names to the other headers", () => {
    const server = configured(httpDefinition({ headers: { A: "b" }, auth: apiKey }));
    expect(resolveTarget(server, env)).toEqual({
      transport: "http",
      url: "https://x/mcp",
      headers: { A: "b", "X-API-Key": "s3cret" },
    });
  });

  it.each(["sse", "websocket"] as const)("adds the header for a server over %s too", (transport) => {
    const url = transport === "websocket" ? "wss://x" : "https://x";
    expect(resolveTarget(configured(httpDefinition({ transport, url, auth: apiKey })), env)).toMatchObject({
      headers: { "X-API-Key": "s3cret" },
    });
  });

  it("throws SERVER_INVALID if the variable of the key is missing, and names the variable", () => {
    const server = configured(httpDefinition({ auth: apiKey }));
    expect(() => resolveTarget(server, {})).toThrow(/needs the environment variable KEY, which is not set/);
  });

  it("throws SERVER_INVALID if headers set the same header", () => {
    const auth = { ...apiKey, headerName: "${NAME}" };
    const server = configured(httpDefinition({ headers: { "x-key": "1" }, auth }));
    expect(() => resolveTarget(server, env)).toThrow('"headers" and "auth" both set the header "x-key"');
  });

  it.each([
    [
      "the API key",
      httpDefinition({ auth: { ...apiKey, apiKey: "${BREAK}" } }),
      /the header of "auth" has a line break/,
    ],
    ["a header", httpDefinition({ headers: { A: "${BREAK}" } }), /the header "A" has a line break/],
    [
      "the name of a header",
      httpDefinition({ auth: { ...apiKey, headerName: "${BREAK}" } }),
      /the header of "auth" is not a valid header name/,
    ],
  ])("rejects a line break in %s, because it would add another header", (_, definition, message) => {
    const failing = () => resolveTarget(configured(definition), env);
    expect(failing).toThrow(message);
    expect(failing).not.toThrow(/s3cret/);
  });
});

it("createHost sends an API key from the environment to the server, and never shows it in a status", async () => {
  const receivedKeys: unknown[] = [];
  const server = createServer((request, response) => {
    receivedKeys.push(request.headers["x-api-key"]);
    response.writeHead(404).end();
  });
  server.listen(0, "127.0.0.1");
  await once(server, "listening");
  const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}/mcp`;
  const auth = { type: "api_key", api_key: "${KEY}" } as const;
  const userFile = join(folder, "user.json");
  await writeFile(userFile, "{}");
  const host = await createHost({
    cwd: folder,
    env: { ...env, PLUGBOARD_CONFIG_PATH: userFile },
    servers: { api: { url, auth } },
  });
  try {
    expect((await host.ready()).errors).toHaveProperty("api");
    expect(new Set(receivedKeys)).toEqual(new Set(["s3cret"]));
    expect(JSON.stringify(host.status())).not.toContain("s3cret");
  } finally {
    await host.close();
    server.close();
  }
});

describe("resolveServer with auth", () => {
  it.each([
    ["to none for a stdio server", stdioDefinition(), { type: "none" }],
    [
      "the path of a token file relative to the definition's folder",
      httpDefinition({ auth: { type: "token_file", tokenPath: "t/${NAME}" } }),
      { type: "token_file", tokenPath: "/project/t/X-Key" },
    ],
    [
      "the values of OAuth",
      httpDefinition({
        auth: { type: "oauth", clientSecret: "${KEY}", tokenUrl: "https://${NAME}/t", callbackPort: 7 },
      }),
      { type: "oauth", clientSecret: "s3cret", tokenUrl: "https://X-Key/t", callbackPort: 7 },
    ],
    [
      "client credentials with a key file",
      httpDefinition({ auth: { type: "client_credentials", clientId: "c", privateKeyFile: "/k.pem" } }),
      { type: "client_credentials", clientId: "c", privateKeyFile: "/k.pem" },
    ],
    [
      "client credentials with an assertion file",
      httpDefinition({ auth: { type: "client_credentials", clientId: "c", assertionFile: "jwt" } }),
      { type: "client_credentials", clientId: "c", assertionFile: "/project/jwt" },
    ],
  ])("resolves %s", (_, definition, expected) => {
    expect(resolveAuth(configured(definition), env)).toEqual(expected);
  });

  it.each([
    ["tokenUrl", "${KEY}", '"token_url" must be an http(s) URL'],
    ["registrationUrl", "http://${KEY}/", '"registration_url" must be https; http is allowed only on this machine'],
    ["clientMetadataUrl", "https://${KEY}", '"client_metadata_url" must be an https URL with a path'],
  ])("rejects the key %s with the invalid URL %s, without quoting the value", (key, url, message) => {
    const server = configured(httpDefinition({ auth: { type: "oauth", [key]: url } }));
    expect(() => resolveAuth(server, env)).toThrow(message);
    expect(() => resolveAuth(server, env)).not.toThrow(/s3cret/);
  });
});

describe("resolveServer with a secret reference", () => {
  it("fetches the secret from the keyring, a file or a program", async () => {
    await writeFile(join(folder, "token"), "\ufeff  from-file \n");
    const definition = stdioDefinition({
      args: ["--key", { $secret: "github" }],
      env: { A: { $file: "${FILE}" }, B: { $cmd: ["op", "read", "${KEY}"] } },
    });
    const requests: unknown[] = [];
    const target = await resolveTarget(
      configured(definition, { folder }),
      { ...env, FILE: "token" },
      {
        secrets: async (name) => (requests.push(name), "from-keyring"),
        runCommand: async (argv, cwd) => (requests.push(argv, cwd), { stdout: "from-program\n" }),
      },
    );
    expect(target).toMatchObject({ args: ["--key", "from-keyring"], env: { A: "from-file", B: "from-program" } });
    expect(requests).toEqual(["github", ["op", "read", "s3cret"], folder]);
  });

  it("fetches the secrets in headers and logins", async () => {
    const auth = { ...apiKey, apiKey: { $secret: "k" } };
    const server = configured(httpDefinition({ headers: { A: { $secret: "a" } }, auth }));
    const secrets = (name: string) => Promise.resolve(`value of ${name}`);
    expect(await resolveTarget(server, env, { secrets })).toMatchObject({
      headers: { A: "value of a", "X-API-Key": "value of k" },
    });
    expect(await resolveAuth(server, env, { secrets })).toMatchObject({ apiKey: "value of k" });
  });

  it("resolveWithoutSecrets returns undefined and fetches nothing", () => {
    const named = configured(stdioDefinition({ args: [{ $cmd: ["op"] }] }));
    const runCommand = () => Promise.reject(new Error("was run"));
    expect(resolveWithoutSecrets(named, env, { runCommand })).toBeUndefined();
    expect(resolveWithoutSecrets(configured(stdioDefinition()), env)).toMatchObject({ target: { command: "x" } });
  });

  it("returns synchronously for a definition without a secret", () => {
    expect(resolveTarget(configured(stdioDefinition()), env)).not.toBeInstanceOf(Promise);
  });

  const failing = {
    secrets: () => Promise.reject(new Error("leaks s3cret")),
    runCommand: () => Promise.reject(new Error("leaks s3cret")),
  };

  const kernelFileError = "$file:/proc/self/environ can't be read: it contains more bytes than its size says";
  // Only Linux has /proc.
  const kernelFile: [string, object, object, string][] =
    process.platform === "linux" ? [["a kernel file", { $file: "/proc/self/environ" }, {}, kernelFileError]] : [];

  it.each<[string, object, object, string]>([
    ["a missing keyring", { $secret: "k" }, {}, "$secret:k can't be read: no keyring is available"],
    [
      "an unknown secret",
      { $secret: "k" },
      { secrets: async () => undefined },
      "$secret:k can't be read: there is no secret of that name",
    ],
    ["an empty secret", { $secret: "k" }, { secrets: async () => "" }, "$secret:k can't be read: it is empty"],
    ["a keyring that fails", { $secret: "k" }, failing, "$secret:k can't be read: the keyring failed"],
    [
      "a keyring that is locked",
      { $secret: "k" },
      {
        secrets: () =>
          Promise.reject(new HostError("KEYRING_UNAVAILABLE", { reason: "it is locked" }, { cause: "s3cret" })),
      },
      "$secret:k can't be read: it is locked",
    ],
    [
      "a keyring that fails with an error of another kind",
      { $secret: "k" },
      { secrets: () => Promise.reject(new HostError("INTERNAL", { reason: "leaks s3cret" })) },
      "$secret:k can't be read: the keyring failed",
    ],
    ["a missing file", { $file: "none" }, {}, "$file:none can't be read: the file does not exist"],
    ...kernelFile,
    ["a folder instead of a file", { $file: "." }, {}, "$file:. can't be read: it is not a regular file"],
    [
      "a host that runs no programs",
      { $cmd: ["op", "s3cret"] },
      {},
      "$cmd:op can't be read: this host runs no programs",
    ],
    [
      "a program that fails",
      { $cmd: ["op", "s3cret"] },
      { runCommand: async () => ({ failed: "it ended with exit code 1" }) },
      "$cmd:op can't be read: it ended with exit code 1",
    ],
    ["a program that can't be started", { $cmd: ["op"] }, failing, "$cmd:op can't be read: the program failed"],
    [
      "a program without output",
      { $cmd: ["op"] },
      { runCommand: async () => ({ stdout: " \n" }) },
      "$cmd:op can't be read: it is empty",
    ],
  ])("throws SERVER_INVALID, without quoting a secret, for %s", async (_, reference, ports, reason) => {
    const server = configured(stdioDefinition({ env: { A: reference as { $secret: string } } }), { folder });
    const error: unknown = await Promise.resolve(resolveTarget(server, env, ports)).catch((thrown: unknown) => thrown);
    expect(error).toMatchObject({ code: "SERVER_INVALID", details: { server: "files", reason } });
    expect(JSON.stringify(error)).not.toContain("s3cret");
    expect(error).not.toHaveProperty("cause");
  });
});

describe("resolveServer with an in-process server", () => {
  it("finds the server by its name", () => {
    const target = { transport: "in-process", id: "m", connect: () => linkedPair()[0] } as const;
    const inProcess = (name: string) => (name === "memory" ? target : undefined);
    expect(resolveTarget(configured(sdkDefinition("memory")), env, { inProcess })).toBe(target);
    expect(() => resolveTarget(configured(sdkDefinition("other")), env, { inProcess })).toThrow(
      'the program has no server called "other" in its process',
    );
  });

  it("throws SERVER_INVALID if the program has no server of that name", () => {
    expect(() => resolveTarget(configured(sdkDefinition("memory")), env)).toThrow(/has no server called "memory"/);
  });
});
