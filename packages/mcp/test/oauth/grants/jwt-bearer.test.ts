/** Tests grants with signed assertions. */
import { discoverProvider, identityGrant, jwtBearerGrant } from "@plugboard/mcp/oauth";
import type { OAuthClient } from "@plugboard/mcp/oauth";
import { describe, expect, it } from "vitest";
import { httpReply, startLoginSites, startSite, expectHostError } from "../../helpers/oauth-site.ts";

const workload: OAuthClient = { clientId: "workload", authMethod: "none", origin: "configured" };

describe("jwtBearerGrant", () => {
  it("exchanges an assertion for tokens of one resource", async () => {
    const { url, ctx, as } = await startLoginSites();
    const provider = await discoverProvider({ url }, ctx);
    const tokens = await jwtBearerGrant(provider, workload, { assertion: "a.b.c", scope: "read" }, ctx);
    expect(Object.fromEntries(as.form("/token"))).toEqual({
      grant_type: "urn:ietf:params:oauth:grant-type:jwt-bearer",
      assertion: "a.b.c",
      client_id: "workload",
      scope: "read",
      resource: url,
    });
    expect(tokens).toMatchObject({ accessToken: "granted-access-token", scope: "read" });
  });

  it("does not retry a rejected assertion or quote it", async () => {
    const refused = httpReply(400, { error: "invalid_grant", error_description: "assertion.of.somebody is expired" });
    const { url, ctx, as } = await startLoginSites({ routes: { "/token": refused } });
    const provider = await discoverProvider({ url }, ctx);
    const error = await expectHostError(
      jwtBearerGrant(provider, workload, { assertion: "assertion.of.somebody" }, ctx),
    );
    expect(error).toMatchObject({ code: "LOGIN_FAILED", details: { error: "invalid_grant" } });
    expect(error.message).toContain("*** is expired");
    expect(as.seen.filter((request) => request === "POST /token")).toHaveLength(1);
  });
});

describe("identityGrant", () => {
  const known: OAuthClient = {
    clientId: "us",
    clientSecret: "ours",
    authMethod: "client_secret_post",
    origin: "configured",
  };

  it("exchanges a login at an identity provider for an assertion for one authorization server and resource", async () => {
    const { url, ctx, as } = await startLoginSites();
    const provider = await discoverProvider({ url }, ctx);
    const idp = await startSite(() => ({ "/token": { access_token: "the.grant.x", token_type: "N_A" } }));
    const from = { tokenUrl: `${idp.origin}/token`, client: known };
    expect(await identityGrant(from, provider, { idToken: "id.of.ada", scope: "read" }, ctx)).toBe("the.grant.x");
    expect(Object.fromEntries(idp.form("/token"))).toEqual({
      grant_type: "urn:ietf:params:oauth:grant-type:token-exchange",
      requested_token_type: "urn:ietf:params:oauth:token-type:id-jag",
      subject_token: "id.of.ada",
      subject_token_type: "urn:ietf:params:oauth:token-type:id_token",
      audience: as.origin,
      resource: url,
      scope: "read",
      client_id: "us",
      client_secret: "ours",
    });
  });

  it("does not send the ID token to an insecure URL", async () => {
    const { url, ctx } = await startLoginSites();
    const provider = await discoverProvider({ url }, ctx);
    const request = { idToken: "id.of.ada" };
    const open = { tokenUrl: "http://10.0.0.5/token", client: known };
    expect(await expectHostError(identityGrant(open, provider, request, ctx))).toMatchObject({ code: "LOGIN_UNSAFE" });
  });

  it("reports a rejection without the ID token", async () => {
    const { url, ctx } = await startLoginSites();
    const provider = await discoverProvider({ url }, ctx);
    const idp = await startSite(() => ({
      "/token": httpReply(400, { error: "access_denied", error_description: "id.of.ada" }),
    }));
    const from = { tokenUrl: `${idp.origin}/token`, client: known };
    const error = await expectHostError(identityGrant(from, provider, { idToken: "id.of.ada" }, ctx));
    expect(error).toMatchObject({ code: "LOGIN_FAILED", details: { error: "access_denied" } });
    expect(error.message).not.toContain("id.of.ada");
  });
});
