/** Enables or disables a server in the config file of a scope. */
import { editConfig, filesWithEntry, inspectConfig } from "@plugboard/config/edit";
import { requireScopeFiles } from "@plugboard/config";
import type { ConfigScope } from "@plugboard/config";
import type { InspectedFile } from "@plugboard/config/edit";
import { readStaticConfig } from "./read-static-config.ts";
import { storeTrust, throwIfInvalid } from "./write-server.ts";
import type { ConfigPlace } from "./write-server.ts";

interface ServerSwitch {
  readonly id: string;
  readonly scope: ConfigScope;
  readonly enabled: boolean;
}

export type EffectiveState = "enabled" | "disabled" | "untrusted" | "invalid";

export interface SwitchedServer {
  readonly file: string;
  readonly changed: boolean;
  /** The file of a lower layer that defines the server, if the scope had no entry for it. */
  readonly lower: InspectedFile | undefined;
  /** What applies now, which another file may decide. */
  readonly effective: EffectiveState;
  /** All files before the change. */
  readonly all: readonly InspectedFile[];
}

/** A server of a lower layer gets an entry that only enables or disables it. Returns `missingIn` if no file has the server. */
export async function switchServer(
  { id, scope, enabled }: ServerSwitch,
  place: ConfigPlace,
): Promise<SwitchedServer | { readonly missingIn: readonly InspectedFile[] }> {
  const { cwd, env } = place;
  const { files } = await requireScopeFiles(scope, cwd, env);
  const all = await inspectConfig({ cwd, env });
  throwIfInvalid(all.filter(({ source }) => source === scope));
  const [own] = filesWithEntry(all, id, scope);
  const lower = own ? undefined : findLowerDefinition(all, id, scope);
  if (!own && !lower) return { missingIn: all };
  // Throws before the change if another file is invalid, because the effect could not be shown afterwards.
  await readStaticConfig({ env }, { cwd });
  const file = own?.file ?? files.at(-1)!;
  const { changed } = await editConfig(file, { type: "set_enabled", id, enabled }, scope);
  if (enabled) await trustOwnSwitch(id, file, place);
  return { file, changed, lower, effective: await effectiveState(id, place), all };
}

/** Returns the definition that an entry with only `enabled` would enable or disable. */
function findLowerDefinition(all: readonly InspectedFile[], id: string, scope: ConfigScope): InspectedFile | undefined {
  const own = all.findLastIndex(({ source }) => source === scope);
  return filesWithEntry(all.slice(0, own), id).find(({ layer }) => layer?.servers.some((server) => server.id === id));
}

/** Trusts the entry that enables a server of the user's in the project, because the user has just asked for it. */
async function trustOwnSwitch(id: string, file: string, place: ConfigPlace): Promise<void> {
  const { cwd, env } = place;
  const { pending } = (await readStaticConfig({ env }, { cwd })).config;
  const own = pending.findLast((server) => server.id === id && server.enabledBy === file);
  if (own) await storeTrust(own, place);
}

async function effectiveState(id: string, { cwd, env }: ConfigPlace): Promise<EffectiveState> {
  const { servers, pending } = (await readStaticConfig({ env }, { cwd })).config;
  const definition = servers.get(id)?.definition;
  if (!definition) return pending.some((server) => server.id === id) ? "untrusted" : "disabled";
  if ("invalid" in definition) return "invalid";
  return definition.enabled ? "enabled" : "disabled";
}
