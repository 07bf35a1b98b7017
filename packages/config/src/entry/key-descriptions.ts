/** Describes each key of a server's entry in one line, for editors. `docs/config.md` says more. */
import type { AuthKey, EntryKey } from "./entry-keys.ts";

export const ENTRY_DESCRIPTIONS: { readonly [K in EntryKey]: string } = {
  transport: "The transport. Derived from command or url by default.",
  enabled: "Whether the server is used. An entry with only this key switches the server of a lower layer on or off.",
  command: "The program to run, without a shell.",
  args: "The arguments of the program.",
  cwd: "The working folder of the program.",
  env: "Environment variables of the program, in addition to a few such as PATH and HOME.",
  url: "The URL of the server.",
  headers: "Headers of every request.",
  id: "The id of the server behind the proxy at url.",
  name: "The name of a server that the embedding program runs in its own process.",
  auth: "How to log in.",
  account: "The name of the account, if you use several at one URL.",
  login:
    "Whether all clients of the gateway use your login (shared), or each logs in itself (each). By default only clients with a token of an external issuer log in themselves.",
  startup_timeout_ms: "The timeout for starting the server and listing its tools.",
  request_timeout_ms: "The longest silence during a call. Progress restarts the time.",
  max_timeout_ms: "The longest total time of a call.",
  health_interval_ms: "The interval of health checks; 0 means never.",
  start: "When the server starts: with the workspace (eager), or with the first call once its tools are known (lazy).",
  idle_stop_ms: "Stops the server after this time without a call; 0 means never.",
  share: "Whether all clients share one connection and process (all), or each has its own (caller).",
  tools: "The tools that are used.",
  retry: "Which lost requests are sent again: those that only list or read (safe), or none (never).",
  protocol:
    "Which era of the protocol is spoken: sessions with a handshake (legacy, up to 2025-11-25), requests that stand alone (modern, 2026-07-28), or what the server speaks (auto).",
  trust_annotations: "Whether to trust the annotations of its tools, such as readOnlyHint. Ignored in a project.",
  strict_results:
    "Whether a call fails if its result does not match the output schema of the tool. By default the result loses only its structured content.",
  sampling: "Whether the server may use your model (sampling).",
  roots:
    "Whether the server gets the workspace's folders as roots, or a list of other folders. By default only servers of a project get them.",
  max_message_bytes: "The largest message that is accepted from the server.",
  result_limit_bytes: "The largest part of a result that a model gets.",
};

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
