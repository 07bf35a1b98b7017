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
} from "../../helpers/protected-fixture.ts";
import {
  captureError,
  readFilesUnder,
  captureProcessOutput,
  captureSpans,
  readOwnCommandLines,
} from "../../helpers/captured-output.ts";

/** Fails, and echoes the request in the headers and the body of the response. */
const echoing =
  (status: number, error = "invalid_grant") =>
  (request: RecordedRequest): RecordedResponse => {
    const all = `${request.body} ${Object.values(request.parameters).join(" ")} ${request.headers.authorization}`;
    const line = all.replaceAll(/["\\\r\n]/g, "'");
    return {
      status,
      headers: { "www-authenticate": `Bearer error="${line}", error_description="${line}"`, "x-echo": line },
      body: JSON.stringify({ error, error_description: line, error_uri: `https://example.com/${line}`, [line]: line }),
    };
  };

describe("a host does not leak the secrets of a login", { meta: { covers: ["A12", "R3.3"] } }, () => {
  it("when it registers, logs in, refreshes and logs out", async () => {
    const fixture = await watch({ publicClients: false });
    const user = browsingUser();
    const host = await fixture.host(browserWithoutPrompts(user));
    await host.servers.login("x");
    await whoami(host);
    fixture.as.revokeAccessTokens();
    await whoami(host);
    await fixture.recordStatus(host);
    await host.servers.logout("x");
    fixture.output.push(await Promise.all(user.finalPages.map(async (end) => (await end).text)));
    await fixture.check(host, ["access_token", "refresh_token", "code", "code_verifier", "client_secret"]);
  });

  it.each([400, 401, 500])("when the authorization code is refused with status %i", async (status) => {
    const fixture = await watch({ publicClients: false });
    void fixture.as.injectFault(isTokenRequest("authorization_code"), echoing(status));
    const host = await fixture.host(browserWithoutPrompts());
    await captureError(fixture.output, () => host.servers.login("x"));
    await fixture.check(host, ["code", "code_verifier", "client_secret"]);
  });

  it("when the token response is invalid but contains tokens", async () => {
    const fixture = await watch({});
    const secret = randomBytes(16).toString("hex");
    const body = JSON.stringify({
      access_token: secret,
      refresh_token: randomBytes(16).toString("hex"),
      token_type: [secret],
    });
    void fixture.as.injectFault(isTokenRequest(), { status: 200, body });
    const host = await fixture.host(browserWithoutPrompts());
    await captureError(fixture.output, () => host.servers.login("x"));
    await fixture.check(host, ["access_token", "refresh_token"]);
  });

  it.each([400, 401, 500])("when the refresh token is refused with status %i", async (status) => {
    const fixture = await watch({});
    await createEarlierLogin(fixture);
    fixture.as.revokeAccessTokens();
    void fixture.as.injectFault(isTokenRequest("refresh_token"), echoing(status));
    const later = await fixture.host();
    await captureError(fixture.output, () => whoami(later));
    await fixture.check(later, ["access_token", "refresh_token"]);
  });

  it.each<[string, (request: RecordedRequest, origin: string) => RecordedResponse]>([
    ["a 401 challenge", (request) => echoing(401)(request)],
    [
      "a demand for more scope",
      (request) => ({ ...echoing(403)(request), headers: { "www-authenticate": more(request) } }),
    ],
    [
      "the URL of its metadata",
      (request, origin) => {
        const metadata = `${origin}/${request.headers.authorization?.split(" ")[1]}`;
        return { status: 401, headers: { "www-authenticate": `Bearer resource_metadata="${metadata}"` }, body: "" };
      },
    ],
    ["a 400 response", (request) => echoing(400)(request)],
    ["a 500 response", (request) => echoing(500)(request)],
  ])("when the server echoes the token in %s", async (_, answer) => {
    const fixture = await watch({});
    await createEarlierLogin(fixture);
    const { origin } = new URL(fixture.server.url);
    for (let times = 0; times < 3; times++) {
      void fixture.server.injectFault(isCall, (request) => answer(request, origin));
    }
    const later = await fixture.host();
    await captureError(fixture.output, () => whoami(later));
    expect(fixture.server.requests.some(isCall)).toBe(true);
    await fixture.check(later, ["access_token"]);
  });

  it.each<[string, RecordedResponse | undefined]>([
    ["the server quotes the private key", undefined],
    ["the refresh returns an unbound token", { status: 200, body: '{"access_token":"plain","token_type":"Bearer"}' }],
  ])("when the token is bound to a key and %s", async (_, answer) => {
    const fixture = await watch({ dpop: "nonce" });
    await createEarlierLogin(fixture);
    const stored = await readFile(join(fixture.home.stateFolder, "mcp-auth.json"), "utf8");
    const { servers } = JSON.parse(stored) as { servers: { x: { dpop_key: { d: string } } } };
    fixture.secrets.set("dpop_key", [servers.x.dpop_key.d]);
    const later = await fixture.host();
    await whoami(later);
    if (answer) fixture.as.revokeAccessTokens();
    if (answer) void fixture.as.injectFault(isTokenRequest("refresh_token"), answer);
    // A quoted private key is masked like any other secret, even though the server should never see it.
    else void fixture.server.injectFault(isCall, ({ body }) => quoting(body, servers.x.dpop_key.d));
    await captureError(fixture.output, () => whoami(later));
    await fixture.check(later, ["access_token", "dpop_key"]);
  });

  it("when revoking the tokens fails", async () => {
    const fixture = await watch({});
    await createEarlierLogin(fixture);
    const host = await fixture.host();
    void fixture.as.injectFault(({ path }) => path === "/token/revocation", echoing(400));
    await captureError(fixture.output, async () => fixture.output.push(await host.servers.logout("x")));
    expect(fixture.output).toContainEqual({ forgotten: true, revoked: "no" });
    await fixture.check(host, ["access_token", "refresh_token"]);
  });

  it("when the user pastes the redirect URL", async () => {
    const fixture = await watch({});
    const { ports } = answeringUser(async ({ step }) => {
      if (step?.type !== "browser") return { type: "login", action: "begin" };
      return { type: "login", action: "redirected", url: (await completeLogin(step.url)).url };
    });
    const host = await fixture.host(ports);
    await host.servers.login("x");
    await fixture.check(host, ["code", "code_verifier"]);
  });

  it("when the device code is refused", async () => {
    const fixture = await watch({});
    void fixture.as.injectFault(isTokenRequest("urn:ietf:params:oauth:grant-type:device_code"), echoing(400));
    const { ports } = answeringUser(async ({ step }) =>
      step ? undefined : { type: "login", action: "begin", method: "device" },
    );
    const host = await fixture.host(ports);
    await captureError(fixture.output, () => host.servers.login("x", { method: "device" }));
    await fixture.check(host, ["device_code"]);
  });

  it.each([200, 400, 500])(
    "when a client with its own credentials gets a token response with status %i",
    async (status) => {
      const fixture = await watch({});
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
        for (const _ of "123456") void fixture.as.injectFault(isTokenRequest(), echoing(status, "invalid_client"));
      const host = await fixture.home.host({
        servers: {
          "by-secret": { url, auth: { type, client_id: "by-secret", client_secret, scope: "mcp" } },
          "by-key": { url, auth: { type, client_id: "by-key", private_key_file, scope: "mcp" } },
          "by-assertion": { url, auth: { type, client_id: "by-assertion", assertion_file, scope: "mcp" } },
        },
      });
      fixture.output.push((await host.ready()).errors);
      expect(fixture.as.tokenRequests("client_credentials").length).toBeGreaterThan(1);
      await fixture.check(host, ["client_secret", "client_assertion", "private_key", "assertion"]);
    },
  );
});

function quoting(request: string, message: string): RecordedResponse {
  const { id } = JSON.parse(request) as { id: number };
  return { status: 200, body: JSON.stringify({ jsonrpc: "2.0", id, error: { code: -32603, message } }) };
}

const isCall = ({ body }: RecordedRequest) => body.includes('"tools/call"');

function more({ headers }: RecordedRequest): string {
  return `Bearer error="insufficient_scope", scope="${headers.authorization?.split(" ")[1]}"`;
}

interface Watched extends ProtectedFixture {
  /** All errors and output so far. */
  readonly output: unknown[];
  /** Secrets by kind, in addition to those in the requests to the servers. */
  readonly secrets: Map<string, string[]>;
  /** Records the status, the logins and the problems that the host reports. */
  recordStatus(host: EmbeddedHost): Promise<void>;
  /** Closes the host and searches its output for secrets. Fails if no secret of one of the kinds was in use. */
  check(host: EmbeddedHost, kinds: readonly string[]): Promise<void>;
}

async function watch(options: Parameters<typeof makeProtectedFixture>[0]): Promise<Watched> {
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
  const check = async (host: EmbeddedHost, kinds: readonly string[]) => {
    await recordStatus(host);
    await host.close();
    const events: HostEvent[] = [];
    for await (const event of host.events(0)) events.push(event);
    const files = (await readFilesUnder(fixture.home.stateFolder)).filter((file) => !isLogins(file));
    const finished = spans.getFinishedSpans().map(({ name, attributes, events }) => [name, attributes, events]);
    // A URL that the server itself put into a challenge may contain a secret.
    const named = fixture.server.requests.map(({ response }) => response?.headers?.["www-authenticate"]).join();
    const urls = [...fixture.as.requests, ...fixture.server.requests].map(({ url }) => url);
    const found = confidential(fixture.as, secrets);
    expect([...found.keys()]).toEqual(expect.arrayContaining([...kinds]));
    for (const [where, what] of Object.entries({
      output,
      events,
      files,
      spans: finished,
      urls: urls.filter((url) => !named.includes(`${url}"`)),
    })) {
      for (const form of [JSON.stringify(what), inspect(what, { depth: null, maxStringLength: null })]) {
        expect(leaks(form, found), `${where}: ${form.slice(0, 4000)}`).toEqual([]);
      }
    }
  };
  return { ...fixture, output, secrets, recordStatus, check };
}

function isLogins(file: string): boolean {
  return /\/mcp-auth\.json\n/.test(file.slice(0, 4096));
}

const CONFIDENTIAL = [
  ...["access_token", "refresh_token", "id_token", "client_secret", "registration_access_token", "device_code"],
  ...["code", "code_verifier", "client_assertion"],
];

/** Returns the secrets in the requests to the authorization server and in its responses, and those of the test. */
function confidential(as: AuthorizationServer, added: ReadonlyMap<string, string[]>): Map<string, string[]> {
  const found = new Map([...added].map(([kind, values]) => [kind, [...values]]));
  for (const { path, parameters, headers, response } of as.requests) {
    // These requests come from the protected server, not from the host.
    if (path === "/token/introspection") continue;
    const basic = /^Basic (.*)/.exec(headers.authorization ?? "")?.[1];
    const secret = basic === undefined ? undefined : atob(basic).split(":")[1];
    const said: { readonly [name: string]: unknown } = {
      ...objectOf(response?.body),
      ...parameters,
      ...(secret !== undefined && { client_secret: secret }),
    };
    for (const kind of CONFIDENTIAL) {
      const value = said[kind];
      if (typeof value === "string") found.set(kind, [...(found.get(kind) ?? []), value, ...(basic ? [basic] : [])]);
    }
  }
  return found;
}

function objectOf(body = ""): { readonly [name: string]: unknown } {
  try {
    return JSON.parse(body) as { [name: string]: unknown };
  } catch {
    return {};
  }
}

/** Returns the kinds of secrets of which the text has at least eight characters. Of a JWT, only the signature counts. */
function leaks(text: string, found: ReadonlyMap<string, string[]>): string[] {
  return [...found].flatMap(([kind, values]) => {
    const pieces = values.map((value) => value.slice(value.lastIndexOf(".") + 1)).flatMap(piecesOf);
    return pieces.some((piece) => text.includes(piece)) ? [kind] : [];
  });
}

function piecesOf(value: string): string[] {
  return Array.from({ length: Math.max(0, value.length - 7) }, (_, at) => value.slice(at, at + 8));
}
