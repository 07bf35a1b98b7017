/** Describes configured servers for diagnosis, from their definitions alone. Fetches no secret and starts nothing. */
import { createHmac, randomBytes } from "node:crypto";
import { resolve } from "node:path";
import { parseUrl } from "@plugboard/contracts";
import type {
  EntryValue,
  Env,
  InspectedProgram,
  InspectedServer,
  JsonObject,
  Redactor,
  ServerTarget,
} from "@plugboard/contracts";
import {
  expandableTexts,
  envReferencesIn,
  replaceEnvReferences,
  describeConfigured,
  createRedactor,
  redactedEntry,
  targetSecrets,
  AUTH_KEY_TYPES,
  definitionHash,
} from "@plugboard/config";
import type { ConfiguredServer, ServerDefinition } from "@plugboard/config";

interface InspectOptions {
  /** True to expand the variables in the program and the URL. False to leave them as written, with secrets masked. */
  readonly expand: boolean;
}

export function inspectServer(server: ConfiguredServer, env: Env, { expand }: InspectOptions): InspectedServer {
  const { definition } = server;
  const digest = keyedDigest(definitionHash({ ...server, id: "", folder: "" }));
  const described = { ...describeConfigured(server), digest };
  if ("invalid" in definition) return { ...described, unsetVariables: [] };
  const unsetVariables = new Set(
    expandableTexts(definition)
      .flatMap(envReferencesIn)
      .filter(({ name, fallback }) => fallback === undefined && !env[name])
      .map(({ name }) => name),
  );
  const masked = redactedEntry(definition);
  const place = expand ? expandPlace(expandTarget(server, definition, env), masked) : maskedPlace(server, masked);
  return { ...described, unsetVariables: [...unsetVariables], ...place };
}

/** Without a key, a caller that may not read secrets could find out a short secret by hashing guesses. */
const DIGEST_KEY = randomBytes(32);

function keyedDigest(hash: string): string {
  return createHmac("sha256", DIGEST_KEY).update(hash).digest("hex");
}

type InspectedPlace = Pick<InspectedServer, "program" | "url">;

/** Takes the arguments from the masked entry, because they are never expanded. */
function expandPlace(target: ServerTarget | undefined, masked: JsonObject): InspectedPlace {
  if (!target) return {};
  if (target.transport === "stdio") {
    const { command, cwd, env } = target;
    return { program: { command, args: textsOf(masked), cwd, ...pathIn(env) } };
  }
  const url = withoutSecrets(target.url);
  return url === undefined ? {} : { url };
}

function maskedPlace({ folder }: ConfiguredServer, masked: JsonObject): InspectedPlace {
  const { command, cwd = ".", env = {}, url } = masked as MaskedEntry;
  if (command === undefined) return url === undefined ? {} : { url };
  // A folder that begins with a variable may be absolute.
  const shownFolder = cwd.startsWith("${") ? cwd : resolve(folder, cwd);
  return { program: { command, args: textsOf(masked), cwd: shownFolder, ...pathIn(env) } };
}

interface MaskedEntry {
  readonly command?: string;
  readonly args?: readonly EntryValue[];
  readonly cwd?: string;
  readonly env?: { readonly [name: string]: EntryValue };
  readonly url?: string;
}

/** Leaves out references to secrets. */
function textsOf(masked: JsonObject): string[] {
  const { args = [] } = masked as MaskedEntry;
  return args.filter((arg) => typeof arg === "string");
}

function pathIn({ PATH: path }: { readonly [name: string]: EntryValue }): Pick<InspectedProgram, "path"> {
  return typeof path === "string" ? { path } : {};
}

/** Returns a redactor for the secrets that are written in the definitions. It does not know secrets that are stored. */
export function createConfigRedactor(servers: Iterable<ConfiguredServer>, env: Env): Redactor | undefined {
  return createRedactor(
    [...servers].flatMap((server) => {
      const { definition } = server;
      if ("invalid" in definition) return [];
      const target = expandTarget(server, definition, env);
      return [...(target ? targetSecrets(target) : []), ...authSecrets(definition, env)];
    }),
  );
}

/** Expands variables like the host, but leaves out values with unset variables instead of throwing. */
function expandTarget({ folder }: ConfiguredServer, definition: ServerDefinition, env: Env): ServerTarget | undefined {
  const expandOne = (text: string) => expandText(text, env);
  const expandAll = (values: { readonly [name: string]: unknown }) =>
    Object.fromEntries(
      Object.entries(values).flatMap(([name, value]) => (typeof value === "string" ? [[name, expandOne(value)]] : [])),
    );
  if (definition.transport === "sdk") return undefined;
  if (definition.transport === "stdio") {
    const { transport, command, args, cwd = ".", env: variables } = definition;
    const texts = args.filter((arg) => typeof arg === "string").map(expandOne);
    return {
      transport,
      command: expandOne(command),
      args: texts,
      cwd: resolve(folder, expandOne(cwd)),
      env: expandAll(variables),
    };
  }
  const { url, headers } = definition;
  return { transport: "http", url: expandOne(url), headers: expandAll(headers) };
}

function expandText(text: string, env: Env): string {
  return replaceEnvReferences(text, ({ name, fallback }) => env[name] || fallback || "");
}

function authSecrets(definition: ServerDefinition, env: Env): string[] {
  if (!("auth" in definition)) return [];
  return Object.entries(definition.auth).flatMap(([key, value]: [string, unknown]) =>
    AUTH_KEY_TYPES.get(key) === "secret" && typeof value === "string" ? [expandText(value, env)] : [],
  );
}

/** Returns undefined for an invalid URL. */
function withoutSecrets(text: string): string | undefined {
  const url = parseUrl(text);
  return url && `${url.protocol}//${url.host}${url.pathname}`;
}
