/** A login as stored in `mcp-auth.json`, and functions to find and replace it among the entries of the file. */
import { isJsonObject } from "@plugboard/contracts";
import type { Principal } from "@plugboard/contracts";
import type { DpopKey } from "@plugboard/mcp/oauth";
import type { VaultEntries } from "./encrypt-entries.ts";

/** Keys are in snake case, as in the file. Times are milliseconds since 1970. */
export interface LoginRecord {
  readonly access_token: string;
  readonly token_type: string;
  readonly refresh_token?: string;
  readonly expires_at?: number;
  readonly scope?: string;
  /** The private key that the tokens are bound to. */
  readonly dpop_key?: DpopKey;
  readonly client_id: string;
  readonly client_secret?: string;
  readonly client_secret_expires_at?: number;
  /** How the client authenticates at the token endpoint. */
  readonly auth_method: string;
  /** The client is from the definition, from a client ID metadata document, or dynamically registered. */
  readonly client_origin: "configured" | "document" | "registered";
  readonly redirect_uri?: string;
  readonly issuer: string;
  /** The resource that the token was requested for. */
  readonly resource: string;
  readonly account?: string;
  /** The id of the gateway principal that the login belongs to. Absent for the owner's login. */
  readonly principal?: string;
  /** The name of this principal, for display. */
  readonly principal_name?: string;
  /** The server's URL. */
  readonly url: string;
  /** The user, as the authorization server names them. */
  readonly who?: string;
  readonly obtained_at: number;
}

/**
 * Identifies a login by the URL of the server, the account of the user there, and the principal that has logged in. The
 * server id is not part of it.
 */
export interface LoginKey {
  /** The canonical URL of the server. */
  readonly resource: string;
  readonly account?: string | undefined;
  /** Absent for the owner. */
  readonly principal?: LoginPrincipal | undefined;
}

/** A principal of the gateway that logs in itself. */
export type LoginPrincipal = Pick<Principal, "id" | "name">;

const REQUIRED_STRINGS = [
  "access_token",
  "token_type",
  "client_id",
  "auth_method",
  "issuer",
  "resource",
  "url",
] as const;
const OPTIONAL_STRINGS = [
  "refresh_token",
  "scope",
  "client_secret",
  "redirect_uri",
  "account",
  "principal",
  "principal_name",
  "who",
] as const;
const OPTIONAL_TIMES = ["expires_at", "client_secret_expires_at"] as const;
const ORIGINS: readonly unknown[] = ["configured", "document", "registered"] satisfies LoginRecord["client_origin"][];

function isLoginRecord(entry: unknown): entry is LoginRecord {
  if (!isJsonObject(entry)) return false;
  const isAbsent = (name: string) => entry[name] === undefined;
  return (
    REQUIRED_STRINGS.every((name) => typeof entry[name] === "string") &&
    OPTIONAL_STRINGS.every((name) => isAbsent(name) || typeof entry[name] === "string") &&
    OPTIONAL_TIMES.every((name) => isAbsent(name) || Number.isFinite(entry[name])) &&
    Number.isFinite(entry["obtained_at"]) &&
    (isAbsent("dpop_key") || isDpopKey(entry["dpop_key"])) &&
    ORIGINS.includes(entry["client_origin"])
  );
}

function isDpopKey(key: unknown): key is DpopKey {
  if (!isJsonObject(key) || key["kty"] !== "EC" || key["crv"] !== "P-256") return false;
  return ["x", "y", "d"].every((name) => typeof key[name] === "string" && /^[\w-]{43}$/.test(key[name]));
}

/** Returns the valid logins by label. The label is the server's id at the time of the login. */
export function validLogins(entries: VaultEntries): ReadonlyMap<string, LoginRecord> {
  const logins = Object.entries(entries).filter((entry): entry is [string, LoginRecord] => isLoginRecord(entry[1]));
  return new Map(logins);
}

export function findLogin(entries: VaultEntries, key: LoginKey): LoginRecord | undefined {
  return [...validLogins(entries).values()].find((login) => matchesKey(login, key));
}

/** Replaces the login of the key. The label is the server id, with a number if another login has that label. */
export function withLogin(entries: VaultEntries, key: LoginKey, server: string, login: LoginRecord): VaultEntries {
  const others = withoutLogin(entries, key);
  const { account: _, principal: _id, principal_name: _name, ...rest } = login;
  const entry = { ...rest, url: key.resource, ...fieldsOf(key) };
  return { ...others, [unusedLabel(server, others)]: entry };
}

/** Removes the login of the key if `matches` returns true for it. Returns the same object if nothing was removed. */
export function withoutLogin(
  entries: VaultEntries,
  key: LoginKey,
  matches: (login: LoginRecord) => boolean = () => true,
): VaultEntries {
  const all = Object.entries(entries);
  const rest = all.filter(([, entry]) => !(isLoginRecord(entry) && matchesKey(entry, key) && matches(entry)));
  return rest.length === all.length ? entries : Object.fromEntries(rest);
}

/** Returns the fields of the record that belong to its key, except the URL. */
export function fieldsOf({
  account,
  principal,
}: LoginKey): Pick<LoginRecord, "account" | "principal" | "principal_name"> {
  return {
    ...(account !== undefined && { account }),
    ...(principal && { principal: principal.id, principal_name: principal.name }),
  };
}

function matchesKey({ url, account, principal }: LoginRecord, key: LoginKey): boolean {
  return url === key.resource && account === key.account && principal === key.principal?.id;
}

function unusedLabel(server: string, taken: VaultEntries): string {
  let label = server;
  for (let number = 2; Object.hasOwn(taken, label); number++) label = `${server}-${number}`;
  return label;
}
