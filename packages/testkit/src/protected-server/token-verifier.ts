/** Validates access tokens: introspects opaque tokens and checks the signature of JWTs. */
import { createPublicKey, type JsonWebKey, verify } from "node:crypto";
import { OAuthError, OAuthErrorCode, type OAuthMetadata, type OAuthTokenVerifier } from "@modelcontextprotocol/server";
import type { AuthorizationServer } from "../authorization-server.ts";

interface Claims {
  readonly active?: boolean;
  readonly iss?: string;
  readonly aud?: string;
  readonly sub?: string;
  readonly client_id?: string;
  readonly scope?: string;
  readonly exp?: number;
  /** The thumbprint of the key that the token is bound to. */
  readonly cnf?: { readonly jkt?: string };
}

export function tokenVerifier(as: AuthorizationServer, metadata: OAuthMetadata): OAuthTokenVerifier {
  return {
    async verifyAccessToken(token) {
      const claims =
        token.split(".").length === 3 ? await verifyJwt(metadata, token) : await introspect(as, metadata, token);
      if (claims === undefined) throw new OAuthError(OAuthErrorCode.InvalidToken, "The token is invalid");
      const { aud, sub, client_id: clientId = "", scope = "", exp, cnf } = claims;
      return {
        token,
        clientId,
        scopes: scope.split(" ").filter(Boolean),
        extra: { sub, jkt: cnf?.jkt },
        ...(exp !== undefined && { expiresAt: exp }),
        ...(aud !== undefined && { resource: new URL(aud) }),
      };
    },
  };
}

async function introspect(
  as: AuthorizationServer,
  metadata: OAuthMetadata,
  token: string,
): Promise<Claims | undefined> {
  const { id, secret } = as.introspector;
  const response = await fetch(String(metadata.introspection_endpoint), {
    method: "POST",
    headers: { authorization: `Basic ${Buffer.from(`${id}:${secret}`).toString("base64")}` },
    body: new URLSearchParams({ token }),
  });
  const claims = (await response.json()) as Claims;
  return claims.active === true ? claims : undefined;
}

async function verifyJwt(metadata: OAuthMetadata, token: string): Promise<Claims | undefined> {
  const { keys } = (await (await fetch(String(metadata["jwks_uri"]))).json()) as { keys: JsonWebKey[] };
  const [header = "", payload = "", signature = ""] = token.split(".");
  const signed = Buffer.from(`${header}.${payload}`);
  const valid = keys.some((key) =>
    verify("RSA-SHA256", signed, createPublicKey({ key, format: "jwk" }), Buffer.from(signature, "base64url")),
  );
  const claims = JSON.parse(Buffer.from(payload, "base64url").toString()) as Claims;
  return valid && claims.iss === metadata.issuer ? claims : undefined;
}
