/** Compares servers of other clients with the config files that they would be written to. Writes nothing. */
import { canonicalJson } from "@plugboard/contracts";
import type { Env, Json, JsonObject } from "@plugboard/contracts";
import type { ConfiguredServer, ServerDefinition } from "../definition/definition.ts";
import { entryIn } from "../edit/apply-change.ts";
import { requireScopeFiles } from "../files/find-scope-files.ts";
import type { ConfigScope } from "../files/find-scope-files.ts";
import { filesWithEntry, inspectFile } from "../inspect/inspect-config.ts";
import type { InspectedFile } from "../inspect/inspect-config.ts";
import type { Layer } from "../read/read-layer.ts";
import { describeTarget } from "../redaction/describe-target.ts";
import { redactedEntry } from "../redaction/redacted-entry.ts";
import { adoptReferences } from "../clients/entry/extract-secrets.ts";
import type { ExtractedSecret } from "../clients/entry/extract-secrets.ts";
import { entryNotes } from "../clients/entry/entry-notes.ts";
import { findPlainSecrets } from "../clients/entry/find-plain-secrets.ts";
import { toPlainEntry } from "../clients/entry/to-plain-entry.ts";
import type { ClientServer, ClientServers } from "../clients/read-client-file.ts";
import type { SecretUsers } from "./read-stored-secrets.ts";
import { extractNamedSecrets } from "./extract-named-secrets.ts";
import { SecretNames } from "./secret-names.ts";

/**
 * `none`: the config file has the same definition. `conflict`: it has another definition with this id, and the user did
 * not ask to replace it.
 */
type ImportAction = "add" | "replace" | "conflict" | "none";

export interface PlannedServer extends Omit<ClientServer, "plainSecrets"> {
  /** The config file that the server would be written to. */
  readonly target: string;
  readonly action: ImportAction;
  /** The server's entry in the config file at the time of planning. Undefined if there was none. */
  readonly before: Json | undefined;
  /**
   * The command or URL, with possible secrets masked. Undefined for an entry that only enables or disables a server.
   */
  readonly runs?: string;
  /** The entry with masked values. */
  readonly masked: JsonObject;
  /** The secrets of the other client's file that are stored first. The entry only refers to them. */
  readonly secrets: readonly ExtractedSecret[];
  /** The server with these secrets in its entry, in plain text. Absent if there are none. */
  readonly plain?: Pick<PlannedServer, "entry" | "masked" | "notes">;
}

export interface PlannedFile extends Omit<ClientServers, "servers"> {
  readonly servers: readonly PlannedServer[];
}

interface PlanImportOptions {
  readonly cwd: string;
  readonly env: Env;
  readonly replace: boolean;
  /** The stored secrets, whose names are in use. */
  readonly storedSecrets?: SecretUsers;
}

/**
 * A later file has priority over an earlier one of the same client. Throws CONFIG_INVALID if a config file is invalid,
 * because it could not be changed.
 */
export async function planImport(
  files: readonly ClientServers[],
  { cwd, env, replace, storedSecrets = new Map() }: PlanImportOptions,
): Promise<PlannedFile[]> {
  const names = new SecretNames(storedSecrets);
  const configs = new Map<ConfigScope, Promise<readonly InspectedFile[]>>();
  const configOf = (scope: ConfigScope) => {
    const config = configs.get(scope) ?? inspectScope(scope, cwd, env);
    configs.set(scope, config);
    return config;
  };
  const planServer = async (server: ClientServer): Promise<PlannedServer> => {
    const { plainSecrets: _, ...rest } = server;
    const { id, scope, definition, enabled } = server;
    const config = await configOf(scope);
    const [existing] = filesWithEntry(config, id);
    const planned: PlannedServer = {
      ...rest,
      notes: entryNotes(server),
      target: (existing ?? config.at(-1)!).file,
      action: existing ? actionFor(server, existing.layer!, replace) : "add",
      before: existing && entryIn(existing.text!, id),
      masked: definition ? redactedEntry(definition) : { enabled },
      secrets: [],
      ...(definition && { runs: describeTarget(definition) }),
    };
    const replaced = existing?.layer?.servers.find((other) => other.id === id);
    return withStoredSecrets(planned, server, replaced?.definition, names);
  };
  const planned: PlannedFile[] = [];
  // One after another, so that the names of the secrets depend only on the order of the files.
  for (const file of skipOverridden(files)) {
    const servers: PlannedServer[] = [];
    for (const server of file.servers) servers.push(await planServer(server));
    planned.push({ ...file, servers });
  }
  return planned;
}

/** Leaves the secrets of a planned server in its entry, in plain text. */
export function keepPlainSecrets({ plain, ...server }: PlannedServer): PlannedServer {
  return { ...server, ...plain, secrets: [] };
}

function withStoredSecrets(
  planned: PlannedServer,
  { id, definition, notes }: ClientServer,
  replaced: ConfiguredServer["definition"] | undefined,
  names: SecretNames,
): PlannedServer {
  if (!definition) return planned;
  const extracted = extractNamedSecrets(id, definition, replaced, names);
  if (extracted.secrets.length === 0) return planned;
  return {
    ...planned,
    entry: toPlainEntry(extracted.definition),
    masked: redactedEntry(extracted.definition),
    notes: entryNotes({ notes, plainSecrets: findPlainSecrets(extracted.definition, id) }),
    secrets: extracted.secrets,
    plain: { entry: planned.entry, masked: planned.masked, notes: planned.notes },
  };
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
  const isSame = definition ? isSameDefinition(definition, server?.definition) : enabledSwitch?.enabled === enabled;
  if (isSame) return "none";
  return replace ? "replace" : "conflict";
}

/** Treats definitions as equal even if the existing definition refers to stored secrets instead of containing them. */
function isSameDefinition(definition: ServerDefinition, existing: ConfiguredServer["definition"] | undefined): boolean {
  if (!existing || "invalid" in existing) return false;
  return canonicalJson(existing) === canonicalJson(adoptReferences(definition, existing));
}
