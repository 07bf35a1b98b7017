/**
 * The connections of a host. Equal definitions are one connection, however many
 * workspaces use it; the last one to let go closes it.
 */
import type { Era, JsonObject } from "@plugboard/contracts";
import { Connection } from "@plugboard/mcp";
import type { CatalogStore, ConnectionLimits, ConnectionOptions, Target } from "@plugboard/mcp";
import { secretsOf } from "../activity/secrets-of.ts";
import type { Access } from "../login/access.ts";
import { concealingNow } from "../login/conceal-now.ts";
import { definitionKey } from "./definition-key.ts";

export interface Lease {
  readonly connection: Connection;
  release(): Promise<void>;
}

export type PoolPorts = Pick<ConnectionOptions, "processes" | "clock" | "identity"> & {
  readonly limits?: Partial<ConnectionLimits>;
  /** Where catalogs outlive connections, by the key of the whole definition: what one login is offered is nothing to another. */
  readonly catalogs?: (key: string) => CatalogStore | undefined;
  /** Where eras outlive the host, by whatever an era belongs to. */
  readonly eras?: (of: string) => ConnectionOptions["eras"] | undefined;
  readonly strayAsk: (server: string) => ConnectionOptions["onStrayAsk"];
  /** Told when a server is begun again by itself. */
  readonly onRestarted?: (server: string) => void;
};

type FromDefinition =
  | "startupTimeoutMs"
  | "requestTimeoutMs"
  | "healthIntervalMs"
  | "start"
  | "idleStopMs"
  | "retry"
  | "lends";

export type LeaseSpec = Pick<ConnectionOptions, "server" | FromDefinition> & {
  readonly target: Target;
  readonly maxMessageBytes?: number | undefined;
  /** What makes what it is lent another thing than what its like is lent elsewhere. */
  readonly lent?: JsonObject | undefined;
  /** How its requests come by what they are sent with. */
  readonly access?: Access | undefined;
  readonly onChanged: ConnectionOptions["onChanged"];
};

interface Shared {
  readonly connection: Connection;
  readonly listeners: Set<ConnectionOptions["onChanged"]>;
  readonly leaveAccess: () => void;
}

export class Pool {
  readonly #ports: PoolPorts;
  readonly #shared = new Map<string, Shared>();
  readonly #eras = new Map<string, Era>();

  constructor(ports: PoolPorts) {
    this.#ports = ports;
  }

  lease({ onChanged, ...spec }: LeaseSpec): Lease {
    const key = definitionKey(spec.target, spec.lent, spec.access?.key);
    const shared = this.#shared.get(key) ?? this.#make(key, spec);
    shared.listeners.add(onChanged);
    return {
      connection: shared.connection,
      release: async () => {
        if (shared.listeners.size > 1 || !shared.listeners.has(onChanged))
          return void shared.listeners.delete(onChanged);
        if (this.#shared.get(key) === shared) this.#shared.delete(key);
        // The last to let go still hears that it has stopped.
        shared.leaveAccess();
        await shared.connection.stop();
        shared.listeners.delete(onChanged);
      },
    };
  }

  /** The connection of an equal definition, if somebody has one. */
  peek(target: Target, lent?: JsonObject, access?: Access): Connection | undefined {
    return this.#shared.get(definitionKey(target, lent, access?.key))?.connection;
  }

  #make(key: string, { maxMessageBytes, access, ...spec }: Omit<LeaseSpec, "onChanged">): Shared {
    const { processes, clock, identity, catalogs, strayAsk, onRestarted } = this.#ports;
    const limits = { ...this.#ports.limits, ...(maxMessageBytes !== undefined && { maxMessageBytes }) };
    const listeners: Shared["listeners"] = new Set();
    // An era belongs to the server: where it has a URL that is it, whatever else the definition says.
    const eraKey = "url" in spec.target ? spec.target.url : key;
    const options: ConnectionOptions = {
      ...spec,
      processes,
      clock,
      identity,
      eras: this.#ports.eras?.(eraKey) ?? {
        get: () => this.#eras.get(eraKey),
        set: (era) => void (era ? this.#eras.set(eraKey, era) : this.#eras.delete(eraKey)),
      },
      catalogs: catalogs?.(key),
      ...(access && { credentials: access }),
      conceal: concealingNow(secretsOf(spec.target), access),
      onStrayAsk: strayAsk(spec.server),
      onChanged: (what) => {
        const { restarts: now, phase } = shared.connection.state;
        if (phase === "ready") access?.accepted?.();
        if (now > restarts) onRestarted?.(spec.server);
        restarts = now;
        listeners.forEach((listener) => listener(what));
      },
    };
    let restarts = 0;
    const connection = new Connection(options, limits);
    const leaveAccess = access?.onChanged(() => {
      // What comes of it, its state says.
      const { phase } = connection.state;
      if (phase === "auth_required" || phase === "error") connection.retry().catch(() => {});
    });
    const shared = { listeners, connection, leaveAccess: leaveAccess ?? (() => {}) };
    this.#shared.set(key, shared);
    return shared;
  }
}
