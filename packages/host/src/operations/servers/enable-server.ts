/** Enables or disables a server in a config file. */
import type { EditableScope, EnabledServer } from "@plugboard/contracts";
import { requireScopeFiles } from "@plugboard/config";
import { editConfig, filesWithEntry, inspectConfig } from "@plugboard/config/edit";
import type { InspectedFile } from "@plugboard/config/edit";
import { readStaticConfig } from "../../offline/read-static-config.ts";
import type { OperationsPlace } from "../operations-context.ts";
import { isEditable, missingEntryError, throwIfInvalid, unknownServerError } from "./find-entries.ts";
import { storeTrust } from "./store-trust.ts";

/**
 * Without a scope, changes the file with the highest priority that has the server, so that the change has an effect.
 */
export async function enableServer(
  id: string,
  enabled: boolean,
  scope: EditableScope | undefined,
  place: OperationsPlace,
): Promise<EnabledServer> {
  if (scope !== undefined) return enableInScope(id, enabled, scope, place);
  const [found] = filesWithEntry(await inspectConfig(place), id).filter(isEditable);
  return found ? enableInScope(id, enabled, found.source, place) : enableInGivenFile(id, enabled, place);
}

/** If only a lower layer defines the server, writes an entry that only enables or disables it. */
async function enableInScope(
  id: string,
  enabled: boolean,
  scope: EditableScope,
  place: OperationsPlace,
): Promise<EnabledServer> {
  const { files } = await requireScopeFiles(scope, place.cwd, place.env);
  const all = await inspectConfig(place);
  throwIfInvalid(all.filter(({ source }) => source === scope));
  const [own] = filesWithEntry(all, id, scope);
  const lower = own ? undefined : findLowerDefinition(all, id, scope);
  if (!own && !lower) throw missingEntryError(id, scope, all);
  await effectiveConfig(place);
  const file = own?.file ?? files.at(-1)!;
  const { changed } = await editConfig(file, { type: "set_enabled", id, enabled }, scope);
  if (enabled) await trustOwnEntry(id, file, place);
  const effective = await effectiveState(id, place);
  const decidedBy = effective === (enabled ? "disabled" : "enabled") ? decidingFile(id, file, all) : undefined;
  return {
    id,
    scope,
    file,
    changed,
    effective,
    ...(decidedBy !== undefined && { decidedBy }),
    ...(lower && { definedIn: { source: lower.source, file: lower.file } }),
  };
}

/** Changes the file of a server that was given with `--config`. */
async function enableInGivenFile(id: string, enabled: boolean, place: OperationsPlace): Promise<EnabledServer> {
  const all = await inspectConfig(place);
  const [given] = filesWithEntry(all, id, "invocation");
  if (!given) throw unknownServerError(id, all);
  const { file } = given;
  await effectiveConfig(place);
  const { changed } = await editConfig(file, { type: "set_enabled", id, enabled }, "invocation");
  return { id, file, changed, effective: await effectiveState(id, place) };
}

/** Returns the definition that an entry with only `enabled` would enable or disable. */
function findLowerDefinition(
  all: readonly InspectedFile[],
  id: string,
  scope: EditableScope,
): InspectedFile | undefined {
  const own = all.findLastIndex(({ source }) => source === scope);
  return filesWithEntry(all.slice(0, own), id).find(({ layer }) => layer?.servers.some((server) => server.id === id));
}

/** Trusts the new entry that enables the user's server in a project, because the user has just asked for it. */
async function trustOwnEntry(id: string, file: string, place: OperationsPlace): Promise<void> {
  const { pending } = await effectiveConfig(place);
  const own = pending.findLast((server) => server.id === id && server.enabledBy === file);
  if (own) await storeTrust(own, place.env);
}

async function effectiveState(id: string, place: OperationsPlace): Promise<EnabledServer["effective"]> {
  const { servers, pending } = await effectiveConfig(place);
  const definition = servers.get(id)?.definition;
  if (!definition) return pending.some((server) => server.id === id) ? "untrusted" : "disabled";
  if ("invalid" in definition) return "invalid";
  return definition.enabled ? "enabled" : "disabled";
}

/**
 * Returns the config without the servers of `--mcp-server`. Also called before a change, because it throws if a file is
 * invalid: the effect of the change could not be shown afterwards.
 */
async function effectiveConfig({ cwd, env, configFiles }: OperationsPlace) {
  return (await readStaticConfig({ env }, { cwd, configFiles })).config;
}

/** Returns the file that overrides the changed file: a file with a higher priority, or the administrator's file. */
function decidingFile(id: string, changed: string, all: readonly InspectedFile[]): string | undefined {
  const higher = all.slice(all.findIndex(({ file }) => file === changed) + 1);
  const managed = all.filter(({ source }) => source === "managed");
  return (filesWithEntry(higher, id)[0] ?? filesWithEntry(managed, id)[0])?.file;
}
