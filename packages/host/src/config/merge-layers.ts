/**
 * The layers of a workspace, laid over each other. A higher entry replaces a
 * lower one whole; one that only says `enabled` switches it. What a project adds
 * or changes waits for trust, and until then does nothing and hides nothing.
 */
import type { ConfigProblem } from "@plugboard/contracts";
import type { ConfiguredServer, ServerDefinition } from "./definition.ts";
import { isProjects } from "./project-limits.ts";
import { DEFAULT_NAMING } from "../names/naming.ts";
import type { Naming } from "../names/naming.ts";
import type { Profile } from "./read-profiles.ts";
import type { ConfiguredRule } from "./read-rules.ts";
import type { Layer } from "./read-layer.ts";

export interface Merged {
  readonly servers: ReadonlyMap<string, ConfiguredServer>;
  /** Entries of projects that wait for trust, low to high. */
  readonly pending: readonly ConfiguredServer[];
  readonly rules: readonly ConfiguredRule[];
  readonly naming: Naming;
  readonly profiles: ReadonlyMap<string, Profile>;
  readonly problems: readonly ConfigProblem[];
}

export type Trusts = (candidate: ConfiguredServer) => boolean;

/** Low to high. */
export function mergeLayers(layers: readonly Layer[], trusts: Trusts): Merged {
  const stack = new Stack(trusts);
  const profiles = new Map<string, Profile>();
  for (const layer of layers) {
    for (const server of layer.servers) stack.define(server);
    for (const { id, enabled } of layer.switches) stack.switch(id, enabled, layer);
    for (const [name, profile] of layer.profiles) {
      if (profile) profiles.set(name, profile);
      else profiles.delete(name);
    }
  }
  const problems = layers.flatMap((layer) => layer.problems);
  for (const layer of layers) if (layer.source === "managed") problems.push(...stack.lock(layer));
  return {
    servers: stack.servers,
    pending: [...stack.pending],
    rules: layers.flatMap((layer) => layer.rules),
    naming: layers.findLast(({ naming }) => naming !== undefined)?.naming ?? DEFAULT_NAMING,
    profiles,
    problems,
  };
}

class Stack {
  readonly servers = new Map<string, ConfiguredServer>();
  readonly pending = new Set<ConfiguredServer>();
  /** The same, by id: a project may define as many as it likes. */
  readonly #waiting = new Map<string, ConfiguredServer[]>();
  readonly #trusts: Trusts;

  constructor(trusts: Trusts) {
    this.#trusts = trusts;
  }

  define(server: ConfiguredServer): void {
    const { id, source, definition } = server;
    const waits = isProjects(source);
    if ("invalid" in definition) {
      // Nobody can trust it, so it hides nothing either.
      if (!waits || !this.servers.has(id)) this.#set(server);
    } else if (!waits || this.#trusts(server)) {
      this.#set(server);
    } else if (definition.enabled) {
      this.#wait(server);
    } else {
      // All that it does is to switch off.
      this.#off(id);
    }
  }

  switch(id: string, enabled: boolean, { source, file }: Layer): void {
    if (!enabled) return this.#off(id);
    const lower = this.#valid(id);
    if (!lower || lower.definition.enabled) return;
    const on = { ...lower, definition: { ...lower.definition, enabled } };
    const candidate: ConfiguredServer = { ...on, source, file, switchedOnBy: file };
    if (isProjects(source) && !this.#trusts(candidate)) this.#wait(candidate);
    else this.servers.set(id, on);
  }

  /** What the administrator has switched off stays off, whoever says otherwise. */
  lock({ file, servers, switches }: Layer): ConfigProblem[] {
    const defined = servers.filter(({ definition }) => !("invalid" in definition) && !definition.enabled);
    const off = [...defined.map(({ id }) => id), ...switches.filter((one) => !one.enabled).map(({ id }) => id)];
    return off.flatMap((server) => {
      const overridden = this.#valid(server)?.definition.enabled || this.#waiting.has(server);
      this.#off(server);
      const message = "it is switched off here, and no other file can switch it on";
      return overridden ? [{ severity: "warning" as const, file, server, message }] : [];
    });
  }

  #set(server: ConfiguredServer): void {
    this.servers.set(server.id, server);
    this.#drop(server.id);
  }

  #wait(server: ConfiguredServer): void {
    this.pending.add(server);
    this.#waiting.set(server.id, [...(this.#waiting.get(server.id) ?? []), server]);
  }

  /** Waiting would be in vain. */
  #drop(id: string): void {
    for (const server of this.#waiting.get(id) ?? []) this.pending.delete(server);
    this.#waiting.delete(id);
  }

  #off(id: string): void {
    this.#drop(id);
    const lower = this.#valid(id);
    if (lower) this.servers.set(id, { ...lower, definition: { ...lower.definition, enabled: false } });
  }

  #valid(id: string): (ConfiguredServer & { readonly definition: ServerDefinition }) | undefined {
    const server = this.servers.get(id);
    return server && !("invalid" in server.definition) ? { ...server, definition: server.definition } : undefined;
  }
}
