/** Tests the ways to log in: during a call, with a pasted redirect URL, a device code, or client credentials. */
import { generateKeyPairSync } from "node:crypto";
import { writeFile } from "node:fs/promises";
import { join } from "node:path";
import { completeLogin } from "@plugboard/testkit/complete-login";
import { describe, expect, it } from "vitest";
import {
  makeProtectedFixture,
  serverStatusOf,
  answeringUser,
  browsingUser,
  whoami,
} from "../../helpers/auth/protected-fixture.ts";
import { resultText } from "../../helpers/test-project.ts";

describe("a call to a server that needs a login", () => {
  it.each(["modern", "legacy"] as const)(
    "asks the user to log in and then continues (%s era)",
    { meta: { covers: ["R2.55"] } },
    async (era) => {
      const { host: open } = await makeProtectedFixture({ eras: era });
      const user = browsingUser();
      const host = await open(user.ports);
      expect(await whoami(host)).toMatchObject({ sub: "ada", scope: "mcp" });
      expect(serverStatusOf(host)).toMatchObject({ state: "ready", era });
      expect(user.questions.map(({ step }) => step?.type)).toEqual([undefined, "browser"]);
      expect(user.openedUrls).toHaveLength(1);
    },
  );

  it("opens no page and registers no client before the user agrees", { meta: { covers: ["R2.56"] } }, async () => {
    const { as, host: open } = await makeProtectedFixture();
    const { asked, ports } = answeringUser(() => ({ type: "login", action: "cancel" }));
    const opened: string[] = [];
    const host = await open({ ...ports, openUrl: (url) => opened.push(url) });
    await expect(whoami(host)).rejects.toMatchObject({ code: "AUTH_REQUIRED" });
    expect(asked).toMatchObject([{ reason: "first", server: "x" }]);
    expect([opened, as.requests.filter(({ method }) => method === "POST")]).toEqual([[], []]);
  });

  it("uses a client ID metadata document instead of registering a client", async () => {
    const client_id = "https://plugboard.example/client.json";
    const document = {
      client_id,
      redirect_uris: ["http://127.0.0.1/callback"],
      application_type: "native",
      token_endpoint_auth_method: "none",
      grant_types: ["authorization_code", "refresh_token"],
    };
    const { as, server, home } = await makeProtectedFixture({ documents: { [client_id]: document } });
    const auth = { type: "oauth" as const, client_metadata_url: client_id };
    const host = await home.host({ servers: { x: { url: server.url, auth } }, ports: browsingUser().ports });
    await host.servers.login("x");
    expect(await whoami(host)).toMatchObject({ client_id });
    expect(as.requests.map(({ path }) => path)).not.toContain("/reg");
  });
});

describe("a login without a browser on this machine", () => {
  it("accepts the redirect URL that the user pastes", { meta: { covers: ["R2.57"] } }, async () => {
    const { as, host: open } = await makeProtectedFixture();
    const { asked, ports } = answeringUser(async ({ step }) => {
      if (step?.type !== "browser") return { type: "login", action: "begin" };
      return { type: "login", action: "redirected", url: (await completeLogin(step.url)).url };
    });
    const host = await open(ports);
    expect(await host.servers.login("x")).toMatchObject({ state: "ready" });
    expect(await whoami(host)).toMatchObject({ sub: "ada" });
    expect(asked.at(-1)?.step).toMatchObject({ type: "browser", redirectUri: expect.stringContaining("127.0.0.1") });
    expect(as.tokenRequests()).toHaveLength(1);
  });

  it("accepts a device code that the user enters in another browser", async () => {
    const { as, server, host: open } = await makeProtectedFixture();
    const { asked, ports } = answeringUser(async ({ step }) => {
      if (step?.type !== "device") return { type: "login", action: "begin", method: "device" };
      expect((await completeLogin(step.url, { code: step.code })).text).toContain("Done");
      return undefined;
    });
    const host = await open(ports);
    expect(await host.servers.login("x", { method: "device" })).toMatchObject({
      state: "ready",
      login: { renewable: true },
    });
    expect(await whoami(host)).toMatchObject({ sub: "ada", scope: "mcp" });
    expect(asked.at(-1)?.step).toMatchObject({ type: "device" });
    expect(as.requests.find(({ path }) => path === "/device/auth")?.parameters).toMatchObject({ resource: server.url });
  });

  it("uses client credentials with a client secret or a private key", async () => {
    const { as, server, home } = await makeProtectedFixture();
    const { privateKey, publicKey } = generateKeyPairSync("ec", { namedCurve: "P-256" });
    const machine = { redirect_uris: [], response_types: [], grant_types: ["client_credentials"], scope: "mcp" };
    as.addClient({ client_id: "by-secret", client_secret: "hush", ...machine });
    as.addClient({
      client_id: "by-key",
      token_endpoint_auth_method: "private_key_jwt",
      token_endpoint_auth_signing_alg: "ES256",
      jwks: { keys: [{ ...publicKey.export({ format: "jwk" }), alg: "ES256", use: "sig" }] },
      ...machine,
    });
    const private_key_file = join(home.cwd, "key.pem");
    await writeFile(private_key_file, privateKey.export({ format: "pem", type: "pkcs8" }));
    const type = "client_credentials" as const;
    const host = await home.host({
      servers: {
        "by-secret": { url: server.url, auth: { type, client_id: "by-secret", client_secret: "hush", scope: "mcp" } },
        "by-key": { url: server.url, auth: { type, client_id: "by-key", private_key_file, scope: "mcp" } },
      },
    });
    expect((await host.ready()).errors).toEqual({});
    const identityOf = async (id: string) =>
      JSON.parse(resultText(await host.tools.call(`${id}:whoami`, {}))) as unknown;
    for (const _ of ["first", "again"]) {
      expect(await identityOf("by-secret")).toMatchObject({ client_id: "by-secret", scope: "mcp" });
      expect(await identityOf("by-key")).toMatchObject({ client_id: "by-key", scope: "mcp" });
      as.revokeAccessTokens();
    }
    const requests = as.tokenRequests("client_credentials");
    expect(requests.map(({ parameters }) => parameters["resource"])).toEqual(Array(4).fill(server.url));
  });
});
