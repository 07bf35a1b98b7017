/** Makes a server's entry from the words and options of `plugboard add`. Pure. */
import { TRANSPORTS } from "@plugboard/contracts";
import type { AuthEntry, ServerEntry, UrlTransport } from "@plugboard/contracts";
import { splitCommand } from "../../arguments/parse-server-flag.ts";
import { isUrl } from "../../command-line/is-url.ts";
import { settingsFromFlags } from "../../command-line/key-options.ts";
import type { KeyFlags } from "../../command-line/key-options.ts";
import { addError, parseEnv, parseHeaders } from "./parse-pair.ts";

export interface EntryOptions extends KeyFlags {
  /** The command or URL as an argument. */
  readonly target: string | undefined;
  /** The words after the command. */
  readonly args: readonly string[];
  readonly transport: "stdio" | UrlTransport | undefined;
  readonly url: string | undefined;
  readonly command: string | undefined;
  /** The values of `--arg`. */
  readonly arg: readonly string[];
  readonly env: readonly string[];
  readonly header: readonly string[];
  readonly oauthAuthorizationUrl: string | undefined;
  readonly oauthTokenUrl: string | undefined;
  readonly oauthRegistrationUrl: string | undefined;
  readonly oauthClientId: string | undefined;
  readonly oauthClientSecret: string | undefined;
  readonly oauthScope: string | undefined;
  readonly apiKeyEnv: string | undefined;
  readonly bearerTokenEnvVar: string | undefined;
}

/**
 * `isFile` says whether a command with spaces is the path of a file. Otherwise its words are the command and its
 * arguments. Throws USAGE for options that do not fit together.
 */
export function entryFromOptions(options: EntryOptions, isFile: (path: string) => boolean): ServerEntry {
  const { transport } = options;
  const { url, command } = readTarget(options);
  const target = url === undefined ? stdioFields(command!, options, isFile) : urlFields(url, options);
  return withSettings({ ...(transport !== undefined && { transport }), ...target }, options);
}

/**
 * Adds the login and the settings to an entry with a command or URL, which may come from a registry. Throws USAGE for
 * options that are only for the other kind of server.
 */
export function withSettings(entry: ServerEntry, options: EntryOptions): ServerEntry {
  const isCommand = entry.command !== undefined;
  if (isCommand)
    rejectOptions(options, URL_OPTIONS, "is for a server at a URL. Pass credentials to a command with --env");
  else rejectOptions(options, STDIO_OPTIONS, "is for a command. A server at a URL gets credentials with --header");
  const auth = readAuth(options);
  return {
    ...entry,
    ...(auth && { auth }),
    ...settingsFromFlags(options),
  };
}

function readTarget(options: EntryOptions): { readonly url?: string; readonly command?: string } {
  const { target, url, command, transport } = options;
  if (url !== undefined && command !== undefined) throw addError("a server has --url or --command, not both");
  if (target !== undefined && (url ?? command) !== undefined)
    throw addError(`give the ${url === undefined ? "command" : "URL"} once: as an argument or as an option`);
  if (target === "" || url === "" || command === "") throw addError("the command or URL is empty");
  const word = target ?? url ?? command;
  if (word === undefined) throw addError("the command or URL is missing");
  const isRemote = url !== undefined || (target !== undefined && isUrl(target));
  if (isRemote && transport === "stdio") throw addError("stdio runs a command, but a URL was given");
  if (isRemote) return { url: word };
  if (transport !== undefined && transport !== "stdio")
    throw addError(`${transport} needs a URL that begins with ${TRANSPORTS[transport].protocols[0]}//`);
  return { command: word };
}

/** A host with a port, such as `localhost:8080`, or with a dot and a path, such as `example.com/mcp`. */
const URL_WITHOUT_SCHEME = /^([\w-]+\.)*[\w-]+(:\d+(\/|$)|(?<=\.[\w-]+)\/)/;

function stdioFields(word: string, options: EntryOptions, isFile: (path: string) => boolean): ServerEntry {
  if (URL_WITHOUT_SCHEME.test(word) && !isFile(word))
    throw addError(`a URL begins with https:// or http://; write: ${suggestUrl(word)}`);
  const given = [...options.args, ...options.arg];
  const [command = word, ...words] = /\s/.test(word) && !isFile(word) ? splitCommand(word) : [word];
  const args = [...words, ...given];
  const env = parseEnv(options.env);
  return {
    command,
    ...(args.length > 0 && { args }),
    ...(Object.keys(env).length > 0 && { env }),
  };
}

/**
 * Suggests http for a server on this machine, which seldom has a certificate. Leaves out the query, which may contain a
 * secret.
 */
function suggestUrl(word: string): string {
  const isLocal = /^(?:localhost|127\.)/.test(word);
  const [address = "", query] = word.split("?", 2);
  return `${isLocal ? "http" : "https"}://${address}${query === undefined ? "" : "?…"}`;
}

function urlFields(url: string, options: EntryOptions): ServerEntry {
  const [unexpected] = options.args;
  if (unexpected !== undefined) throw addError(`unexpected argument '${unexpected}' after the URL`);
  const headers = readHeaders(options);
  return { url, ...(Object.keys(headers).length > 0 && { headers }) };
}

/** Returns the headers of `--header` and of `--bearer-token-env-var`. */
export function readHeaders({
  header,
  bearerTokenEnvVar: variable,
}: Pick<EntryOptions, "header" | "bearerTokenEnvVar">): { readonly [name: string]: string } {
  const headers = parseHeaders(header);
  if (variable === undefined) return headers;
  requireVariableName("--bearer-token-env-var", variable);
  if (Object.keys(headers).some((name) => name.toLowerCase() === "authorization"))
    throw addError("--header and --bearer-token-env-var both give the header Authorization");
  return { ...headers, Authorization: `Bearer \${${variable}}` };
}

function requireVariableName(option: string, name: string): void {
  if (!/^[A-Za-z_]\w*$/.test(name)) throw addError(`${option} must be the name of an environment variable`);
}

function readAuth(options: EntryOptions): AuthEntry | undefined {
  const { apiKeyEnv } = options;
  const oauth = {
    authorization_url: options.oauthAuthorizationUrl,
    token_url: options.oauthTokenUrl,
    registration_url: options.oauthRegistrationUrl,
    client_id: options.oauthClientId,
    client_secret: options.oauthClientSecret,
    scope: options.oauthScope,
  };
  const fields = Object.entries(oauth).filter(([, value]) => value !== undefined);
  if (apiKeyEnv === undefined)
    return fields.length === 0 ? undefined : { type: "oauth", ...Object.fromEntries(fields) };
  if (fields.length > 0) throw addError("a server has an API key or an OAuth login, not both");
  requireVariableName("--api-key-env", apiKeyEnv);
  return { type: "api_key", api_key: `\${${apiKeyEnv}}` };
}

type OptionNames = { readonly [Key in keyof EntryOptions]?: string };

const STDIO_OPTIONS: OptionNames = { arg: "--arg", cwd: "--cwd", env: "--env", sandbox: "--sandbox" };

const URL_OPTIONS: OptionNames = {
  header: "--header",
  oauthAuthorizationUrl: "--oauth-authorization-url",
  oauthTokenUrl: "--oauth-token-url",
  oauthRegistrationUrl: "--oauth-registration-url",
  oauthClientId: "--oauth-client-id",
  oauthClientSecret: "--oauth-client-secret",
  oauthScope: "--oauth-scope",
  apiKeyEnv: "--api-key-env",
  bearerTokenEnvVar: "--bearer-token-env-var",
};

function rejectOptions(options: EntryOptions, names: OptionNames, reason: string): void {
  for (const [key, name] of Object.entries(names)) {
    const given = options[key as keyof EntryOptions];
    const isGiven = Array.isArray(given) ? given.length > 0 : given !== undefined;
    if (isGiven) throw addError(`${name} ${reason}`);
  }
}
