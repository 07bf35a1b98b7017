/** Implements `HostControl` for the clients of the running host: information, the port, the page, and the stop. */
import type { HostControl, HostInfo, PageLink, PortInfo } from "@plugboard/contracts";
import type { Host } from "@plugboard/host/core";
import type { Channel, Channels } from "./channels.ts";
import { parseWorkspaceSpec } from "./parse-workspace-spec.ts";
import type { StdioUpgrades } from "./stdio-upgrades.ts";
import type { GatewayPort } from "../lifecycle/gateway-port.ts";

/** The information that never changes while the host runs. */
export type HostFacts = Pick<HostInfo, "pid" | "version" | "build" | "startedAt" | "startedBy">;

export interface HostControllerOptions {
  readonly facts: HostFacts;
  readonly host: Pick<Host, "openWorkspaces">;
  readonly port: GatewayPort;
  readonly channels: Channels;
  readonly stdio: StdioUpgrades;
  readonly openPage: () => PageLink;
  /** Begins to stop the host. A second call skips the waiting. */
  readonly stop: () => Promise<void>;
}

export class HostController {
  readonly #options: HostControllerOptions;

  constructor(options: HostControllerOptions) {
    this.#options = options;
  }

  get facts(): HostFacts {
    return this.#options.facts;
  }

  info(): HostInfo {
    const { facts, host, port } = this.#options;
    const clients = this.#countClients();
    return { ...facts, ...(port.info && { port: port.info }), clients, workspaces: host.openWorkspaces };
  }

  /** Returns the control for one client. The port that the client opens is closed when its channel ends. */
  forChannel(channel: Channel): HostControl {
    const { port, openPage, stop } = this.#options;
    return {
      info: async () => this.info(),
      listen: async (spec, { port: number, keep = false, ...address } = {}) => {
        const checked = parseWorkspaceSpec(spec, undefined);
        const workspace = await port.open(checked, { port: number, address, holder: keep ? undefined : channel });
        // Each server reports its failure as an event.
        void workspace.start().catch(() => {});
        if (!keep) await this.#releaseAfter(channel);
        return port.info!;
      },
      closePort: async (): Promise<PortInfo | undefined> => {
        await port.release(channel);
        return port.info;
      },
      openPage: async () => openPage(),
      stop: async ({ force = false } = {}) => {
        // Begins after the response has been sent.
        setImmediate(() => {
          void stop();
          if (force) void stop();
        });
      },
    };
  }

  async #releaseAfter(channel: Channel): Promise<void> {
    const { port } = this.#options;
    if (channel.closed.aborted) return port.release(channel);
    channel.closed.addEventListener("abort", () => void port.release(channel), { once: true });
  }

  #countClients(): HostInfo["clients"] {
    const { channels, stdio, port } = this.#options;
    // Each client of `plugboard stdio` has a channel, and so has the client that asks.
    return {
      stdio: stdio.size,
      http: port.tokensInUse,
      other: Math.max(0, channels.size - stdio.size - 1),
      sessions: port.sessions,
      connected: [...stdio.fronts, ...port.fronts].sort((a, b) => a.connectedAt - b.connectedAt),
    };
  }
}
