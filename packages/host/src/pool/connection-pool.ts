/**
 * The connections of a host. Workspaces with equal definitions of a server share one connection to it. If the
 * definition has `share: "caller"`, each client has its own connection. The connections close when the last workspace
 * releases them. With `lingerMs`, the shared connection closes later, so that the next workspace finds it open.
 */
import type { Era, JsonObject, Root, Clock, Redactor } from "@plugboard/contracts";
import { Connection } from "@plugboard/mcp";
import { steadyNow } from "@plugboard/contracts";
import type {
  CatalogPart,
  CatalogStore,
  ConnectionLimits,
  ConnectionOptions,
  ConnectionSettings,
  Identity,
  OnUnattributedRequest,
  Target,
} from "@plugboard/mcp";
import type { Processes } from "@plugboard/mcp/process";
import type { CredentialSource } from "../auth/credentials/credential-source.ts";
import { canonicalDigest } from "@plugboard/store";
import { combineSettings } from "./combine-settings.ts";
import { CLIENT_IDLE_MS, UnsharedConnections } from "./unshared-connections.ts";
import type { UnsharedConnection, PoolClient } from "./unshared-connections.ts";
import { liveRedactor, createRedactor, targetSecrets } from "@plugboard/config";

type EraStore = ConnectionOptions["eraStore"];
type OnChanged = (part: "state" | CatalogPart) => void;

export interface Lease {
  readonly connection: Connection;
  /**
   * Returns the client's own connection to the server. The first client gets the connection of the lease, unless the
   * client has roots of its own. Throws TOO_MANY_CLIENTS.
   */
  forClient(client: PoolClient, roots?: readonly Root[]): Connection;
  /** Changes the settings of this lease. The settings of all leases are combined, see `combine-settings.ts`. */
  updateSettings(settings: ConnectionSettings): void;
  /** Closes the connection if this is its last lease. Without `linger`, the connection closes at once. */
  release(options?: ReleaseOptions): Promise<void>;
}

export interface ReleaseOptions {
  /** True if an equal definition may be leased again soon. The connection then stays open for `lingerMs`. */
  readonly linger?: boolean;
  /**
   * If set, the connection closes only after running calls have ended, the signal is aborted, or `DRAIN_MS` are over.
   */
  readonly drain?: AbortSignal | undefined;
}

/** How long the change of a definition waits for running calls. */
const DRAIN_MS = 5000;

export interface ConnectionPoolPorts {
  readonly processes: Processes;
  readonly clock: Clock;
  readonly identity: Identity;
  readonly limits?: Partial<ConnectionLimits>;
  /** How long a connection without leases may stay open. By default it closes at once. */
  readonly lingerMs?: number;
  /** Returns the store for the catalog of a definition. The key includes the login, because tools can depend on it. */
  readonly catalogs?: (key: string, definition: string | undefined) => CatalogStore | undefined;
  /** Returns the store for the era of a server. Without it, eras are kept in memory. */
  readonly eras?: (key: string) => EraStore | undefined;
  /** Returns the handler for requests of a server that belong to no particular call. */
  readonly unattributedRequestHandler: (
    spec: Pick<LeaseSpec, "server" | "samplingAllowed" | "ownLogin">,
  ) => OnUnattributedRequest;
  /** Returns the function that records the output of a server. The function gets the output with secrets. */
  readonly outputRecorder?: (server: string, redactor: Redactor | undefined) => ConnectionOptions["onOutput"];
  /** Called when a server was restarted after a failure. */
  readonly onRestarted?: (server: string) => void;
  /** Called when a session with a server has ended. */
  readonly onSessionEnded?: (server: string, durationMs: number) => void;
}

/** The parts of a definition by which connections differ. Definitions with equal parts share a connection. */
export interface ConnectionKey {
  readonly target: Target;
  readonly maxMessageBytes?: number | undefined;
  readonly share?: "all" | "caller" | undefined;
  readonly onlyEra?: Era | undefined;
  /** Identifies the client capabilities. */
  readonly capabilitiesKey?: JsonObject | undefined;
  readonly credentialSource?: CredentialSource | undefined;
}

/** The resolved definition of a server, for its connection. */
export interface LeaseSpec extends ConnectionKey {
  /** The name of the server in errors. */
  readonly server: string;
  /**
   * The digest of the definition as written, by which the catalog can be found. Undefined for a login of a principal.
   */
  readonly definitionHash?: string | undefined;
  /** Identifies the definition without its secrets. See `peekWithoutSecrets`. */
  readonly sharedKey?: string | undefined;
  /** The settings that can change while the connection is open. */
  readonly settings: ConnectionSettings;
  readonly clientCapabilities?: ConnectionOptions["clientCapabilities"];
  /** Whether the definition allows sampling, by default false. */
  readonly samplingAllowed?: boolean | undefined;
  /** True if the connection has the login of a gateway principal, not the owner's. By default false. */
  readonly ownLogin?: boolean | undefined;
  readonly onChanged: OnChanged;
}

interface SharedConnection extends UnsharedConnection {
  /** The `sharedKey` of every lease so far. */
  readonly sharedKeys: Set<string>;
  readonly credentialSource: CredentialSource | undefined;
  readonly listeners: Set<OnChanged>;
  /** The settings of each lease, by its listener. Their combination is in effect. */
  readonly settings: Map<OnChanged, ConnectionSettings>;
  /** Made for the first client with a connection of its own. */
  clients?: UnsharedConnections;
  /** Set while the connection is open without a lease. */
  lingering?: Lingering | undefined;
}

interface Lingering {
  /** The listener of the last lease. It receives the final state. */
  readonly lastListener: OnChanged;
  /** Ends the lingering without closing the connection. */
  end(): void;
}

export class ConnectionPool {
  readonly #ports: ConnectionPoolPorts;
  readonly #connections = new Map<string, SharedConnection>();
  /** The eras of servers, if no store is given. */
  readonly #eras = new Map<string, Era>();
  /** The servers that have asked a question without naming the call, if no store is given. */
  readonly #asking = new Set<string>();

  constructor(ports: ConnectionPoolPorts) {
    this.#ports = ports;
  }

  lease(spec: LeaseSpec): Lease {
    const { onChanged, sharedKey } = spec;
    const key = definitionKey(spec);
    const shared = this.#connections.get(key) ?? this.#create(key, spec);
    if (shared.lingering) {
      shared.lingering.end();
      shared.listeners.delete(shared.lingering.lastListener);
      shared.settings.delete(shared.lingering.lastListener);
      shared.lingering = undefined;
    }
    shared.listeners.add(onChanged);
    if (sharedKey !== undefined) shared.sharedKeys.add(sharedKey);
    updateSettings(shared, onChanged, spec.settings);
    return {
      connection: shared.connection,
      updateSettings: (settings) => updateSettings(shared, onChanged, settings),
      forClient: (client, roots) => (shared.clients ??= this.#createClients(key, spec, shared)).get(client, roots),
      release: (options = {}) => this.#release(key, shared, onChanged, options),
    };
  }

  /** Closes the connections without a lease. */
  async close(): Promise<void> {
    const lingering = [...this.#connections].filter(([, shared]) => shared.lingering);
    await Promise.all(lingering.map(([key, shared]) => this.#close(key, shared)));
  }

  /** Returns the open connection of an equal definition, if there is one. */
  peek(key: ConnectionKey): Connection | undefined {
    return this.#connections.get(definitionKey(key))?.connection;
  }

  /** Returns the open connection of a definition whose secrets are not known, if one was leased with the same key. */
  peekWithoutSecrets(sharedKey: string): Pick<SharedConnection, "connection" | "credentialSource"> | undefined {
    return [...this.#connections.values()].find(({ sharedKeys }) => sharedKeys.has(sharedKey));
  }

  /** Stops the connections of a client that has ended. Connections that several clients share stay open. */
  async forgetClient(client: string): Promise<void> {
    await Promise.all([...this.#connections.values()].map(async ({ clients }) => clients?.forget(client)));
  }

  /** Stops the connections of all clients of a principal. */
  async forgetPrincipal(principal: string): Promise<void> {
    await Promise.all([...this.#connections.values()].map(async ({ clients }) => clients?.forgetPrincipal(principal)));
  }

  async #release(
    key: string,
    shared: SharedConnection,
    onChanged: OnChanged,
    { linger = false, drain }: ReleaseOptions,
  ): Promise<void> {
    const { connection, listeners } = shared;
    const isLastLease = listeners.size === 1 && listeners.has(onChanged) && !shared.lingering;
    if (!isLastLease) {
      // Releasing a lease twice must not remove the listener that a lingering connection keeps.
      if (shared.lingering?.lastListener !== onChanged) {
        listeners.delete(onChanged);
        updateSettings(shared, onChanged, undefined);
      }
      return;
    }
    const { lingerMs } = this.#ports;
    // If the server may still work on a cancelled call, it does not linger: stopping it ends that work.
    const isUnused = connection.state.phase === "ready" && !connection.session?.mayBeBusy;
    if (linger && lingerMs !== undefined && isUnused) this.#linger(key, shared, onChanged, lingerMs);
    else await this.#close(key, shared, drain);
  }

  #linger(key: string, shared: SharedConnection, lastListener: OnChanged, lingerMs: number): void {
    const { connection, listeners } = shared;
    const close = () => void this.#close(key, shared);
    // A server that ends meanwhile is not restarted, because nobody uses it.
    const closeUnlessReady = () => connection.state.phase !== "ready" && close();
    const cancelTimer = this.#ports.clock.after(lingerMs, close, { background: true });
    listeners.add(closeUnlessReady);
    const end = () => {
      cancelTimer();
      listeners.delete(closeUnlessReady);
    };
    shared.lingering = { lastListener, end };
  }

  async #close(key: string, shared: SharedConnection, drain?: AbortSignal): Promise<void> {
    const { connection, listeners, clients, unsubscribeCredentials } = shared;
    shared.lingering?.end();
    shared.lingering = undefined;
    if (this.#connections.get(key) === shared) this.#connections.delete(key);
    unsubscribeCredentials();
    if (drain) {
      const limits = { signal: drain, timeoutMs: DRAIN_MS };
      await Promise.all([connection.whenUnused(limits), clients?.whenUnused(limits)]);
    }
    // The last listener still receives the final state, so it is removed afterwards.
    await Promise.all([connection.stop(), clients?.stop()]);
    listeners.clear();
  }

  #create(key: string, spec: LeaseSpec): SharedConnection {
    const listeners: SharedConnection["listeners"] = new Set();
    const opened = this.#open(key, spec, (part) => listeners.forEach((listener) => listener(part)));
    const { credentialSource } = spec;
    const shared: SharedConnection = {
      ...opened,
      listeners,
      credentialSource,
      sharedKeys: new Set(),
      settings: new Map(),
    };
    this.#connections.set(key, shared);
    return shared;
  }

  #createClients(key: string, spec: LeaseSpec, shared: SharedConnection): UnsharedConnections {
    const { roots } = spec.clientCapabilities ?? {};
    const openForClient = (ownRoots: () => readonly Root[] | undefined) => {
      const clientCapabilities = { ...spec.clientCapabilities, ...(roots && { roots: () => ownRoots() ?? roots() }) };
      const settings = settingsOfClients(combineSettings([...shared.settings.values()]) ?? spec.settings);
      return this.#open(key, { ...spec, settings, clientCapabilities }, () => {});
    };
    return new UnsharedConnections(spec.server, shared.connection, openForClient, this.#ports.clock);
  }

  #open(key: string, spec: LeaseSpec, onChanged: OnChanged): UnsharedConnection {
    const { processes, clock, identity, catalogs, unattributedRequestHandler, outputRecorder } = this.#ports;
    const { server, target, maxMessageBytes, credentialSource } = spec;
    const limits = { ...this.#ports.limits, ...(maxMessageBytes !== undefined && { maxMessageBytes }) };
    const secrets = target.transport === "in-process" ? [] : targetSecrets(target);
    const redactor = credentialSource ? liveRedactor(secrets, credentialSource) : createRedactor(secrets);
    const observer = new ConnectionObserver(server, this.#ports);
    const options: ConnectionOptions = {
      ...spec.settings,
      server,
      target,
      onlyEra: spec.onlyEra,
      ...(spec.clientCapabilities && { clientCapabilities: spec.clientCapabilities }),
      processes,
      clock,
      identity,
      // The era belongs to the server, so all definitions with the same URL share it.
      eraStore: this.#eraStore("url" in target ? target.url : key),
      catalogStore: catalogs?.(key, spec.definitionHash),
      credentials: credentialSource,
      redactor,
      onOutput: outputRecorder?.(server, redactor),
      onUnattributedRequest: unattributedRequestHandler(spec),
      onChanged: (part) => {
        if (connection.state.phase === "ready") credentialSource?.markAccepted?.();
        observer.onState(connection.state);
        onChanged(part);
      },
    };
    const connection = new Connection(options, limits);
    const unsubscribe = credentialSource?.onChanged(() => {
      const { phase } = connection.state;
      // If the retry fails, the connection's state says so.
      if (phase === "auth_required" || phase === "error") connection.retry().catch(() => {});
    });
    return { connection, unsubscribeCredentials: unsubscribe ?? (() => {}) };
  }

  #eraStore(key: string): EraStore {
    return (
      this.#ports.eras?.(key) ?? {
        get: () => this.#eras.get(key),
        set: (era) => void (era ? this.#eras.set(key, era) : this.#eras.delete(key)),
        hasAskedWithoutCall: () => this.#asking.has(key),
        rememberAskedWithoutCall: () => void this.#asking.add(key),
      }
    );
  }
}

/** Sets or removes the settings of a lease. Then applies the combined settings to all connections. */
function updateSettings(shared: SharedConnection, lease: OnChanged, settings: ConnectionSettings | undefined): void {
  shared.settings.delete(lease);
  if (settings) shared.settings.set(lease, settings);
  const inEffect = combineSettings([...shared.settings.values()]);
  if (!inEffect) return;
  shared.connection.updateSettings(inEffect);
  shared.clients?.updateSettings(settingsOfClients(inEffect));
}

/** A client's own connection always closes after some time without use, even if the shared connection stays open. */
function settingsOfClients(settings: ConnectionSettings): ConnectionSettings {
  return { ...settings, idleStopMs: settings.idleStopMs || CLIENT_IDLE_MS };
}

/** Reports the restarts and the sessions of one connection. */
class ConnectionObserver {
  readonly #server: string;
  readonly #ports: Pick<ConnectionPoolPorts, "clock" | "onRestarted" | "onSessionEnded">;
  #restarts = 0;
  #readySince: number | undefined;

  constructor(server: string, ports: Pick<ConnectionPoolPorts, "clock" | "onRestarted" | "onSessionEnded">) {
    this.#server = server;
    this.#ports = ports;
  }

  onState({ restarts, phase }: Connection["state"]): void {
    const { clock, onRestarted, onSessionEnded } = this.#ports;
    if (restarts > this.#restarts) onRestarted?.(this.#server);
    this.#restarts = restarts;
    if (phase === "ready") {
      this.#readySince ??= steadyNow(clock);
    } else if (this.#readySince !== undefined) {
      onSessionEnded?.(this.#server, steadyNow(clock) - this.#readySince);
      this.#readySince = undefined;
    }
  }
}

/** Returns equal keys for definitions that can share a connection. */
export function definitionKey(definition: ConnectionKey): string {
  const { target, maxMessageBytes, share, onlyEra, capabilitiesKey = {}, credentialSource } = definition;
  return canonicalDigest({
    target,
    capabilities: capabilitiesKey,
    credentials: credentialSource?.key ?? "",
    ...(onlyEra && { protocol: onlyEra }),
    ...(maxMessageBytes !== undefined && { maxMessageBytes }),
    ...(share === "caller" && { share }),
  });
}
