/**
 * The layers of a workspace, laid over each other. A higher entry replaces a
 * lower one whole; one that only says `enabled` switches it. What a project adds
 * or changes waits for trust, and until then does nothing and hides nothing.
 */
import type { ConfigProblem } from "@plugboard/contracts";
import type { ConfiguredServer, ServerDefinition } from "../definition/definition.ts";
import { isProjectSource } from "../definition/project-limits.ts";
import { DEFAULT_NAMING } from "../../names/naming.ts";
import type { Naming } from "../../names/naming.ts";
import type { Profile } from "./read-profiles.ts";
import type { ConfiguredRule } from "./read-rules.ts";
import type { Layer } from "./read-layer.ts";

export interface MergedConfig {
  readonly servers: ReadonlyMap<string, ConfiguredServer>;
  /** Entries of projects that wait for trust, low to high. */
  readonly pending: readonly ConfiguredServer[];
  readonly rules: readonly ConfiguredRule[];
  readonly naming: Naming;
  readonly profiles: ReadonlyMap<string, Profile>;
  readonly problems: readonly ConfigProblem[];
}

export type IsTrusted = (candidate: ConfiguredServer) => boolean;

/** Low to high. */
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
  for (const layer of layers) if (layer.source === "managed") problems.push(...stack.enforceDisabled(layer));
  return {
    servers: stack.servers,
    pending: [...stack.pending],
    rules: layers.flatMap((layer) => layer.rules),
    naming: layers.findLast(({ naming }) => naming !== undefined)?.naming ?? DEFAULT_NAMING,
    profiles,
    problems,
  };
}

class LayerStack {
  readonly servers = new Map<string, ConfiguredServer>();
  readonly pending = new Set<ConfiguredServer>();
  /** The same, by id: a project may define as many as it likes. */
  readonly #pendingById = new Map<string, ConfiguredServer[]>();
  readonly #isTrusted: IsTrusted;

  constructor(trusts: IsTrusted) {
    this.#isTrusted = trusts;
  }

  define(server: ConfiguredServer): void {
    const { id, source, definition } = server;
    const needsTrust = isProjectSource(source);
    if ("invalid" in definition) {
      // Nobody can trust it, so it hides nothing either.
      if (!needsTrust || !this.servers.has(id)) this.#set(server);
    } else if (!needsTrust || this.#isTrusted(server)) {
      this.#set(server);
    } else if (definition.enabled) {
      this.#addPending(server);
    } else {
      // All that it does is to switch off.
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

  /** What the administrator has switched off stays off, whoever says otherwise. */
  enforceDisabled({ file, servers, switches }: Layer): ConfigProblem[] {
    const defined = servers.filter(({ definition }) => !("invalid" in definition) && !definition.enabled);
    const disabledIds = [...defined.map(({ id }) => id), ...switches.filter((one) => !one.enabled).map(({ id }) => id)];
    return disabledIds.flatMap((server) => {
      const overridden = this.#validServer(server)?.definition.enabled || this.#pendingById.has(server);
      this.#disable(server);
      const message = "it is switched off here, and no other file can switch it on";
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

  /** Waiting would be in vain. */
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
