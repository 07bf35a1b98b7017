/** Authenticates a client at an authorization server. */
import { createPrivateKey } from "node:crypto";
import type { KeyObject } from "node:crypto";
import { HostError } from "@plugboard/contracts";
import type { AuthorizationServer, ClientAuth, CryptoKey } from "oauth4webapi";
import type { OAuthClient } from "./oauth-client.ts";
import type { OAuthContext } from "../net/oauth-context.ts";

type AuthMethod = OAuthClient["authMethod"];

export async function clientAuth(client: OAuthClient, ctx: OAuthContext): Promise<ClientAuth> {
  const oauth = await import("oauth4webapi");
  const { clientSecret = "" } = client;
  switch (client.authMethod) {
    case "none":
      return oauth.None();
    case "client_secret_basic":
      return basicAuth(clientSecret);
    case "client_secret_post":
      return oauth.ClientSecretPost(clientSecret);
    case "private_key_jwt": {
      const key = await signingKey(client.privateKey ?? "", ctx);
      return oauth.PrivateKeyJwt(key, { [oauth.modifyAssertion]: useOldEdDsaName });
    }
  }
}

/** Chooses the method for a client with a secret. */
export function chooseSecretAuthMethod({
  token_endpoint_auth_methods_supported: methods,
}: AuthorizationServer): AuthMethod {
  if (!methods || methods.includes("client_secret_basic")) return "client_secret_basic";
  if (methods.includes("client_secret_post")) return "client_secret_post";
  return methods.includes("none") ? "none" : "client_secret_basic";
}

/**
 * Chooses the method for a registration. Prefers a client without a secret, because a desktop program can't keep one.
 */
export function chooseRegistrationAuthMethod(metadata: AuthorizationServer): AuthMethod {
  return metadata.token_endpoint_auth_methods_supported?.includes("none") ? "none" : chooseSecretAuthMethod(metadata);
}

/**
 * Form-encodes the id and the secret, as the standard requires. The encoding leaves common characters unchanged, because
 * many servers do not decode the values.
 */
function basicAuth(secret: string): ClientAuth {
  return (_server, { client_id: id }, _body, headers) => {
    headers.set("authorization", `Basic ${btoa(`${formEncode(id)}:${formEncode(secret)}`)}`);
  };
}

function formEncode(text: string): string {
  const withEqualsSign = new URLSearchParams([["", text]]).toString();
  return withEqualsSign.slice(1);
}

async function signingKey(pem: string, { server }: OAuthContext): Promise<CryptoKey> {
  try {
    const key = createPrivateKey(pem);
    const der = key.export({ type: "pkcs8", format: "der" });
    return await crypto.subtle.importKey("pkcs8", der, importAlgorithm(key), false, ["sign"]);
  } catch {
    // Omits the cause, because a parser error may quote the key.
    throw new HostError("SERVER_INVALID", {
      server,
      reason: "its private key can't be used (PEM: RSA, EC or Ed25519)",
    });
  }
}

const CURVES: { readonly [name: string]: string } = { prime256v1: "P-256", secp384r1: "P-384", secp521r1: "P-521" };

function importAlgorithm({ asymmetricKeyType: type, asymmetricKeyDetails: details }: KeyObject) {
  switch (type) {
    case "rsa":
      return { name: "RSASSA-PKCS1-v1_5", hash: "SHA-256" };
    case "ec":
      return { name: "ECDSA", namedCurve: CURVES[details?.namedCurve ?? ""] ?? "" };
    default:
      return { name: "Ed25519" };
  }
}

/** Renames the algorithm, because few servers know its newer name `Ed25519`. */
function useOldEdDsaName(header: { [name: string]: unknown }): void {
  if (header["alg"] === "Ed25519") header["alg"] = "EdDSA";
}
