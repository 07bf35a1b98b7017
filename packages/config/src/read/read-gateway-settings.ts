/**
 * Reads the section `gateway`: which tokens of an external issuer the gateway accepts, and how many requests a client
 * may send. An invalid section has no effect as a whole, and no lower layer replaces it.
 */
import type { Node } from "jsonc-parser";
import { isJsonObject, parseUrl, nearest } from "@plugboard/contracts";
import { membersOf, nodeValue } from "../parse/members.ts";
import type { Member } from "../parse/members.ts";
import { unknownKeyMessage } from "../parse/diagnostics.ts";
import type { Diagnostics } from "../parse/diagnostics.ts";

export interface GatewaySettings {
  readonly auth?: GatewayAuth;
  readonly requestsPerSecond?: number;
}

/** The tokens that the gateway accepts as an OAuth resource server. */
export interface GatewayAuth {
  /** The expected claim `iss`. */
  readonly issuer: string;
  /** The accepted values of the claim `aud`. */
  readonly audience: readonly string[];
  /** The profile that each scope opens, or `*` for all servers. A token needs at least one of these scopes. */
  readonly scopes: { readonly [scope: string]: string };
  /** By default the URL in the issuer's metadata. */
  readonly jwksUri?: string;
  /** The scope whose holders may approve calls in their own client. By default nobody may. */
  readonly approveScope?: string;
}

const KEYS = ["auth", "requests_per_second"];
const AUTH_KEYS = ["issuer", "audience", "scopes", "jwks_uri", "approve_scope"];

export function readGatewaySettings({ valueNode }: Member, diagnostics: Diagnostics): GatewaySettings {
  const value = nodeValue(valueNode);
  const issue = findUnknownKey(valueNode) ?? findIssue(value);
  if (issue !== undefined) {
    diagnostics.report("error", valueNode, `"gateway" has no effect: ${issue}`);
    return {};
  }
  const { auth, requests_per_second: requestsPerSecond } = value as StoredSettings;
  return { ...(auth && { auth: toGatewayAuth(auth) }), ...(requestsPerSecond !== undefined && { requestsPerSecond }) };
}

interface StoredSettings {
  readonly auth?: StoredAuth;
  readonly requests_per_second?: number;
}

interface StoredAuth {
  readonly issuer: string;
  readonly audience: string | readonly string[];
  readonly scopes: { readonly [scope: string]: string };
  readonly jwks_uri?: string;
  readonly approve_scope?: string;
}

function toGatewayAuth({ issuer, audience, scopes, jwks_uri: jwksUri, approve_scope: approveScope }: StoredAuth) {
  return {
    issuer,
    audience: typeof audience === "string" ? [audience] : audience,
    scopes,
    ...(jwksUri !== undefined && { jwksUri }),
    ...(approveScope !== undefined && { approveScope }),
  };
}

/** Rejects unknown keys, because a misspelt key would accept more tokens than the user wants. */
function findUnknownKey(section: Node): string | undefined {
  const auth = membersOf(section).find(({ key }) => key === "auth");
  const unknownIn = (node: Node, known: readonly string[]) =>
    membersOf(node).find(({ key }) => !known.includes(key))?.key;
  const inSection = unknownIn(section, KEYS);
  if (inSection !== undefined) return unknownKeyMessage(inSection, nearest(inSection, KEYS));
  const inAuth = auth && unknownIn(auth.valueNode, AUTH_KEYS);
  return inAuth === undefined ? undefined : unknownKeyMessage(inAuth, nearest(inAuth, AUTH_KEYS));
}

function findIssue(value: unknown): string | undefined {
  if (!isJsonObject(value)) return "it must be an object";
  const { auth, requests_per_second: limit } = value;
  if (limit !== undefined && !(Number.isInteger(limit) && (limit as number) > 0)) {
    return '"requests_per_second" must be a positive whole number';
  }
  return auth === undefined ? undefined : findAuthIssue(auth);
}

function findAuthIssue(auth: unknown): string | undefined {
  if (!isJsonObject(auth)) return '"auth" must be an object';
  const { issuer, audience, scopes, jwks_uri: jwksUri, approve_scope: approveScope } = auth;
  if (!isSafeUrl(issuer)) return '"issuer" must be an https URL (http only on this machine)';
  const audiences: readonly unknown[] = Array.isArray(audience) ? audience : [audience];
  if (audiences.length === 0 || !audiences.every(isText)) return '"audience" must be a text or a list of texts';
  const profiles = isJsonObject(scopes) ? Object.entries(scopes) : [];
  const isValid = ([scope, profile]: readonly [string, unknown]) =>
    SCOPE.test(scope) && isText(profile) && PROFILE.test(profile);
  if (profiles.length === 0 || !profiles.every(isValid)) {
    return '"scopes" must be an object with a profile, or "*", for each scope';
  }
  if (jwksUri !== undefined && !isSafeUrl(jwksUri))
    return '"jwks_uri" must be an https URL (http only on this machine)';
  if (approveScope !== undefined && !(isText(approveScope) && SCOPE.test(approveScope))) {
    return '"approve_scope" must be a scope';
  }
  return undefined;
}

/** The characters that OAuth allows in a scope. */
const SCOPE = /^[\x21\x23-\x5b\x5d-\x7e]+$/;
const PROFILE = /^(\*|[a-zA-Z0-9_-]{1,64})$/;
const LOOPBACK = ["127.0.0.1", "localhost", "[::1]"];

function isText(value: unknown): value is string {
  return typeof value === "string" && value !== "";
}

function isSafeUrl(value: unknown): boolean {
  const url = isText(value) ? parseUrl(value) : undefined;
  if (!url) return false;
  const { protocol, hostname, hash, username } = url;
  if (hash !== "" || username !== "") return false;
  return protocol === "https:" || (protocol === "http:" && LOOPBACK.includes(hostname));
}
