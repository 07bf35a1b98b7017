/**
 * Searches all output of a host for the secrets of a login. The servers in these tests echo each secret that they
 * receive, in errors, challenges and headers. Only the login file may contain secrets.
 */
import { generateKeyPairSync, randomBytes } from "node:crypto";
import { readFile, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { inspect } from "node:util";
import type { HostEvent } from "@plugboard/contracts";
import type { EmbeddedHost } from "@plugboard/host";
import { type AuthorizationServer, isTokenRequest } from "@plugboard/testkit/authorization-server";
import type { RecordedResponse, RecordedRequest } from "@plugboard/testkit/recording-http";
import { completeLogin } from "@plugboard/testkit/complete-login";
import { describe, expect, it } from "vitest";
import {
  browserWithoutPrompts,
  createEarlierLogin,
  makeProtectedFixture,
  type ProtectedFixture,
  answeringUser,
  browsingUser,
  whoami,
} from "../../helpers/auth/protected-fixture.ts";
import {
  captureError,
  readFilesUnder,
  captureProcessOutput,
  captureSpans,
  readOwnCommandLines,
} from "../../helpers/captured-output.ts";

/** Returns an error response that echoes the request in its headers and its body. */
const echoRequest =
  (status: number, error = "invalid_grant") =>
  (request: RecordedRequest): RecordedResponse => {
    const secrets = `${request.body} ${Object.values(request.parameters).join(" ")} ${request.headers.authorization}`;
    const line = secrets.replaceAll(/["\\\r\n]/g, "'");
    return {
      status,
      headers: { "www-authenticate": `Bearer error="${line}", error_description="${line}"`, "x-echo": line },
      body: JSON.stringify({ error, error_description: line, error_uri: `https://example.com/${line}`, [line]: line }),
    };
  };

describe("a host with a login", { meta: { covers: ["A12", "R3.3"] } }, () => {
  it("leaks no secret when it registers, logs in, refreshes and logs out", async () => {
    const fixture = await makeLeakFixture({ publicClients: false });
    const user = browsingUser();
    const host = await fixture.host(browserWithoutPrompts(user));
    await host.servers.login("x");
    await whoami(host);
    fixture.as.revokeAccessTokens();
    await whoami(host);
    await fixture.recordStatus(host);
    await host.servers.logout("x");
    fixture.output.push(await Promise.all(user.finalPages.map(async (end) => (await end).text)));
    await fixture.expectNoLeaks(host, ["access_token", "refresh_token", "code", "code_verifier", "client_secret"]);
  });

  it.each([400, 401, 500])("leaks no secret when the authorization code is refused with status %i", async (status) => {
    const fixture = await makeLeakFixture({ publicClients: false });
    void fixture.as.injectFault(isTokenRequest("authorization_code"), echoRequest(status));
    const host = await fixture.host(browserWithoutPrompts());
    await captureError(fixture.output, () => host.servers.login("x"));
    await fixture.expectNoLeaks(host, ["code", "code_verifier", "client_secret"]);
  });

  it("leaks no secret when the token response is invalid but contains tokens", async () => {
    const fixture = await makeLeakFixture({});
    const secret = randomBytes(16).toString("hex");
    const body = JSON.stringify({
      access_token: secret,
      refresh_token: randomBytes(16).toString("hex"),
      token_type: [secret],
    });
    void fixture.as.injectFault(isTokenRequest(), { status: 200, body });
    const host = await fixture.host(browserWithoutPrompts());
    await captureError(fixture.output, () => host.servers.login("x"));
    await fixture.expectNoLeaks(host, ["access_token", "refresh_token"]);
  });

  it.each([400, 401, 500])("leaks no secret when the refresh token is refused with status %i", async (status) => {
    const fixture = await makeLeakFixture({});
    await createEarlierLogin(fixture);
    fixture.as.revokeAccessTokens();
    void fixture.as.injectFault(isTokenRequest("refresh_token"), echoRequest(status));
    const later = await fixture.host();
    await captureError(fixture.output, () => whoami(later));
    await fixture.expectNoLeaks(later, ["access_token", "refresh_token"]);
  });

  it.each<[string, (request: RecordedRequest, origin: string) => RecordedResponse]>([
    ["a 401 challenge", (request) => echoRequest(401)(request)],
    [
      "a demand for more scope",
      (request) => ({ ...echoRequest(403)(request), headers: { "www-authenticate": scopeChallenge(request) } }),
    ],
    [
      "the URL of its metadata",
      (request, origin) => {
        const metadata = `${origin}/${request.headers.authorization?.split(" ")[1]}`;
        return { status: 401, headers: { "www-authenticate": `Bearer resource_metadata="${metadata}"` }, body: "" };
      },
    ],
    ["a 400 response", (request) => echoRequest(400)(request)],
    ["a 500 response", (request) => echoRequest(500)(request)],
  ])("leaks no secret when the server echoes the token in %s", async (_, answer) => {
    const fixture = await makeLeakFixture({});
    await createEarlierLogin(fixture);
    const { origin } = new URL(fixture.server.url);
    for (let times = 0; times < 3; times++) {
      void fixture.server.injectFault(isCall, (request) => answer(request, origin));
    }
    const later = await fixture.host();
    await captureError(fixture.output, () => whoami(later));
    expect(fixture.server.requests.some(isCall)).toBe(true);
    await fixture.expectNoLeaks(later, ["access_token"]);
  });

  it.each<[string, RecordedResponse | undefined]>([
    ["the server quotes the private key", undefined],
    ["the refresh returns an unbound token", { status: 200, body: '{"access_token":"plain","token_type":"Bearer"}' }],
  ])("leaks no secret when the token is bound to a key and %s", async (_, answer) => {
    const fixture = await makeLeakFixture({ dpop: "nonce" });
    await createEarlierLogin(fixture);
    const stored = await readFile(join(fixture.home.stateFolder, "mcp-auth.json"), "utf8");
    const { servers } = JSON.parse(stored) as { servers: { x: { dpop_key: { d: string } } } };
    fixture.secrets.set("dpop_key", [servers.x.dpop_key.d]);
    const later = await fixture.host();
    await whoami(later);
    if (answer) fixture.as.revokeAccessTokens();
    if (answer) void fixture.as.injectFault(isTokenRequest("refresh_token"), answer);
    // The server should never see the private key. If it quotes the key anyway, the key is masked like any secret.
    else void fixture.server.injectFault(isCall, ({ body }) => errorResponse(body, servers.x.dpop_key.d));
    await captureError(fixture.output, () => whoami(later));
    await fixture.expectNoLeaks(later, ["access_token", "dpop_key"]);
  });

  it("leaks no secret when the revocation of the tokens fails", async () => {
    const fixture = await makeLeakFixture({});
    await createEarlierLogin(fixture);
    const host = await fixture.host();
    void fixture.as.injectFault(({ path }) => path === "/token/revocation", echoRequest(400));
    await captureError(fixture.output, async () => fixture.output.push(await host.servers.logout("x")));
    expect(fixture.output).toContainEqual({ forgotten: true, revoked: "no" });
    await fixture.expectNoLeaks(host, ["access_token", "refresh_token"]);
  });

  it("leaks no secret when the user pastes the redirect URL", async () => {
    const fixture = await makeLeakFixture({});
    const { ports } = answeringUser(async ({ step }) => {
      if (step?.type !== "browser") return { type: "login", action: "begin" };
      return { type: "login", action: "redirected", url: (await completeLogin(step.url)).url };
    });
    const host = await fixture.host(ports);
    await host.servers.login("x");
    await fixture.expectNoLeaks(host, ["code", "code_verifier"]);
  });

  it("leaks no secret when the device code is refused", async () => {
    const fixture = await makeLeakFixture({});
    void fixture.as.injectFault(isTokenRequest("urn:ietf:params:oauth:grant-type:device_code"), echoRequest(400));
    const { ports } = answeringUser(async ({ step }) =>
      step ? undefined : { type: "login", action: "begin", method: "device" },
    );
    const host = await fixture.host(ports);
    await captureError(fixture.output, () => host.servers.login("x", { method: "device" }));
    await fixture.expectNoLeaks(host, ["device_code"]);
  });

  it.each([200, 400, 500])(
    "leaks no secret when a client with client credentials gets a token response with status %i",
    async (status) => {
      const fixture = await makeLeakFixture({});
      const { privateKey, publicKey } = generateKeyPairSync("ec", { namedCurve: "P-256" });
      const pem = privateKey.export({ format: "pem", type: "pkcs8" }).toString();
      const client_secret = randomBytes(16).toString("hex");
      fixture.secrets.set("private_key", [pem.split("\n")[2]!]);
      fixture.secrets.set("client_secret", [client_secret]);
      const machine = { redirect_uris: [], response_types: [], grant_types: ["client_credentials"], scope: "mcp" };
      fixture.as.addClient({ client_id: "by-secret", client_secret, ...machine });
      fixture.as.addClient({
        client_id: "by-key",
        token_endpoint_auth_method: "private_key_jwt",
        jwks: { keys: [{ ...publicKey.export({ format: "jwk" }), alg: "ES256", use: "sig" }] },
        ...machine,
      });
      const private_key_file = join(fixture.home.cwd, "key.pem");
      await writeFile(private_key_file, pem);
      const assertion_file = join(fixture.home.cwd, "jwt");
      const assertion = randomBytes(16).toString("hex");
      await writeFile(assertion_file, assertion);
      fixture.secrets.set("assertion", [assertion]);
      const type = "client_credentials" as const;
      const { url } = fixture.server;
      if (status !== 200)
        for (const _ of "123456") void fixture.as.injectFault(isTokenRequest(), echoRequest(status, "invalid_client"));
      const host = await fixture.home.host({
        servers: {
          "by-secret": { url, auth: { type, client_id: "by-secret", client_secret, scope: "mcp" } },
          "by-key": { url, auth: { type, client_id: "by-key", private_key_file, scope: "mcp" } },
          "by-assertion": { url, auth: { type, client_id: "by-assertion", assertion_file, scope: "mcp" } },
        },
      });
      fixture.output.push((await host.ready()).errors);
      expect(fixture.as.tokenRequests("client_credentials").length).toBeGreaterThan(1);
      await fixture.expectNoLeaks(host, ["client_secret", "client_assertion", "private_key", "assertion"]);
    },
  );
});

function errorResponse(request: string, message: string): RecordedResponse {
  const { id } = JSON.parse(request) as { id: number };
  return { status: 200, body: JSON.stringify({ jsonrpc: "2.0", id, error: { code: -32603, message } }) };
}

const isCall = ({ body }: RecordedRequest) => body.includes('"tools/call"');

function scopeChallenge({ headers }: RecordedRequest): string {
  return `Bearer error="insufficient_scope", scope="${headers.authorization?.split(" ")[1]}"`;
}

interface LeakFixture extends ProtectedFixture {
  /** All errors and output so far. */
  readonly output: unknown[];
  /** Secrets of the test by kind, in addition to the secrets that are found in the requests. */
  readonly secrets: Map<string, string[]>;
  /** Records the status, the logins and the problems that the host reports. */
  recordStatus(host: EmbeddedHost): Promise<void>;
  /** Closes the host and searches its output for secrets. Fails if no secret of any one of these kinds was in use. */
  expectNoLeaks(host: EmbeddedHost, kinds: readonly string[]): Promise<void>;
}

async function makeLeakFixture(options: Parameters<typeof makeProtectedFixture>[0]): Promise<LeakFixture> {
  const fixture = await makeProtectedFixture(options);
  const output: unknown[] = captureProcessOutput();
  const spans = captureSpans();
  const secrets = new Map<string, string[]>();
  const recordStatus = async (host: EmbeddedHost) => {
    const { logins } = await host.logins.list();
    const status = host.status();
    output.push(
      status,
      status.map(({ id }) => host.servers.detail(id)),
      logins,
      host.config.problems(),
      await readOwnCommandLines(),
    );
  };
  const expectNoLeaks = async (host: EmbeddedHost, kinds: readonly string[]) => {
    await recordStatus(host);
    await host.close();
    const events: HostEvent[] = [];
    for await (const event of host.events(0)) events.push(event);
    const files = (await readFilesUnder(fixture.home.stateFolder)).filter((file) => !isLoginFile(file));
    const finishedSpans = spans.getFinishedSpans().map(({ name, attributes, events }) => [name, attributes, events]);
    // If the server itself puts a secret into a URL in its challenge, that URL may contain it.
    const challenges = fixture.server.requests.map(({ response }) => response?.headers?.["www-authenticate"]).join();
    const urls = [...fixture.as.requests, ...fixture.server.requests].map(({ url }) => url);
    const secretsByKind = collectSecrets(fixture.as, secrets);
    expect([...secretsByKind.keys()]).toEqual(expect.arrayContaining([...kinds]));
    for (const [where, value] of Object.entries({
      output,
      events,
      files,
      spans: finishedSpans,
      urls: urls.filter((url) => !challenges.includes(`${url}"`)),
    })) {
      for (const text of [JSON.stringify(value), inspect(value, { depth: null, maxStringLength: null })]) {
        expect(leakedKinds(text, secretsByKind), `${where}: ${text.slice(0, 4000)}`).toEqual([]);
      }
    }
  };
  return { ...fixture, output, secrets, recordStatus, expectNoLeaks };
}

function isLoginFile(file: string): boolean {
  return /\/mcp-auth\.json\n/.test(file.slice(0, 4096));
}

const SECRET_FIELDS = [
  ...["access_token", "refresh_token", "id_token", "client_secret", "registration_access_token", "device_code"],
  ...["code", "code_verifier", "client_assertion"],
];

/** Returns all secrets: of the test, and of the requests to the authorization server and its responses. */
function collectSecrets(as: AuthorizationServer, secretsOfTest: ReadonlyMap<string, string[]>): Map<string, string[]> {
  const secretsByKind = new Map([...secretsOfTest].map(([kind, values]) => [kind, [...values]]));
  for (const { path, parameters, headers, response } of as.requests) {
    // Requests to this path come from the protected server, not from the host.
    if (path === "/token/introspection") continue;
    const basic = /^Basic (.*)/.exec(headers.authorization ?? "")?.[1];
    const clientSecret = basic === undefined ? undefined : atob(basic).split(":")[1];
    const fields: { readonly [name: string]: unknown } = {
      ...parseObject(response?.body),
      ...parameters,
      ...(clientSecret !== undefined && { client_secret: clientSecret }),
    };
    for (const kind of SECRET_FIELDS) {
      const value = fields[kind];
      if (typeof value === "string")
        secretsByKind.set(kind, [...(secretsByKind.get(kind) ?? []), value, ...(basic ? [basic] : [])]);
    }
  }
  return secretsByKind;
}

function parseObject(body = ""): { readonly [name: string]: unknown } {
  try {
    return JSON.parse(body) as { [name: string]: unknown };
  } catch {
    return {};
  }
}

/**
 * Returns the kinds of secrets that the text leaks: it contains at least eight successive characters of them. Of a JWT,
 * only the signature is a secret.
 */
function leakedKinds(text: string, secretsByKind: ReadonlyMap<string, string[]>): string[] {
  return [...secretsByKind].flatMap(([kind, values]) => {
    const pieces = values.map((value) => value.slice(value.lastIndexOf(".") + 1)).flatMap(piecesOf);
    return pieces.some((piece) => text.includes(piece)) ? [kind] : [];
  });
}

function piecesOf(value: string): string[] {
  return Array.from({ length: Math.max(0, value.length - 7) }, (_, start) => value.slice(start, start + 8));
}
