/**
 * The parts of a host that work before the rest of its code is loaded: ids, events, state and processes. They suffice
 * to read the config of a workspace and to start its servers. Without this split, bench row `cli-cold-call` takes 12 %
 * longer, and `host-connect-1` 18 %.
 */
import { randomUUID } from "node:crypto";
import type { Env, HostEvent, WorkspaceSpec } from "@plugboard/contracts";
import type { HostIds } from "@plugboard/mcp";
import { Processes } from "@plugboard/mcp/process";
import { systemClock } from "@plugboard/contracts";
import { EventLog } from "../activity/event-log.ts";
import { ProjectLayerCache, readConfig, definitionHash } from "@plugboard/config";
import type { Config, ConfiguredServer, IsTrusted } from "@plugboard/config";
import type { HostOptions } from "./host-options.ts";
import { sandboxPlaces } from "./sandbox-places.ts";
import { ServerObjects } from "./server-objects.ts";
import { SharedState } from "./shared-state.ts";

/** Reads the config of a workspace, with the servers that the user trusts. */
type ConfigReader = (spec: WorkspaceSpec) => Promise<Config>;

/** The config that a workspace opens with, and a function that reads it again. */
export interface OpenedConfig {
  readonly config: Config;
  readonly read: ConfigReader;
}

export class HostBase {
  /** Sent to servers and clients, so that the host detects a connection to itself. */
  readonly ids: HostIds = { client: randomUUID(), gateway: randomUUID() };
  readonly env: Env;
  readonly events: EventLog;
  readonly state: SharedState;
  readonly processes: Processes;
  /** Returns the paths that this host adds to the sandbox of a server. */
  readonly sandboxPlaces: (server: ConfiguredServer) => ReturnType<typeof sandboxPlaces>;
  /** Called for every event. */
  onEvent: (event: HostEvent) => void = () => {};

  readonly #options: HostOptions;
  #serverObjects: ServerObjects | undefined;
  readonly #readAhead = new WeakMap<WorkspaceSpec, OpenedConfig>();

  constructor(options: HostOptions) {
    const { env = process.env, persist = true } = options;
    const clock = systemClock;
    this.#options = options;
    this.env = env;
    this.processes = new Processes(clock, this.ids.client);
    this.sandboxPlaces = (server) => sandboxPlaces(server, env, persist);
    this.events = new EventLog(
      () => clock.now(),
      (event) => this.onEvent(event),
    );
    this.state = new SharedState({ env, clock, newId: randomUUID, emit: this.events.emit, persist });
  }

  get serverObjects(): ServerObjects {
    return (this.#serverObjects ??= new ServerObjects());
  }

  /** Reads the config of a workspace before it is opened. Waits for the state only if the config depends on it. */
  async readAhead(spec: WorkspaceSpec): Promise<Config> {
    void this.state.open();
    const read = this.#configReader(spec.env);
    const config = await read(spec);
    this.#readAhead.set(spec, { config, read });
    return config;
  }

  /** Reads the config of a workspace, unless `readAhead` has read it, and the state. */
  async openConfig(spec: WorkspaceSpec): Promise<OpenedConfig> {
    const readAhead = this.#readAhead.get(spec);
    this.#readAhead.delete(spec);
    // Nothing watches the state files before a workspace starts. The user may have approved a server in the meantime.
    if (!readAhead) await this.state.reload();
    const read = readAhead?.read ?? this.#configReader(spec.env);
    const [config] = await Promise.all([readAhead?.config ?? read(spec), this.state.open()]);
    return { config, read };
  }

  #configReader(env: Env = this.env): ConfigReader {
    const { config: layers, managedConfigPath } = this.#options;
    const { trust } = this.state;
    const projectLayerCache = new ProjectLayerCache();
    const loadTrust = async (): Promise<IsTrusted> => {
      await this.state.open();
      return (server) => trust.isTrusted({ ...server, hash: definitionHash(server) });
    };
    const options = {
      layers,
      loadTrust,
      projectLayerCache,
      ...(managedConfigPath !== undefined && { managedConfigPath }),
    };
    return (current) => readConfig(current, env, options);
  }
}
