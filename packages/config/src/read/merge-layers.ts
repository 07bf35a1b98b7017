/**
 * Merges the config layers of a workspace. An entry replaces the whole entry of a lower layer. An entry with only
 * `enabled` enables or disables the server of a lower layer. Servers that a project adds or changes wait for trust.
 * Until then they have no effect, and the servers of lower layers stay in effect.
 */
import type { ConfigProblem, Naming, Profile } from "@plugboard/contracts";
import type { ConfiguredServer, ServerDefinition } from "../definition/definition.ts";
import { isProjectSource } from "../definition/project-limits.ts";
import { DEFAULT_NAMING } from "@plugboard/contracts";
import type { GatewaySettings } from "./read-gateway-settings.ts";
import { mergeModelSections } from "./read-model-section.ts";
import type { ModelSection } from "./read-model-section.ts";
import type { ConfiguredRule } from "./read-rules.ts";
import type { Layer } from "./read-layer.ts";

export interface MergedConfig {
  readonly servers: ReadonlyMap<string, ConfiguredServer>;
  /** Servers of projects that wait for trust, from lowest to highest layer. */
  readonly pending: readonly ConfiguredServer[];
  readonly rules: readonly ConfiguredRule[];
  readonly naming: Naming;
  readonly profiles: ReadonlyMap<string, Profile>;
  readonly gateway: GatewaySettings;
  readonly model: ModelSection;
  readonly problems: readonly ConfigProblem[];
}

const NO_MODELS: ModelSection = { providers: new Map() };

export type IsTrusted = (candidate: ConfiguredServer) => boolean;

/** Expects the layers from lowest to highest priority. */
export function mergeLayers(layers: readonly Layer[], isTrusted: IsTrusted): MergedConfig {
  const stack = new LayerStack(isTrusted);
  const profiles = new Map<string, Profile>();
  for (const layer of layers) {
    for (const server of layer.servers) stack.define(server);
    for (const { id, enabled } of layer.switches) stack.setEnabled(id, enabled, layer);
    for (const [name, profile] of layer.profiles) {
      if (profile) profiles.set(name, profile);
      else profiles.delete(name);
    }
  }
  const problems = layers.flatMap((layer) => layer.problems);
  const models = layers.flatMap(({ model }) => model ?? []);
  for (const layer of layers) if (layer.source === "managed") problems.push(...stack.enforceDisabled(layer));
  return {
    servers: stack.servers,
    pending: [...stack.pending],
    rules: layers.flatMap((layer) => layer.rules),
    naming: layers.findLast(({ naming }) => naming !== undefined)?.naming ?? DEFAULT_NAMING,
    profiles,
    gateway: layers.findLast(({ gateway }) => gateway !== undefined)?.gateway ?? {},
    model: models.length > 1 ? mergeModelSections(models) : (models[0] ?? NO_MODELS),
    problems,
  };
}

/** Applies the layers one after another, from lowest to highest priority. */
class LayerStack {
  readonly servers = new Map<string, ConfiguredServer>();
  readonly pending = new Set<ConfiguredServer>();
  /** The pending servers by id, because a project may define many. */
  readonly #pendingById = new Map<string, ConfiguredServer[]>();
  readonly #isTrusted: IsTrusted;

  constructor(isTrusted: IsTrusted) {
    this.#isTrusted = isTrusted;
  }

  define(server: ConfiguredServer): void {
    const { id, source, definition } = server;
    const needsTrust = isProjectSource(source);
    if ("invalid" in definition) {
      // An invalid server can't be trusted, so it must not hide a valid one.
      if (!needsTrust || !this.servers.has(id)) this.#set(server);
    } else if (!needsTrust || this.#isTrusted(server)) {
      this.#set(server);
    } else if (definition.enabled) {
      this.#addPending(server);
    } else {
      // A disabled server needs no trust.
      this.#disable(id);
    }
  }

  setEnabled(id: string, enabled: boolean, { source, file }: Layer): void {
    if (!enabled) return this.#disable(id);
    const lower = this.#validServer(id);
    if (!lower || lower.definition.enabled) return;
    const enabledServer = { ...lower, definition: { ...lower.definition, enabled } };
    const candidate: ConfiguredServer = { ...enabledServer, source, file, enabledBy: file };
    if (isProjectSource(source) && !this.#isTrusted(candidate)) this.#addPending(candidate);
    else this.servers.set(id, enabledServer);
  }

  /** Disables the servers that the managed layer disables. Warns if another layer enables one. */
  enforceDisabled({ file, servers, switches }: Layer): ConfigProblem[] {
    const defined = servers.filter(({ definition }) => !("invalid" in definition) && !definition.enabled);
    const disabledIds = [
      ...defined.map(({ id }) => id),
      ...switches.filter(({ enabled }) => !enabled).map(({ id }) => id),
    ];
    return disabledIds.flatMap((server) => {
      const overridden = this.#validServer(server)?.definition.enabled || this.#pendingById.has(server);
      this.#disable(server);
      const message = "the administrator has disabled it here; no other file can enable it";
      return overridden ? [{ severity: "warning" as const, file, server, message }] : [];
    });
  }

  #set(server: ConfiguredServer): void {
    this.servers.set(server.id, server);
    this.#dropPending(server.id);
  }

  #addPending(server: ConfiguredServer): void {
    this.pending.add(server);
    this.#pendingById.set(server.id, [...(this.#pendingById.get(server.id) ?? []), server]);
  }

  /** Drops pending servers that would have no effect once trusted. */
  #dropPending(id: string): void {
    for (const server of this.#pendingById.get(id) ?? []) this.pending.delete(server);
    this.#pendingById.delete(id);
  }

  #disable(id: string): void {
    this.#dropPending(id);
    const lower = this.#validServer(id);
    if (lower) this.servers.set(id, { ...lower, definition: { ...lower.definition, enabled: false } });
  }

  #validServer(id: string): (ConfiguredServer & { readonly definition: ServerDefinition }) | undefined {
    const server = this.servers.get(id);
    return server && !("invalid" in server.definition) ? { ...server, definition: server.definition } : undefined;
  }
}
