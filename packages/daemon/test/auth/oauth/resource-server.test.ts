/** Tests the gateway as an OAuth resource server, with tokens of an issuer that also signs invalid ones. */
import { writeFile } from "node:fs/promises";
import { request } from "node:http";
import type { ServerResponse } from "node:http";
import { addNamedToken } from "@plugboard/host/tokens";
import { VERSION } from "@plugboard/host";
import { socketPath } from "@plugboard/store";
import { connectRemote } from "@plugboard/remote";
import { nodeHttpFetch } from "@plugboard/remote/node";
import { isPortOpen, otherAddresses } from "@plugboard/testkit/other-addresses";
import { scriptedLegacy, startScriptedHttp } from "@plugboard/testkit/start-server";
import type { ScriptedRequest } from "@plugboard/testkit/start-server";
import { systemClock } from "@plugboard/contracts";
import { exportJWK, generateKeyPair, importJWK, UnsecuredJWT } from "jose";
import type { CryptoKey } from "jose";
import { describe, expect, it, onTestFinished, vi } from "vitest";
import { ResourceServer } from "#auth/oauth/resource-server.js";
import { checkTcpOrigin } from "#http/check-origin.js";
import { ManualClock } from "../../../../contracts/test/helpers/manual-clock.ts";
import { startOidcProvider } from "../../../../mcp/test/helpers/oidc-provider.mjs";
import { frontWith } from "../../helpers/front-requests.ts";
import { startRunningHost } from "../../helpers/running-host.ts";
import type { RunningHost } from "../../helpers/running-host.ts";
import { startTokenIssuer } from "../../helpers/token-issuer.ts";
import type { TokenIssuer } from "../../helpers/token-issuer.ts";

const AUDIENCE = "https://mcp.example.com/mcp";
const HOUR = 3600;
const AUTH = { audience: [AUDIENCE], scopes: { mcp: "*" } };

interface SetUp {
  readonly issuer: TokenIssuer;
  readonly host: RunningHost;
  readonly statusOf: (token: string, path?: string) => Promise<number>;
}

async function setUp(
  settings: object = {},
  options: { publicUrl?: string; host?: string } = {},
  profiles: object = {},
): Promise<SetUp> {
  const issuer = await startTokenIssuer();
  const auth = { issuer: issuer.url, audience: AUDIENCE, scopes: { mcp: "*", "mcp:review": "review" }, ...settings };
  const servers = { s: scriptedLegacy() };
  const host = await startRunningHost(servers, { keyCooldownMs: 0, address: options }, {}, profiles, { auth });
  onTestFinished(host.close);
  const statusOf = async (token: string, path?: string) =>
    (await frontWith(host, token).initialize(path === undefined ? {} : { path })).status;
  return { issuer, host, statusOf };
}

const valid = { aud: AUDIENCE, sub: "ann", scope: "mcp" };

describe("a change of the accepted tokens in the config", () => {
  async function change({ env, daemon }: RunningHost, auth?: object) {
    await writeFile(env["PLUGBOARD_CONFIG_PATH"]!, JSON.stringify({ mcp: { gateway: { ...(auth && { auth }) } } }));
    await daemon.workspace.config.reload();
  }

  it("applies to the next request", async () => {
    const { issuer, host, statusOf } = await setUp();
    const [before, after] = [await issuer.sign(valid), await issuer.sign({ ...valid, aud: "https://new.example.com" })];
    expect([await statusOf(before), await statusOf(after)]).toEqual([200, 401]);
    await change(host, { issuer: issuer.url, audience: "https://new.example.com", scopes: { mcp: "*" } });
    expect([await statusOf(before), await statusOf(after)]).toEqual([401, 200]);
    await change(host);
    expect(await statusOf(after)).toBe(401);
  });

  it("is reported if it removes the issuer, but the address of the port needs one", async () => {
    const { issuer, host } = await setUp({}, { host: "127.0.0.1", publicUrl: AUDIENCE });
    const refused: unknown[] = [];
    const stop = new AbortController();
    const follow = async () => {
      for await (const event of host.daemon.events(undefined, stop.signal))
        if (event.type === "config.failed") refused.push(event.error);
    };
    const followed = follow().catch(() => {});
    const token = await issuer.sign(valid);
    await change(host);
    await vi.waitFor(() => expect(refused).toMatchObject([{ code: "USAGE" }]));
    expect((await frontWith(host, token).initialize()).status).toBe(401);
    stop.abort();
    await followed;
  });
});

describe("a token of the external issuer", { meta: { covers: ["S26"] } }, () => {
  it("opens the gateway if issuer, audience, expiry, signature and scope are right", async () => {
    const { issuer, statusOf } = await setUp();
    expect(await statusOf(await issuer.sign(valid))).toBe(200);
    expect(await statusOf(await issuer.sign({ ...valid, aud: ["other", AUDIENCE], scope: "other mcp" }))).toBe(200);
    expect(await statusOf(await issuer.sign({ aud: AUDIENCE, sub: "ann", scp: ["mcp"] }))).toBe(200);
  });

  it("is refused if it was forged, expired, or made for another service", async () => {
    const { issuer, statusOf } = await setUp();
    const now = Math.floor(Date.now() / 1000);
    const foreign = (await generateKeyPair("ES256")).privateKey;
    const good = await issuer.sign(valid);
    const [header, payload, signature] = good.split(".") as [string, string, string];
    const withPayload = (claims: object) =>
      `${header}.${Buffer.from(JSON.stringify(claims)).toString("base64url")}.${signature}`;
    const refused: { readonly [reason: string]: string | Promise<string> } = {
      "alg none": new UnsecuredJWT({ iss: issuer.url, exp: now + HOUR, ...valid }).encode(),
      "no signature": `${header}.${payload}.`,
      "changed claims": withPayload({ ...valid, iss: issuer.url, exp: now + HOUR, sub: "bob" }),
      "a foreign key with the id of a published one": issuer.sign(valid, { key: foreign }),
      "an unknown key": issuer.sign(valid, { key: foreign, header: { kid: "unknown" } }),
      "a foreign audience": issuer.sign({ ...valid, aud: "https://other.example.com" }),
      "no audience": issuer.sign({ sub: "ann", scope: "mcp" }),
      "another issuer": issuer.sign({ ...valid, iss: "https://evil.example.com" }),
      expired: issuer.sign({ ...valid, exp: now - HOUR }),
      "no expiry": issuer.sign({ ...valid, exp: undefined }),
      "not valid yet": issuer.sign({ ...valid, nbf: now + HOUR }),
      "no subject": issuer.sign({ aud: AUDIENCE, scope: "mcp" }),
      "a subject with control characters": issuer.sign({ ...valid, sub: "ann\n" }),
      "an empty subject": issuer.sign({ ...valid, sub: "" }),
      "a subject of 256 characters": issuer.sign({ ...valid, sub: "x".repeat(256) }),
      "expired for longer than clocks may differ": issuer.sign({ ...valid, exp: now - 45 }),
    };
    for (const [reason, token] of Object.entries(refused))
      expect([reason, await statusOf(await token)]).toEqual([reason, 401]);
    for (const claims of [valid, { ...valid, sub: "x".repeat(255) }, { ...valid, exp: now - 15 }])
      expect(await statusOf(await issuer.sign(claims))).toBe(200);
  });

  it("may be signed with each algorithm that proves the private key of the issuer", async () => {
    const issuer = await startTokenIssuer();
    const server = new ResourceServer({ ...AUTH, issuer: issuer.url }, { clock: systemClock, keyCooldownMs: 0 });
    const rsa = ["RS256", "RS384", "RS512", "PS256", "PS384", "PS512"];
    const keys: object[] = [];
    const tokens: [string, Promise<string>][] = [];
    for (const algorithms of [rsa, ["ES256"], ["ES384"], ["ES512"], ["EdDSA", "Ed25519"]]) {
      const { publicKey, privateKey } = await generateKeyPair(algorithms[0]!, { extractable: true });
      const [kid] = algorithms;
      keys.push({ ...(await exportJWK(publicKey)), kid });
      const key = await exportJWK(privateKey);
      for (const alg of algorithms) {
        const imported = (await importJWK({ ...key, alg }, alg)) as CryptoKey;
        tokens.push([alg, issuer.sign(valid, { key: imported, header: { alg, kid } })]);
      }
    }
    issuer.answers["/jwks"] = { keys };
    for (const [alg, token] of tokens)
      expect([alg, await server.authenticate(await token)]).toMatchObject([alg, { principal: { name: "oauth:ann" } }]);
  });

  it("is refused if it is signed with the published key as a shared secret", async () => {
    const { issuer, statusOf } = await setUp();
    await statusOf(await issuer.sign(valid));
    const { keys } = (await (await fetch(`${issuer.url}/jwks`)).json()) as { keys: object[] };
    const secret = new TextEncoder().encode(JSON.stringify(keys[0]));
    const forged = issuer.sign(valid, { key: secret as never, header: { alg: "HS256" } });
    expect(await statusOf(await forged)).toBe(401);
  });

  it("is accepted with a new key of the issuer, and refused with the old one", async () => {
    const { issuer, statusOf } = await setUp();
    const old = await issuer.sign(valid);
    expect(await statusOf(old)).toBe(200);
    await issuer.rotateKey();
    expect(await statusOf(await issuer.sign(valid))).toBe(200);
    expect(await statusOf(old)).toBe(401);
  });

  it("gets 503 while the keys of the issuer can't be read, and is never accepted unchecked", async () => {
    const { issuer, statusOf, host } = await setUp();
    const token = await issuer.sign(valid);
    for (const unusable of [{ redirect: "/elsewhere" }, { keys: "none" }]) {
      issuer.answers["/jwks"] = unusable;
      expect([unusable, await statusOf(token)]).toEqual([unusable, 503]);
    }
    delete issuer.answers["/jwks"];
    issuer.stop();
    expect(await statusOf(token)).toBe(503);
    expect((await frontWith(host, host.token).initialize()).status).toBe(200);
  });

  it("opens only the profiles of its scopes", async () => {
    const { issuer, statusOf } = await setUp();
    const token = await issuer.sign({ ...valid, scope: "mcp:review" });
    // The config has no such profile.
    expect(await statusOf(token, "/mcp/p/review")).toBe(404);
    expect(await statusOf(token)).toBe(404);
    expect(await statusOf(token, "/mcp/p/other")).toBe(403);
  });

  it("has to name the profile if its scopes open several", async () => {
    const scopes = { mcp: "*", "mcp:review": "review", "mcp:work": "work" };
    const { issuer, statusOf, host } = await setUp(
      { scopes },
      {},
      { review: { servers: ["s"] }, work: { servers: ["s"] } },
    );
    const token = await issuer.sign({ ...valid, scope: "mcp:review mcp:work" });
    const refused = await frontWith(host, token).initialize();
    expect([refused.status, await refused.text()]).toEqual([
      403,
      expect.stringContaining("only for /mcp/p/review or /mcp/p/work"),
    ]);
    for (const profile of ["review", "work"]) expect(await statusOf(token, `/mcp/p/${profile}`)).toBe(200);
    expect(await statusOf(await issuer.sign({ ...valid, scope: "mcp:review mcp:review" }))).toBe(200);
  });

  it("opens nothing with a scope that has the name of a property of all JavaScript objects", async () => {
    const { issuer, statusOf } = await setUp();
    for (const scope of ["toString", "constructor", "__proto__", "hasOwnProperty"]) {
      const token = await issuer.sign({ ...valid, scope });
      for (const path of ["/mcp", "/mcp/p/review"])
        expect([scope, path, await statusOf(token, path)]).toEqual([scope, path, 403]);
      // The objects of the config have no such properties, but a program may pass an ordinary object.
      const auth = { issuer: issuer.url, audience: [AUDIENCE], scopes: { mcp: "*" } };
      const server = new ResourceServer(auth, { clock: new ManualClock() });
      expect(await server.authenticate(token)).toMatchObject({ profiles: [] });
    }
  });

  it("gets 403 with the names of the needed scopes if it has none of them", async () => {
    const { issuer, host } = await setUp();
    const front = frontWith(host, await issuer.sign({ ...valid, scope: "email" }));
    const refused = await front.initialize();
    expect(refused.status).toBe(403);
    expect(refused.headers.get("www-authenticate")).toMatch(
      /^Bearer error="insufficient_scope", scope="mcp mcp:review", /,
    );
  });

  it("may approve calls only with the scope for it", async () => {
    const { issuer, host } = await setUp({ approve_scope: "mcp:approve" });
    const textOf = async (scope: string) => {
      const front = frontWith(host, await issuer.sign({ ...valid, scope }));
      return (await front.call("echo", { text: "hi" }, { session: await front.open() })).text();
    };
    expect(await textOf("mcp mcp:approve")).toContain('"text":"hi"');
    expect(await textOf("mcp")).toContain("needs permission");
  });

  it(
    "makes its subject a principal: no other subject and no token of that name gets its session",
    { meta: { covers: ["S18.1", "S26"] } },
    async () => {
      const { issuer, host } = await setUp();
      const ann = frontWith(host, await issuer.sign(valid));
      const session = await ann.open();
      const bob = frontWith(host, await issuer.sign({ ...valid, sub: "bob" }));
      const named = frontWith(host, await addNamedToken(host.env, { name: "ann", mayApprove: false, now: 0 }));
      for (const other of [bob, named]) expect((await other.ping({ session })).status).toBe(404);
      // Another token of the same subject continues the session.
      expect((await frontWith(host, await issuer.sign({ ...valid, jti: "2" })).ping({ session })).status).toBe(200);
    },
  );

  it(
    "shows hidden characters of its subject, and never a name that a token could have",
    { meta: { covers: ["S34"] } },
    async () => {
      const { issuer, host } = await setUp();
      const subjects = ["\u202eann\u200b", "owner", "ann\u2028", "token:1"];
      for (const sub of subjects) await frontWith(host, await issuer.sign({ ...valid, sub })).open();
      const fetch = nodeHttpFetch({ socketPath: socketPath(host.env) });
      const api = await connectRemote({ fetch, version: VERSION, kind: "cli" });
      onTestFinished(() => api.close());
      const { clients } = await api.control.info();
      expect(new Set(clients.connected.map(({ token }) => token))).toEqual(
        new Set(["oauth:<U+202E>ann<U+200B>", "oauth:ann<U+2028>", "oauth:owner", "oauth:token:1"]),
      );
    },
  );

  it("opens neither the control API nor the metrics", async () => {
    const { issuer, host } = await setUp();
    const front = frontWith(host, await issuer.sign(valid));
    for (const path of ["/api/v1/channels", "/api/v1/events", "/metrics"]) {
      expect((await front.send({ kind: "page" }, { path })).status).toBe(403);
    }
  });

  it("causes no request to the issuer if it is no JWT", async () => {
    const { issuer, statusOf } = await setUp();
    for (const token of ["garbage", "a.b", "a.b.c.d", "plugboard_x"]) expect(await statusOf(token)).toBe(401);
    expect(issuer.requests).toEqual([]);
  });

  it("is never sent to a server", { meta: { covers: ["S15"] } }, async () => {
    const issuer = await startTokenIssuer();
    const upstream = await startScriptedHttp(answerAsServer);
    onTestFinished(() => upstream.close());
    const auth = { issuer: issuer.url, audience: AUDIENCE, scopes: { mcp: "*" } };
    const host = await startRunningHost({ up: { url: upstream.url } }, {}, { allow: ["*"] }, {}, { auth });
    onTestFinished(host.close);
    const tokens = [await issuer.sign(valid), await addNamedToken(host.env, { name: "a", mayApprove: true, now: 0 })];
    for (const token of [...tokens, host.token]) {
      const front = frontWith(host, token);
      const session = await front.open();
      expect(await (await front.call("echo", {}, { session })).text()).toContain("done");
      expect(JSON.stringify(upstream.requests)).not.toContain(token);
    }
  });
});

/** Answers like a legacy server with one tool. */
function answerAsServer({ body }: ScriptedRequest, response: ServerResponse): void {
  const { id, method = "" } = (body === "" ? {} : JSON.parse(body)) as { id?: number; method?: string };
  if (id === undefined) return void response.writeHead(method === "" ? 405 : 202).end();
  const results: { readonly [method: string]: object } = {
    initialize: {
      protocolVersion: "2025-11-25",
      capabilities: { tools: {} },
      serverInfo: { name: "up", version: "1" },
    },
    "tools/list": { tools: [{ name: "echo", inputSchema: { type: "object" } }] },
    "tools/call": { content: [{ type: "text", text: "done" }] },
  };
  const result = results[method];
  const answer = result ? { result } : { error: { code: -32601, message: "no such method" } };
  response.writeHead(200, { "content-type": "application/json" });
  response.end(JSON.stringify({ jsonrpc: "2.0", id, ...answer }));
}

describe("the metadata of the issuer", { meta: { covers: ["S3"] } }, () => {
  const METADATA = "/.well-known/oauth-authorization-server";

  it("is refused if it names another issuer, and its keys are never read", async () => {
    const { issuer, statusOf } = await setUp();
    issuer.answers[METADATA] = { issuer: "https://evil.example.com", jwks_uri: `${issuer.url}/jwks` };
    expect(await statusOf(await issuer.sign(valid))).toBe(503);
    expect(issuer.requests).toEqual([METADATA]);
  });

  it("is refused if it is redirected, even to metadata that names the issuer", async () => {
    const { issuer, statusOf } = await setUp();
    issuer.answers["/moved"] = issuer.answers[METADATA];
    issuer.answers[METADATA] = { redirect: "/moved" };
    expect(await statusOf(await issuer.sign(valid))).toBe(503);
    expect(issuer.requests).toEqual([METADATA]);
  });

  it.each(["not a URL", "ftp://127.0.0.1/jwks", 5])("is refused if its jwks_uri is %s", async (jwksUri) => {
    const { issuer, statusOf } = await setUp();
    issuer.answers[METADATA] = { issuer: issuer.url, jwks_uri: jwksUri };
    expect(await statusOf(await issuer.sign(valid))).toBe(503);
    expect(issuer.requests).toEqual([METADATA]);
  });

  it("is refused if it is longer than 256 KiB", async () => {
    const { issuer, statusOf } = await setUp();
    issuer.answers[METADATA] = { ...(issuer.answers[METADATA] as object), more: "x".repeat(256 * 1024) };
    expect(await statusOf(await issuer.sign(valid))).toBe(503);
    expect(issuer.requests).toEqual([METADATA]);
  });

  it("is read from the OpenID Connect URL if the OAuth URL has none", async () => {
    const { issuer, statusOf } = await setUp();
    issuer.answers["/.well-known/openid-configuration"] = issuer.answers[METADATA];
    delete issuer.answers[METADATA];
    expect(await statusOf(await issuer.sign(valid))).toBe(200);
    expect(issuer.requests).toEqual([METADATA, "/.well-known/openid-configuration", "/jwks"]);
  });

  it("is read once, and again after a failure when the cooldown is over", async () => {
    const issuer = await startTokenIssuer();
    const { [METADATA]: metadata } = issuer.answers;
    delete issuer.answers[METADATA];
    const clock = new ManualClock();
    const server = new ResourceServer({ ...AUTH, issuer: issuer.url }, { clock, keyCooldownMs: 1000 });
    const token = await issuer.sign(valid);
    const missing = [METADATA, "/.well-known/openid-configuration"];
    for (const passedMs of [0, 999]) {
      clock.advance(passedMs);
      await expect(server.authenticate(token)).rejects.toMatchObject({ code: "ISSUER_UNREACHABLE" });
      expect(issuer.requests).toEqual(missing);
    }
    issuer.answers[METADATA] = metadata;
    clock.advance(1);
    for (const holder of ["subject", "subject"]) expect(await server.authenticate(token)).toMatchObject({ holder });
    expect(issuer.requests).toEqual([...missing, METADATA, "/jwks"]);
  });

  it("is not read if the config names the keys", async () => {
    const issuer = await startTokenIssuer();
    const { statusOf } = await setUp({ issuer: issuer.url, jwks_uri: `${issuer.url}/jwks` });
    expect(await statusOf(await issuer.sign(valid))).toBe(200);
    expect(issuer.requests).toEqual(["/jwks"]);
  });
});

describe("a host that serves beyond this machine", { meta: { covers: ["S16"] } }, () => {
  const publicUrl = "https://mcp.example.com";

  /** Sends a request with any Host and Origin, which `fetch` does not allow. */
  function send(
    host: RunningHost,
    headers: { [name: string]: string },
    path = "/mcp",
  ): Promise<{ status: number; headers: object; body: string }> {
    const { port } = new URL(host.url);
    return new Promise((resolve, reject) => {
      const sent = request({ host: "127.0.0.1", port, path, headers, agent: false }, (response) => {
        let body = "";
        response.on("data", (chunk: Buffer) => (body += chunk.toString()));
        response.on("end", () => resolve({ status: response.statusCode!, headers: response.headers, body }));
      });
      sent.on("error", reject).end();
    });
  }

  it("tells clients where to get a token", async () => {
    const { host, issuer } = await setUp({}, { publicUrl });
    const refused = await send(host, { host: "mcp.example.com" }, "/mcp/p/review");
    expect(refused).toMatchObject({
      status: 401,
      headers: {
        "www-authenticate": `Bearer scope="mcp mcp:review", resource_metadata="${publicUrl}/.well-known/oauth-protected-resource/mcp/p/review"`,
      },
    });
    for (const [path, resource] of [
      ["/.well-known/oauth-protected-resource", "/mcp"],
      ["/.well-known/oauth-protected-resource/mcp", "/mcp"],
      ["/.well-known/oauth-protected-resource/mcp/p/review", "/mcp/p/review"],
    ] as const) {
      const { status, body } = await send(host, { host: "mcp.example.com" }, path);
      expect([status, JSON.parse(body)]).toEqual([
        200,
        {
          resource: `${publicUrl}${resource}`,
          authorization_servers: [issuer.url],
          scopes_supported: ["mcp", "mcp:review"],
          bearer_methods_supported: ["header"],
          resource_name: "Plugboard",
        },
      ]);
    }
    expect((await send(host, { host: "mcp.example.com" }, "/.well-known/other")).status).toBe(404);
  });

  it("accepts only its public name and those of this machine as Host and Origin", async () => {
    const { host, issuer } = await setUp({}, { publicUrl });
    const authorization = `Bearer ${await issuer.sign(valid)}`;
    const { host: local } = new URL(host.url);
    const statusOf = async (headers: { [name: string]: string }) =>
      (await send(host, { authorization, ...headers })).status;
    for (const accepted of [
      { host: "mcp.example.com" },
      { host: "MCP.example.com", origin: publicUrl },
      { host: local, origin: `http://${local}` },
    ]) {
      expect([accepted, await statusOf(accepted)]).toEqual([accepted, 405]);
    }
    for (const refused of [
      { host: "mcp.example.com.evil.example" },
      { host: "evil.example" },
      { host: "mcp.example.com:8080" },
      { host: "mcp.example.com", origin: "https://evil.example" },
      { host: "mcp.example.com", origin: "http://mcp.example.com" },
      { host: "mcp.example.com", origin: "null" },
      { host: local, origin: publicUrl },
    ]) {
      expect([refused, await statusOf(refused)]).toEqual([refused, 403]);
    }
  });

  it("accepts the owner's token, the control API and the metrics only under a name of this machine", async () => {
    const { host } = await setUp({}, { publicUrl });
    const authorization = `Bearer ${host.token}`;
    for (const path of ["/mcp", "/api/v1/events", "/metrics"]) {
      expect((await send(host, { authorization, host: "mcp.example.com" }, path)).status).toBe(403);
    }
    expect((await send(host, { authorization, host: new URL(host.url).host }, "/metrics")).status).toBe(200);
  });

  it("listens on the given address", async () => {
    const { host } = await setUp({}, { host: "0.0.0.0", publicUrl });
    const port = Number(new URL(host.url).port);
    for (const address of otherAddresses().filter((one) => !one.includes(":"))) {
      expect([address, await isPortOpen(address, port)]).toEqual([address, true]);
    }
  });

  it("refuses another machine that claims a name of this machine", () => {
    const headers = { host: "127.0.0.1:7431", origin: undefined };
    const from = (remoteAddress: string) =>
      checkTcpOrigin(headers, { localPort: 7431, remoteAddress, publicOrigin: publicUrl });
    for (const local of ["127.0.0.1", "::1", "::ffff:127.0.0.1"]) expect(from(local)).toBe("local");
    for (const other of ["10.0.0.7", "::ffff:10.0.0.7", "fe80::1", ""]) {
      expect(from(other)).toMatchObject({ code: "FORBIDDEN" });
    }
  });

  it("does not start without an issuer in the config, or with an http URL", async () => {
    for (const address of [{ host: "0.0.0.0" }, { publicUrl }]) {
      await expect(startRunningHost({}, { address })).rejects.toMatchObject({
        code: "USAGE",
        details: { message: expect.stringContaining("`mcp.gateway.auth`") as string },
      });
    }
    await expect(setUp({}, { publicUrl: "http://mcp.example.com" })).rejects.toMatchObject({ code: "USAGE" });
  });
});

it(
  "a token of a real authorization server opens the gateway only if it was issued for the gateway's resource",
  { meta: { covers: ["S26"] } },
  async () => {
    const { issuer, stop } = await startOidcProvider(AUDIENCE);
    onTestFinished(stop);
    const host = await startRunningHost(
      {},
      {},
      {},
      {},
      { auth: { issuer, audience: AUDIENCE, scopes: { read: "*" } } },
    );
    onTestFinished(host.close);
    const registration = { grant_types: ["client_credentials"], redirect_uris: [], response_types: [] };
    const registered = await fetch(`${issuer}/reg`, {
      method: "POST",
      headers: { "content-type": "application/json" },
      body: JSON.stringify(registration),
    });
    const { client_id: id, client_secret: secret } = (await registered.json()) as { [name: string]: string };
    const tokenFor = async (parameters: { [name: string]: string }) => {
      const response = await fetch(`${issuer}/token`, {
        method: "POST",
        headers: { authorization: `Basic ${Buffer.from(`${id}:${secret}`).toString("base64")}` },
        body: new URLSearchParams({ grant_type: "client_credentials", ...parameters }),
      });
      return ((await response.json()) as { access_token: string }).access_token;
    };
    const statusOf = async (token: string) => (await frontWith(host, token).initialize()).status;
    expect(await statusOf(await tokenFor({ scope: "read", resource: AUDIENCE }))).toBe(200);
    expect(await statusOf(await tokenFor({ scope: "write", resource: AUDIENCE }))).toBe(403);
    expect(await statusOf(await tokenFor({}))).toBe(401);
  },
);
