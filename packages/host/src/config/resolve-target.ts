/**
 * From a checked definition to what is really run or called: `${…}` expanded,
 * secrets fetched, paths made absolute. Never written back.
 */
import type { Target } from "@plugboard/mcp";
import { secretsOf } from "./definition-values.ts";
import type { Auth, ConfiguredServer, ServerDefinition } from "./definition.ts";
import { invalidServer } from "./expand.ts";
import type { Env } from "./expand.ts";
import { fetchSecrets } from "./fetch-secrets.ts";
import type { SecretPorts } from "./fetch-secrets.ts";
import { Resolver } from "./resolver.ts";
import type { InProcess, Secrets } from "./resolver.ts";

export interface ResolvePorts extends SecretPorts {
  /** The servers that the program has in its own process. */
  readonly inProcess?: InProcess;
}

/** What is run or called, and how to log in there. */
export interface ResolvedServer {
  readonly target: Target;
  readonly auth: Auth<string>;
  /** The folders that the server's definition lists as roots. */
  readonly roots?: readonly string[] | undefined;
}

const NO_SECRETS: Secrets = new Map();

/**
 * At once if nothing has to be fetched. Throws, or rejects with, SERVER_INVALID
 * for a definition that is wrong or names what can't be had.
 */
export function resolveServer(
  server: ConfiguredServer,
  env: Env,
  ports: ResolvePorts = {},
): ResolvedServer | Promise<ResolvedServer> {
  return withResolver(server, env, ports, (resolver) => resolved(resolver, ports));
}

/** Fetches nothing and starts nothing: there is nothing yet if a secret has to be fetched for it. */
export function resolveWithoutSecrets(
  server: ConfiguredServer,
  env: Env,
  ports: ResolvePorts = {},
): ResolvedServer | undefined {
  if (secretsOf(usable(server)).length > 0) return undefined;
  return resolved(new Resolver(server, usable(server), env, NO_SECRETS), ports);
}

function resolved(resolver: Resolver, { inProcess }: ResolvePorts): ResolvedServer {
  return { target: resolver.target(inProcess), auth: resolver.auth(), roots: resolver.roots() };
}

export function usable({ id, definition }: ConfiguredServer): ServerDefinition {
  if ("invalid" in definition) throw invalidServer(id, definition.invalid);
  return definition;
}

function withResolver<Made>(
  server: ConfiguredServer,
  env: Env,
  ports: SecretPorts,
  make: (resolver: Resolver) => Made,
): Made | Promise<Made> {
  const definition = usable(server);
  const wanted = secretsOf(definition);
  const makeWith = (secrets: Secrets) => make(new Resolver(server, definition, env, secrets));
  return wanted.length === 0 ? makeWith(NO_SECRETS) : fetchSecrets(wanted, server, env, ports).then(makeWith);
}
