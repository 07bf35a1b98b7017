/**
 * From a checked definition to what is really run or called: `${…}` expanded,
 * secrets fetched, paths made absolute. Never written back.
 */
import type { Env } from "@plugboard/contracts";
import type { Target } from "@plugboard/mcp";
import { secretReferencesOf } from "../definition/definition-references.ts";
import type { Auth, ConfiguredServer, ServerDefinition } from "../definition/definition.ts";
import { invalidServerError } from "./expand-env-references.ts";
import { fetchSecrets } from "./fetch-secrets.ts";
import type { SecretPorts } from "./fetch-secrets.ts";
import { DefinitionResolver } from "./definition-resolver.ts";
import type { FindInProcessServer, SecretValues } from "./definition-resolver.ts";

export interface ResolvePorts extends SecretPorts {
  /** The servers that the program has in its own process. */
  readonly inProcess?: FindInProcessServer;
}

/** What is run or called, and how to log in there. */
export interface ResolvedServer {
  readonly target: Target;
  readonly auth: Auth<string>;
  /** The folders that the server's definition lists as roots. */
  readonly roots?: readonly string[] | undefined;
}

const NO_SECRET_VALUES: SecretValues = new Map();

/**
 * At once if nothing has to be fetched. Throws, or rejects with, SERVER_INVALID
 * for a definition that is wrong or names what can't be had.
 */
export function resolveServer(
  server: ConfiguredServer,
  env: Env,
  ports: ResolvePorts = {},
): ResolvedServer | Promise<ResolvedServer> {
  return withResolver(server, env, ports, (resolver) => resolveWith(resolver, ports));
}

/** Fetches nothing and starts nothing: there is nothing yet if a secret has to be fetched for it. */
export function resolveWithoutSecrets(
  server: ConfiguredServer,
  env: Env,
  ports: ResolvePorts = {},
): ResolvedServer | undefined {
  if (secretReferencesOf(requireValidDefinition(server)).length > 0) return undefined;
  return resolveWith(new DefinitionResolver(server, requireValidDefinition(server), env, NO_SECRET_VALUES), ports);
}

function resolveWith(resolver: DefinitionResolver, { inProcess }: ResolvePorts): ResolvedServer {
  return { target: resolver.target(inProcess), auth: resolver.auth(), roots: resolver.roots() };
}

export function requireValidDefinition({ id, definition }: ConfiguredServer): ServerDefinition {
  if ("invalid" in definition) throw invalidServerError(id, definition.invalid);
  return definition;
}

function withResolver<Made>(
  server: ConfiguredServer,
  env: Env,
  ports: SecretPorts,
  build: (resolver: DefinitionResolver) => Made,
): Made | Promise<Made> {
  const definition = requireValidDefinition(server);
  const references = secretReferencesOf(definition);
  const buildWith = (secrets: SecretValues) => build(new DefinitionResolver(server, definition, env, secrets));
  return references.length === 0
    ? buildWith(NO_SECRET_VALUES)
    : fetchSecrets(references, server, env, ports).then(buildWith);
}
