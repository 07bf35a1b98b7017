/** Compares servers of other clients with the config files that they would be written to. Writes nothing. */
import { canonicalJson } from "@plugboard/contracts";
import type { Env, JsonObject } from "@plugboard/contracts";
import { requireScopeFiles } from "../../config/files/find-scope-files.ts";
import type { ConfigScope } from "../../config/files/find-scope-files.ts";
import { filesWithEntry, inspectFile } from "../../config/inspect/inspect-config.ts";
import type { InspectedFile } from "../../config/inspect/inspect-config.ts";
import type { Layer } from "../../config/read/read-layer.ts";
import { describeTarget } from "../../redaction/describe-target.ts";
import { redactedEntry } from "../../redaction/redacted-entry.ts";
import type { ClientServer, ClientServers } from "../read-client-file.ts";

/**
 * `none`: the config file has the same definition. `conflict`: it has another definition with this id, and the user did
 * not ask to replace it.
 */
type ImportAction = "add" | "replace" | "conflict" | "none";

export interface PlannedServer extends ClientServer {
  /** The config file that the server would be written to. */
  readonly target: string;
  readonly action: ImportAction;
  /** The command or URL, with possible secrets masked. Undefined for an entry that only enables or disables a server. */
  readonly runs?: string;
  /** The entry with masked values. */
  readonly masked: JsonObject;
}

export interface PlannedFile extends ClientServers {
  readonly servers: readonly PlannedServer[];
}

interface PlanImportOptions {
  readonly cwd: string;
  readonly env: Env;
  readonly replace: boolean;
}

/**
 * A later file has priority over an earlier one of the same client. Throws CONFIG_INVALID if a config file is invalid,
 * because it could not be changed.
 */
export async function planImport(
  files: readonly ClientServers[],
  { cwd, env, replace }: PlanImportOptions,
): Promise<PlannedFile[]> {
  const configs = new Map<ConfigScope, Promise<readonly InspectedFile[]>>();
  const configOf = (scope: ConfigScope) => {
    const config = configs.get(scope) ?? inspectScope(scope, cwd, env);
    configs.set(scope, config);
    return config;
  };
  const planServer = async (server: ClientServer): Promise<PlannedServer> => {
    const { id, scope, definition, enabled } = server;
    const config = await configOf(scope);
    const [existing] = filesWithEntry(config, id);
    return {
      ...server,
      target: (existing ?? config.at(-1)!).file,
      action: existing ? actionFor(server, existing.layer!, replace) : "add",
      masked: definition ? redactedEntry(definition) : { enabled },
      ...(definition && { runs: describeTarget(definition) }),
    };
  };
  return Promise.all(
    skipOverridden(files).map(async (file) => ({ ...file, servers: await Promise.all(file.servers.map(planServer)) })),
  );
}

/** Returns the config files of a scope, from lowest to highest priority. */
async function inspectScope(scope: ConfigScope, cwd: string, env: Env): Promise<readonly InspectedFile[]> {
  const { files, folder } = await requireScopeFiles(scope, cwd, env);
  const inspected = await Promise.all(files.map((file) => inspectFile(file, { source: scope, folder })));
  for (const { error } of inspected) if (error) throw error;
  return inspected;
}

/** Skips servers that a later file of the same client defines for the same scope. */
function skipOverridden(files: readonly ClientServers[]): ClientServers[] {
  return files.map((file, index) => {
    const laterFiles = files.slice(index + 1).filter(({ client }) => client === file.client);
    const overriding = ({ id, scope }: ClientServer) =>
      laterFiles.find(({ servers }) => servers.some((later) => later.id === id && later.scope === scope));
    const skipped = file.servers.flatMap((server) => {
      const later = overriding(server);
      return later ? [{ name: server.id, reason: `${later.file} defines it, too` }] : [];
    });
    return {
      ...file,
      servers: file.servers.filter((server) => !overriding(server)),
      skipped: [...file.skipped, ...skipped],
    };
  });
}

function actionFor({ id, definition, enabled }: ClientServer, layer: Layer, replace: boolean): ImportAction {
  const server = layer.servers.find((existing) => existing.id === id);
  const enabledSwitch = layer.switches.find((existing) => existing.id === id);
  const isSame = definition
    ? server !== undefined && canonicalJson(server.definition) === canonicalJson(definition)
    : enabledSwitch?.enabled === enabled;
  if (isSame) return "none";
  return replace ? "replace" : "conflict";
}
