/** Compares servers of other clients with the config files that they would be written to. Writes nothing. */
import { canonicalJson } from "@plugboard/contracts";
import type { JsonObject } from "@plugboard/contracts";
import { dirname } from "node:path";
import { readConfigFile } from "../../config/files/read-config-file.ts";
import { readLayerFromText } from "../../config/read/read-layer.ts";
import type { Layer } from "../../config/read/read-layer.ts";
import { describeTarget } from "../../redaction/describe-target.ts";
import { redactedEntry } from "../../redaction/redacted-entry.ts";
import type { ClientScope } from "../formats/client.ts";
import type { ClientServer, ClientServers } from "../read-client-file.ts";

/** `none`: the config file has the same definition. `conflict`: the config file has another definition with this id, and replacing it was not requested. */
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
  /** Returns the config file of a scope. */
  readonly fileFor: (scope: ClientScope) => Promise<string>;
  readonly replace: boolean;
}

/**
 * A later file has priority over an earlier one. Throws CONFIG_INVALID if a config file is invalid, because it could not be
 * changed.
 */
export async function planImport(
  files: readonly ClientServers[],
  { fileFor, replace }: PlanImportOptions,
): Promise<PlannedFile[]> {
  const targets = new Map<ClientScope, Promise<Target>>();
  const targetFor = (scope: ClientScope): Promise<Target> => {
    const target = targets.get(scope) ?? fileFor(scope).then((file) => readTarget(file, scope));
    targets.set(scope, target);
    return target;
  };
  const planServer = async (server: ClientServer): Promise<PlannedServer> => {
    const { file, layer } = await targetFor(server.scope);
    const { definition, enabled } = server;
    return {
      ...server,
      target: file,
      action: actionFor(server, layer, replace),
      masked: definition ? redactedEntry(definition) : { enabled },
      ...(definition && { runs: describeTarget(definition) }),
    };
  };
  return Promise.all(
    skipOverridden(files).map(async (file) => ({ ...file, servers: await Promise.all(file.servers.map(planServer)) })),
  );
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

interface Target {
  readonly file: string;
  /** Undefined for a missing file. */
  readonly layer: Layer | undefined;
}

async function readTarget(file: string, source: ClientScope): Promise<Target> {
  const text = await readConfigFile(file);
  if (text === undefined) return { file, layer: undefined };
  return { file, layer: await readLayerFromText(file, text, { source, folder: dirname(file) }) };
}

function actionFor(
  { id, definition, enabled }: ClientServer,
  layer: Layer | undefined,
  replace: boolean,
): ImportAction {
  const server = layer?.servers.find((existing) => existing.id === id);
  const enabledSwitch = layer?.switches.find((existing) => existing.id === id);
  if (!server && !enabledSwitch) return "add";
  const isSame = definition
    ? server !== undefined && canonicalJson(server.definition) === canonicalJson(definition)
    : enabledSwitch?.enabled === enabled;
  if (isSame) return "none";
  return replace ? "replace" : "conflict";
}
