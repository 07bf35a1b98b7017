/**
 * The parts of a host that work before the rest of it has loaded: ids, events, state and processes. They are enough to
 * read the config of a workspace and to start its servers.
 */
import { randomUUID } from "node:crypto";
import type { Env, HostEvent, WorkspaceSpec } from "@plugboard/contracts";
import type { HostIds } from "@plugboard/mcp";
import { Processes } from "@plugboard/mcp/process";
import { systemClock } from "@plugboard/mcp/clock";
import { EventLog } from "./activity/event-log.ts";
import { ProjectLayerCache } from "./config/read/project-layer-cache.ts";
import { readConfig } from "./config/read/read-config.ts";
import type { Config } from "./config/read/read-config.ts";
import type { HostOptions } from "./host-options.ts";
import { ServerObjects } from "./server-objects.ts";
import { SharedState } from "./shared-state.ts";
import { definitionHash } from "./trust/definition-hash.ts";

/** The config that a workspace opens with, and a function that reads it again. */
export interface OpenedConfig {
  readonly config: Config;
  readonly read: (spec: WorkspaceSpec) => Promise<Config>;
}

export class HostBase {
  /** Sent to servers and clients, so that the host detects a connection to itself. */
  readonly ids: HostIds = { client: randomUUID(), gateway: randomUUID() };
  readonly env: Env;
  readonly events: EventLog;
  readonly state: SharedState;
  readonly processes: Processes;
  readonly serverObjects = new ServerObjects();
  /** Called for every event. */
  onEvent: (event: HostEvent) => void = () => {};

  readonly #options: HostOptions;
  readonly #readAhead = new WeakMap<WorkspaceSpec, OpenedConfig>();

  constructor(options: HostOptions) {
    const { env = process.env, persist = true } = options;
    const clock = systemClock;
    this.#options = options;
    this.env = env;
    this.processes = new Processes(clock, this.ids.client);
    this.events = new EventLog(
      () => clock.now(),
      (event) => this.onEvent(event),
    );
    this.state = new SharedState({ env, clock, newId: randomUUID, emit: this.events.emit, persist });
  }

  /** Reads the config of a workspace before it is opened. */
  async readAhead(spec: WorkspaceSpec): Promise<Config> {
    const opened = await this.openConfig(spec);
    this.#readAhead.set(spec, opened);
    return opened.config;
  }

  /** Reads the config of a workspace, unless `readAhead` has read it. */
  async openConfig(spec: WorkspaceSpec): Promise<OpenedConfig> {
    const readAhead = this.#readAhead.get(spec);
    this.#readAhead.delete(spec);
    if (readAhead) return readAhead;
    const read = this.#configReader(spec.env ?? this.env);
    return { config: await read(spec), read };
  }

  /** Returns a function that reads the config of one workspace. */
  #configReader(env: Env): OpenedConfig["read"] {
    const { config: layers, managedConfigPath } = this.#options;
    const { trust } = this.state;
    const projectLayerCache = new ProjectLayerCache();
    const isTrusted = (server: Parameters<typeof definitionHash>[0]) =>
      trust.isTrusted({ ...server, hash: definitionHash(server) });
    return (spec) =>
      readConfig(spec, env, {
        layers,
        isTrusted: this.state.open().then(() => isTrusted),
        projectLayerCache,
        ...(managedConfigPath !== undefined && { managedConfigPath }),
      });
  }
}
