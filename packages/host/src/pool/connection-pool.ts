/**
 * The connections of a host. Equal definitions are one connection, however many
 * workspaces use it; the last one to let go closes it.
 */
import type { Era, JsonObject } from "@plugboard/contracts";
import { Connection } from "@plugboard/mcp";
import type { CatalogStore, ConnectionLimits, ConnectionOptions, Target } from "@plugboard/mcp";
import { targetSecrets } from "../redaction/target-secrets.ts";
import type { CredentialSource } from "../auth/credentials/credential-source.ts";
import { liveRedactor } from "../redaction/live-redactor.ts";
import { definitionKey } from "./definition-key.ts";

export interface Lease {
  readonly connection: Connection;
  release(): Promise<void>;
}

export type ConnectionPoolPorts = Pick<ConnectionOptions, "processes" | "clock" | "identity"> & {
  readonly limits?: Partial<ConnectionLimits>;
  /** Where catalogs outlive connections, by the key of the whole definition: what one login is offered is nothing to another. */
  readonly catalogs?: (key: string) => CatalogStore | undefined;
  /** Where eras outlive the host, by whatever an era belongs to. */
  readonly eras?: (of: string) => ConnectionOptions["eraStore"] | undefined;
  readonly unattributedRequestHandler: (server: string) => ConnectionOptions["onUnattributedRequest"];
  /** Told when a server is begun again by itself. */
  readonly onRestarted?: (server: string) => void;
};

type DefinitionOption =
  | "startupTimeoutMs"
  | "requestTimeoutMs"
  | "healthIntervalMs"
  | "start"
  | "idleStopMs"
  | "retry"
  | "clientCapabilities";

export type LeaseSpec = Pick<ConnectionOptions, "server" | DefinitionOption> & {
  readonly target: Target;
  readonly maxMessageBytes?: number | undefined;
  /** What makes what it is lent another thing than what its like is lent elsewhere. */
  readonly capabilitiesKey?: JsonObject | undefined;
  /** How its requests come by what they are sent with. */
  readonly credentialSource?: CredentialSource | undefined;
  readonly onChanged: ConnectionOptions["onChanged"];
};

interface SharedConnection {
  readonly connection: Connection;
  readonly listeners: Set<ConnectionOptions["onChanged"]>;
  readonly leaveAccess: () => void;
}

export class ConnectionPool {
  readonly #ports: ConnectionPoolPorts;
  readonly #connections = new Map<string, SharedConnection>();
  readonly #eras = new Map<string, Era>();

  constructor(ports: ConnectionPoolPorts) {
    this.#ports = ports;
  }

  lease({ onChanged, ...spec }: LeaseSpec): Lease {
    const key = definitionKey(spec.target, spec.capabilitiesKey, spec.credentialSource?.key);
    const shared = this.#connections.get(key) ?? this.#create(key, spec);
    shared.listeners.add(onChanged);
    return {
      connection: shared.connection,
      release: async () => {
        if (shared.listeners.size > 1 || !shared.listeners.has(onChanged))
          return void shared.listeners.delete(onChanged);
        if (this.#connections.get(key) === shared) this.#connections.delete(key);
        // The last to let go still hears that it has stopped.
        shared.leaveAccess();
        await shared.connection.stop();
        shared.listeners.delete(onChanged);
      },
    };
  }

  /** The connection of an equal definition, if somebody has one. */
  peek(target: Target, capabilitiesKey?: JsonObject, credentialSource?: CredentialSource): Connection | undefined {
    return this.#connections.get(definitionKey(target, capabilitiesKey, credentialSource?.key))?.connection;
  }

  #create(key: string, { maxMessageBytes, credentialSource, ...spec }: Omit<LeaseSpec, "onChanged">): SharedConnection {
    const { processes, clock, identity, catalogs, unattributedRequestHandler, onRestarted } = this.#ports;
    const limits = { ...this.#ports.limits, ...(maxMessageBytes !== undefined && { maxMessageBytes }) };
    const listeners: SharedConnection["listeners"] = new Set();
    // An era belongs to the server: where it has a URL that is it, whatever else the definition says.
    const eraKey = "url" in spec.target ? spec.target.url : key;
    const options: ConnectionOptions = {
      ...spec,
      processes,
      clock,
      identity,
      eraStore: this.#ports.eras?.(eraKey) ?? {
        get: () => this.#eras.get(eraKey),
        set: (era) => void (era ? this.#eras.set(eraKey, era) : this.#eras.delete(eraKey)),
      },
      catalogStore: catalogs?.(key),
      ...(credentialSource && { credentials: credentialSource }),
      redactor: liveRedactor(targetSecrets(spec.target), credentialSource),
      onUnattributedRequest: unattributedRequestHandler(spec.server),
      onChanged: (what) => {
        const { restarts: now, phase } = shared.connection.state;
        if (phase === "ready") credentialSource?.markAccepted?.();
        if (now > restarts) onRestarted?.(spec.server);
        restarts = now;
        listeners.forEach((listener) => listener(what));
      },
    };
    let restarts = 0;
    const connection = new Connection(options, limits);
    const leaveAccess = credentialSource?.onChanged(() => {
      // What comes of it, its state says.
      const { phase } = connection.state;
      if (phase === "auth_required" || phase === "error") connection.retry().catch(() => {});
    });
    const shared = { listeners, connection, leaveAccess: leaveAccess ?? (() => {}) };
    this.#connections.set(key, shared);
    return shared;
  }
}
