/**
 * The types of logins, and the keys of `auth` in a server's entry. Validation, types, the JSON Schema, the masking of
 * secrets and the tables of `docs/config.md` are made from these rows.
 */
import type { EntryValue } from "./server-entry.ts";

export const AUTH_TYPES = {
  none: "No login.",
  api_key: "A key, sent with every request in a header, which must not be in `headers`.",
  token_file: "A token from a file.",
  oauth:
    "A login of the user. It needs no keys if the server announces its authorization server and allows clients to register.",
  client_credentials:
    "A login of the program, with exactly one of `client_secret`, `private_key_file` and `assertion_file`.",
  enterprise: "A login by way of your organisation's identity provider.",
} as const;

export type AuthType = keyof typeof AUTH_TYPES;

interface AuthRow {
  /**
   * `url` receives credentials, so it is https or on this machine. `metadata_url` is https with a path. `file` is a
   * path. `secret` and `id` are masked when an entry is shown, and the others are not.
   */
  readonly type: "url" | "metadata_url" | "file" | "secret" | "id" | "name" | "port";
  /** The types of logins that have the key. */
  readonly of: { readonly [Type in AuthType]?: "required" | "optional" };
  readonly default?: string;
  /** One line, for editors and `docs/config.md`. */
  readonly description: string;
}

const AUTH_KEYS = {
  header_name: {
    type: "name",
    of: { api_key: "optional" },
    default: "X-API-Key",
    description: "The header that contains the key.",
  },
  api_key: { type: "secret", of: { api_key: "required" }, description: "The API key." },
  token_path: { type: "file", of: { token_file: "required" }, description: "The file that contains the token." },
  authorization_url: {
    type: "url",
    of: { oauth: "optional" },
    description: "The authorization endpoint, if the server does not announce one.",
  },
  token_url: {
    type: "url",
    of: { oauth: "optional", client_credentials: "optional", enterprise: "optional" },
    description: "The token endpoint, if the server does not announce one.",
  },
  registration_url: {
    type: "url",
    of: { oauth: "optional" },
    description: "The registration endpoint, if the server does not announce one.",
  },
  client_id: {
    type: "id",
    of: { oauth: "optional", client_credentials: "required", enterprise: "required" },
    description: "The id of a registered client.",
  },
  client_secret: {
    type: "secret",
    of: { oauth: "optional", client_credentials: "optional", enterprise: "optional" },
    description: "The secret of the client. It needs a client_id.",
  },
  private_key_file: {
    type: "file",
    of: { client_credentials: "optional" },
    description: "The file that contains the private key of the client.",
  },
  assertion_file: {
    type: "file",
    of: { client_credentials: "optional" },
    description: "The file that contains a JWT, issued by the platform, that identifies the client.",
  },
  idp_token_url: {
    type: "url",
    of: { enterprise: "required" },
    description: "The token endpoint of your organisation's identity provider.",
  },
  idp_client_id: {
    type: "id",
    of: { enterprise: "required" },
    description: "The id of the client at the identity provider.",
  },
  idp_client_secret: {
    type: "secret",
    of: { enterprise: "optional" },
    description: "The secret of the client at the identity provider.",
  },
  id_token_file: {
    type: "file",
    of: { enterprise: "required" },
    description: "The file that contains the ID token of your login at the identity provider.",
  },
  scope: {
    type: "name",
    of: { oauth: "optional", client_credentials: "optional", enterprise: "optional" },
    description: "The scopes to request, separated by spaces, instead of those that the server demands.",
  },
  client_metadata_url: {
    type: "metadata_url",
    of: { oauth: "optional" },
    description: "The URL of a client metadata document, used as the client id: https, with a path.",
  },
  callback_port: {
    type: "port",
    of: { oauth: "optional" },
    description: "The local port of the redirect URL, from 1 to 65535. By default a free port.",
  },
} as const satisfies { readonly [key: string]: AuthRow };

export type AuthKeys = typeof AUTH_KEYS;

export type AuthKey = keyof AuthKeys;

/** The rows with their keys. */
export function authRows(): readonly (readonly [AuthKey, AuthRow])[] {
  return Object.entries(AUTH_KEYS) as [AuthKey, AuthRow][];
}

/** The keys that a type of login has. */
export type AuthKeysOf<Type extends AuthType, Presence extends "required" | "optional"> = {
  [Key in AuthKey]: AuthKeys[Key]["of"] extends { readonly [T in Type]: Presence } ? Key : never;
}[AuthKey];

export type AuthValue<Key extends AuthKey, Value> = AuthKeys[Key]["type"] extends "port" ? number : Value;

/** How to log in, as written in an entry. */
export type AuthEntry = {
  [Type in AuthType]: { readonly type: Type } & {
    readonly [Key in AuthKeysOf<Type, "required">]: AuthValue<Key, EntryValue>;
  } & { readonly [Key in AuthKeysOf<Type, "optional">]?: AuthValue<Key, EntryValue> };
}[AuthType];
