/**
 * Resolves a definition into a target: expands `${…}`, fetches secrets and makes paths absolute. The result is
 * never written to a file.
 */
import type { Env, ServerTarget } from "@plugboard/contracts";
import { secretReferencesOf } from "../definition/definition-references.ts";
import type { Auth, ConfiguredServer, ServerDefinition } from "../definition/definition.ts";
import { invalidServerError } from "../lib/expand-env-references.ts";
import { fetchSecrets } from "./fetch-secrets.ts";
import type { SecretPorts } from "./fetch-secrets.ts";
import { DefinitionResolver } from "./definition-resolver.ts";
import type { FindInProcessServer, SandboxPlaces, SecretValues } from "./definition-resolver.ts";

export interface ResolvePorts<InProcess = never> extends SecretPorts {
  readonly inProcess?: FindInProcessServer<InProcess>;
  readonly sandboxPlaces?: (server: ConfiguredServer) => SandboxPlaces;
}

/** The target to run or connect to, and how to log in. */
export interface ResolvedServer<InProcess = never> {
  readonly target: ServerTarget | InProcess;
  readonly auth: Auth<string>;
  /** The folders that the server's definition lists as roots. */
  readonly roots?: readonly string[] | undefined;
}

const NO_SECRET_VALUES: SecretValues = new Map();

/**
 * Returns synchronously if no secret has to be fetched. Throws SERVER_INVALID for an invalid definition, a missing
 * variable or a missing secret.
 */
export function resolveServer<InProcess = never>(
  server: ConfiguredServer,
  env: Env,
  ports: ResolvePorts<InProcess> = {},
): ResolvedServer<InProcess> | Promise<ResolvedServer<InProcess>> {
  const definition = requireValidDefinition(server);
  const resolveWith = (secrets: SecretValues) =>
    resolveParts(server, new DefinitionResolver(server, definition, env, secrets), ports);
  const references = secretReferencesOf(definition);
  return references.length === 0
    ? resolveWith(NO_SECRET_VALUES)
    : fetchSecrets(references, server, env, ports).then(resolveWith);
}

/** Returns undefined if the definition needs a secret. Never fetches a secret or starts a program. */
export function resolveWithoutSecrets<InProcess = never>(
  server: ConfiguredServer,
  env: Env,
  ports: ResolvePorts<InProcess> = {},
): ResolvedServer<InProcess> | undefined {
  const definition = requireValidDefinition(server);
  if (secretReferencesOf(definition).length > 0) return undefined;
  return resolveParts(server, new DefinitionResolver(server, definition, env, NO_SECRET_VALUES), ports);
}

/** Returns the folders that the definition lists as roots. Throws SERVER_INVALID for a missing variable. */
export function resolveRoots(server: ConfiguredServer, env: Env): readonly string[] | undefined {
  return new DefinitionResolver(server, requireValidDefinition(server), env, NO_SECRET_VALUES).roots();
}

function resolveParts<InProcess>(
  server: ConfiguredServer,
  resolver: DefinitionResolver,
  { inProcess, sandboxPlaces }: ResolvePorts<InProcess>,
): ResolvedServer<InProcess> {
  const target = resolver.target(inProcess, () => sandboxPlaces?.(server) ?? {});
  return { target, auth: resolver.auth(), roots: resolver.roots() };
}

export function requireValidDefinition({ id, definition }: ConfiguredServer): ServerDefinition {
  if ("invalid" in definition) throw invalidServerError(id, definition.invalid);
  return definition;
}
