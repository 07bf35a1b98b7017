/** Tests that tokens and client secrets of one authorization server are never sent to another. */
import { startAuthorizationServer } from "@plugboard/testkit/authorization-server";
import { startRecordingHttp } from "@plugboard/testkit/recording-http";
import { describe, expect, it, onTestFinished } from "vitest";
import {
  waitUntilIdle,
  createEarlierLogin,
  makeProtectedFixture,
  browsingUser,
  whoami,
} from "../../helpers/auth/protected-fixture.ts";

it(
  "a host does not send a refresh token to another token URL, even if the definition names that URL",
  { meta: { covers: ["S9"] } },
  async () => {
    const fixture = await makeProtectedFixture();
    const { as, server, home } = fixture;
    await createEarlierLogin(fixture);
    as.revokeAccessTokens();
    let otherOrigin = "";
    const otherServer = await startRecordingHttp((origin) => {
      otherOrigin = origin;
      return async (_, response) => void response.writeHead(500).end();
    });
    onTestFinished(() => otherServer.close());
    const auth = { type: "oauth" as const, token_url: `${otherOrigin}/token` };
    const host = await home.host({ servers: { x: { url: server.url, auth } } });
    await expect(whoami(host)).rejects.toMatchObject({ code: "AUTH_REQUIRED" });
    expect(otherServer.requests).toEqual([]);
    expect((await host.logins.list()).logins).toHaveLength(1);
  },
);

describe("a host whose server changes to another authorization server", { meta: { covers: ["S9"] } }, () => {
  it.each(["client_credentials", "oauth"] as const)(
    "fails with LOGIN_UNSAFE and does not send the client secret there (auth type %s)",
    async (type) => {
      const { as, server, home } = await makeProtectedFixture();
      const other = await startAuthorizationServer();
      onTestFinished(() => other.close());
      const client = { client_id: "known", client_secret: "a-secret-to-be-kept" };
      const redirect_uris = ["http://127.0.0.1/callback"];
      const grants = ["client_credentials", "authorization_code", "refresh_token"];
      as.addClient({ ...client, redirect_uris, application_type: "native", grant_types: grants });
      const servers = { x: { url: server.url, start: "lazy" as const, auth: { type, ...client } } };
      const host = await home.host({ servers, ports: browsingUser().ports });
      await (type === "client_credentials" ? whoami(host) : host.servers.login("x"));
      await waitUntilIdle({ as, server });

      const moved = { resource: server.url, authorization_servers: [other.issuer] };
      for (let times = 0; times < 20; times++) {
        void server.injectFault(({ path }) => path.startsWith("/.well-known/"), {
          status: 200,
          body: JSON.stringify(moved),
        });
      }
      as.revokeGrants();
      as.revokeAccessTokens();
      await expect(whoami(host)).rejects.toMatchObject({ code: "LOGIN_UNSAFE" });
      expect(other.requests.filter(({ method }) => method === "POST")).toEqual([]);
    },
  );
});
