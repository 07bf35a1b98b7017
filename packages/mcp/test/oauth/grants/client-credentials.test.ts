/** Tests the client credentials grant and client authentication. */
import { createPublicKey, generateKeyPairSync, verify } from "node:crypto";
import type { KeyObject } from "node:crypto";
import { clientCredentialsGrant, discoverProvider } from "@plugboard/mcp/oauth";
import type { OAuthClient } from "@plugboard/mcp/oauth";
import { describe, expect, it } from "vitest";
import { startLoginSites, expectHostError } from "../../helpers/oauth-site.ts";

async function requested(client: Partial<OAuthClient>, scope?: string) {
  const { url, ctx, as } = await startLoginSites();
  const provider = await discoverProvider({ url }, ctx);
  const full: OAuthClient = { clientId: "my client:1", authMethod: "none", origin: "configured", ...client };
  const tokens = await clientCredentialsGrant(provider, full, scope === undefined ? {} : { scope }, ctx);
  const { form, headers } = as.requests.at(-1) ?? {};
  return { tokens, sent: Object.fromEntries(form ?? []), authorization: headers?.["authorization"], as, url };
}

describe("clientCredentialsGrant", () => {
  it("requests tokens for one resource, without offline access", { meta: { covers: ["S7"] } }, async () => {
    const { sent, tokens, url } = await requested(
      { authMethod: "client_secret_post", clientSecret: "secret" },
      "read offline_access write",
    );
    expect(sent).toEqual({
      grant_type: "client_credentials",
      client_id: "my client:1",
      client_secret: "secret",
      scope: "read write",
      resource: url,
    });
    expect(tokens).toMatchObject({ accessToken: "granted-access-token", scope: "read write" });
  });

  it("sends a secret form-encoded in a Basic header", async () => {
    const { authorization, sent } = await requested({
      authMethod: "client_secret_basic",
      clientSecret: "a-b_c.d*e f/é",
    });
    const pair = Buffer.from(String(authorization).replace(/^Basic /, ""), "base64").toString();
    expect(pair).toBe("my+client%3A1:a-b_c.d*e+f%2F%C3%A9");
    expect(sent).not.toHaveProperty("client_secret");
  });

  it.each([
    ["RS256", generateKeyPairSync("rsa", { modulusLength: 2048 })],
    ["ES256", generateKeyPairSync("ec", { namedCurve: "P-256" })],
    ["ES384", generateKeyPairSync("ec", { namedCurve: "P-384" })],
    ["EdDSA", generateKeyPairSync("ed25519")],
  ])("authenticates with an assertion that is signed with %s", async (alg, { privateKey, publicKey }) => {
    const pem = privateKey.export({ type: "pkcs8", format: "pem" }) as string;
    const { sent, as } = await requested({ authMethod: "private_key_jwt", privateKey: pem });
    const assertion = sent["client_assertion"] ?? "";
    const [header, claims] = assertion.split(".").map(decoded);
    expect(header).toMatchObject({ alg });
    expect(claims).toMatchObject({ iss: "my client:1", sub: "my client:1", aud: as.origin });
    expect(sent["client_assertion_type"]).toBe("urn:ietf:params:oauth:client-assertion-type:jwt-bearer");
    expect(isSigned(assertion, alg, publicKey)).toBe(true);
  });

  it("accepts private keys in older PEM formats", async () => {
    const { privateKey } = generateKeyPairSync("ec", { namedCurve: "P-256" });
    const pem = privateKey.export({ type: "sec1", format: "pem" }) as string;
    const { sent } = await requested({ authMethod: "private_key_jwt", privateKey: pem });
    expect(isSigned(sent["client_assertion"] ?? "", "ES256", createPublicKey(privateKey))).toBe(true);
  });

  it("sends nothing if the private key is invalid, and does not quote the key", async () => {
    const curve = generateKeyPairSync("ec", { namedCurve: "secp256k1" }).privateKey;
    for (const privateKey of ["-----BEGIN PRIVATE KEY-----\nc2VjcmV0\n-----END PRIVATE KEY-----", "", pem(curve)]) {
      const error = await expectHostError(requested({ authMethod: "private_key_jwt", privateKey }));
      expect(error).toMatchObject({ code: "SERVER_INVALID" });
      expect(error.message).not.toContain("c2VjcmV0");
    }
  });
});

function pem(key: KeyObject): string {
  return key.export({ type: "pkcs8", format: "pem" }) as string;
}

function decoded(part: string): unknown {
  try {
    return JSON.parse(Buffer.from(part, "base64url").toString());
  } catch {
    return undefined;
  }
}

function isSigned(jwt: string, alg: string, key: KeyObject): boolean {
  const [header = "", claims = "", signature = ""] = jwt.split(".");
  const hash = alg === "EdDSA" ? null : `sha${alg.slice(2)}`;
  const data = Buffer.from(`${header}.${claims}`);
  return verify(hash, data, { key, dsaEncoding: "ieee-p1363" }, Buffer.from(signature, "base64url"));
}
