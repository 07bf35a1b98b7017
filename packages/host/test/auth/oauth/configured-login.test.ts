/** Tests logins with the `auth` settings of a definition, at a real authorization server. */
import { readFile } from "node:fs/promises";
import { join } from "node:path";
import type { ServerEntry } from "@plugboard/contracts";
import { startScriptedHttp } from "@plugboard/testkit/start-server";
import { expect, it, onTestFinished } from "vitest";
import { makeTestHome } from "../../helpers/embedded-host.ts";
import {
  makeProtectedFixture,
  type ProtectedFixture,
  serverStatusOf,
  browsingUser,
  whoami,
} from "../../helpers/auth/protected-fixture.ts";

const KNOWN_CLIENT = {
  client_id: "known",
  redirect_uris: ["http://127.0.0.1/callback"],
  application_type: "native",
  grant_types: ["authorization_code", "refresh_token"],
};

/** Starts a host whose server has this `auth`, and logs in. */
async function logIn({ server, home }: ProtectedFixture, auth: object) {
  const user = browsingUser();
  const x = { url: server.url, auth } as ServerEntry;
  const host = await home.host({ servers: { x }, ports: user.ports });
  await host.servers.login("x");
  return { host, user };
}

/** Returns the paths of requests to the URLs in the definition. The tests mark those URLs with a query parameter. */
function requestsToConfiguredUrls({ as }: ProtectedFixture): string[] {
  return as.requests.flatMap(({ path, parameters }) => (parameters["mark"] === "configured" ? [path] : []));
}

it(
  "a login uses the configured endpoints, client and scope",
  { meta: { covers: ["R2.43", "R2.44", "R2.46", "R2.48", "R3.43"] } },
  async () => {
    const fixture = await makeProtectedFixture();
    const { issuer } = fixture.as;
    fixture.as.addClient({ ...KNOWN_CLIENT, token_endpoint_auth_method: "none" });
    const { host } = await logIn(fixture, {
      type: "oauth",
      authorization_url: `${issuer}/auth?mark=configured`,
      token_url: `${issuer}/token?mark=configured`,
      client_id: "known",
      scope: "mcp admin",
    });
    expect(await whoami(host)).toEqual({ sub: "ada", client_id: "known", scope: "mcp admin" });
    expect(requestsToConfiguredUrls(fixture)).toEqual(["/auth", "/token"]);
    expect(fixture.as.requests.map(({ path }) => path)).not.toContain("/reg");
  },
);

it("a login accepts the camelCase settings of other programs", { meta: { covers: ["R3.44"] } }, async () => {
  const fixture = await makeProtectedFixture();
  const { issuer } = fixture.as;
  fixture.as.addClient({ ...KNOWN_CLIENT, token_endpoint_auth_method: "none" });
  const { host } = await logIn(fixture, {
    type: "oauth",
    authUrl: `${issuer}/auth?mark=configured`,
    tokenUrl: `${issuer}/token?mark=configured`,
    clientId: "known",
  });
  expect(await whoami(host)).toMatchObject({ sub: "ada", client_id: "known" });
  expect(requestsToConfiguredUrls(fixture)).toEqual(["/auth", "/token"]);
});

it(
  "a login sends the configured client secret but does not store it",
  { meta: { covers: ["R2.47", "R2.156"] } },
  async () => {
    const fixture = await makeProtectedFixture({ publicClients: false });
    const client_secret = "a-secret-of-the-definition";
    fixture.as.addClient({ ...KNOWN_CLIENT, client_secret });
    const { host } = await logIn(fixture, { type: "oauth", client_id: "known", client_secret });
    fixture.as.revokeAccessTokens();
    expect(await whoami(host)).toMatchObject({ client_id: "known" });
    const basic = `Basic ${btoa(`known:${client_secret}`)}`;
    expect(fixture.as.tokenRequests().map(({ headers }) => headers.authorization)).toEqual([basic, basic]);
    const stored = await readFile(join(fixture.home.stateFolder, "mcp-auth.json"), "utf8");
    expect(stored).toContain("known");
    expect(stored).not.toContain(client_secret);
  },
);

it("a login registers its client at the configured URL", { meta: { covers: ["R2.45"] } }, async () => {
  const fixture = await makeProtectedFixture();
  const { issuer } = fixture.as;
  const { host } = await logIn(fixture, {
    type: "oauth",
    authorization_url: `${issuer}/auth`,
    token_url: `${issuer}/token`,
    registration_url: `${issuer}/reg?mark=configured`,
  });
  expect(await whoami(host)).toMatchObject({ sub: "ada" });
  expect(requestsToConfiguredUrls(fixture)).toEqual(["/reg"]);
});

it(
  "a host reports LOGIN_NOT_OFFERED for a server without OAuth metadata and does not ask the user",
  { meta: { covers: ["R2.59"] } },
  async () => {
    const server = await startScriptedHttp((_, response) => void response.writeHead(401).end());
    onTestFinished(() => server.close());
    const user = browsingUser();
    const host = await (await makeTestHome()).host({ servers: { x: { url: server.url } }, ports: user.ports });
    await host.ready();
    expect(serverStatusOf(host)).toMatchObject({ state: "error", lastError: { code: "LOGIN_NOT_OFFERED" } });
    expect(serverStatusOf(host)?.lastError?.message).toMatch(/`headers` or `auth`/);
    expect([user.questions, user.openedUrls]).toEqual([[], []]);
  },
);
