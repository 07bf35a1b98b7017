/** Describes each key of `auth` in one line, for editors. `docs/config.md` says more. */
import type { AuthKey } from "./entry-keys.ts";

export const AUTH_DESCRIPTIONS: { readonly [K in AuthKey]: string } = {
  type: "The type of login.",
  header_name: "The header that contains the key.",
  api_key: "The API key.",
  token_path: "The file that contains the token.",
  authorization_url: "The authorization endpoint, if the server does not announce one.",
  token_url: "The token endpoint, if the server does not announce one.",
  registration_url: "The registration endpoint, if the server does not announce one.",
  client_id: "The id of a registered client.",
  client_secret: "The secret of the client.",
  private_key_file: "The file that contains the private key of the client.",
  assertion_file: "The file that contains a JWT, issued by the platform, that identifies the client.",
  idp_token_url: "The token endpoint of your organisation's identity provider.",
  idp_client_id: "The id of the client at the identity provider.",
  idp_client_secret: "The secret of the client at the identity provider.",
  id_token_file: "The file that contains the ID token of your login at the identity provider.",
  scope: "The scopes to request, separated by spaces.",
  client_metadata_url: "The URL of a client metadata document, used as the client id.",
  callback_port: "The local port of the redirect URL.",
};
