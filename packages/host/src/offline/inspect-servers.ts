/** Describes configured servers for diagnosis, from their definitions alone. Fetches no secret and starts nothing. */
import { resolve } from "node:path";
import { parseUrl } from "@plugboard/contracts";
import type { Env, InspectedProgram, InspectedServer, JsonObject, Redactor, ServerTarget } from "@plugboard/contracts";
import {
  expandableTexts,
  envReferencesIn,
  replaceEnvReferences,
  describeConfigured,
  createRedactor,
  targetSecrets,
  AUTH_KEY_TYPES,
  definitionHash,
} from "@plugboard/config";
import type { ConfiguredServer, ServerDefinition } from "@plugboard/config";

export function inspectServer(server: ConfiguredServer, env: Env): InspectedServer {
  const { definition } = server;
  const digest = definitionHash({ ...server, id: "", folder: "" });
  const described = { ...describeConfigured(server), digest };
  if ("invalid" in definition) return { ...described, unsetVariables: [] };
  const unsetVariables = new Set(
    expandableTexts(definition)
      .flatMap(envReferencesIn)
      .filter(({ name, fallback }) => fallback === undefined && !env[name])
      .map(({ name }) => name),
  );
  const target = expandTarget(server, definition, env);
  const url = target && "url" in target ? withoutSecrets(target.url) : undefined;
  return {
    ...described,
    unsetVariables: [...unsetVariables],
    ...(target?.transport === "stdio" && { program: toProgram(target, described.config) }),
    ...(url !== undefined && { url }),
  };
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
  const expandOne = (text: string) => expand(text, env);
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

function expand(text: string, env: Env): string {
  return replaceEnvReferences(text, ({ name, fallback }) => env[name] || fallback || "");
}

/** The second argument is the definition with every value that may be a secret masked. */
function toProgram(
  { command, cwd, env }: Extract<ServerTarget, { transport: "stdio" }>,
  { args = [] }: JsonObject = {},
): InspectedProgram {
  const path = env["PATH"];
  const texts = (args as readonly unknown[]).filter((arg) => typeof arg === "string");
  return { command, args: texts, cwd, ...(path !== undefined && { path }) };
}

function authSecrets(definition: ServerDefinition, env: Env): string[] {
  if (!("auth" in definition)) return [];
  return Object.entries(definition.auth).flatMap(([key, value]: [string, unknown]) =>
    AUTH_KEY_TYPES.get(key) === "secret" && typeof value === "string" ? [expand(value, env)] : [],
  );
}

/** Returns undefined for an invalid URL. */
function withoutSecrets(text: string): string | undefined {
  const url = parseUrl(text);
  return url && `${url.protocol}//${url.host}${url.pathname}`;
}
