/**
 * The TCP port of the running host. It serves one workspace to MCP clients, and stays open while a holder needs it: a
 * connected client, or the host itself.
 */
import { once } from "node:events";
import type { Server } from "node:http";
import type { AddressInfo } from "node:net";
import { canonicalJson, HostError } from "@plugboard/contracts";
import type { ConnectedClient, ListenAddress, PortInfo, WorkspaceSpec, Clock } from "@plugboard/contracts";
import { DEFAULT_PORT } from "@plugboard/config";
import type { Host } from "@plugboard/host/core";
import type { OpenWorkspace } from "@plugboard/host/workspace";
import { PortSettings } from "../http/port-settings.ts";
import { endpointHost } from "../http/serving-address.ts";
import { ServedGateways } from "./served-gateways.ts";
import type { ServedGatewaysOptions } from "./served-gateways.ts";
import type { AppSandbox } from "../page/app-sandbox.ts";
import type { LinkOrigins } from "../page/page-link.ts";
import type { PageLinkServer } from "../page/page-link-server.ts";
import type { DrainingHttpServer } from "../http/draining-http-server.ts";
import { stopServing } from "../http/stop-serving.ts";
import type { ServingParts } from "../http/stop-serving.ts";

export interface GatewayPortOptions {
  readonly host: Pick<Host, "open" | "openForPrincipal" | "release">;
  readonly clock: Clock;
  readonly makeGateway: ServedGatewaysOptions["makeGateway"];
  /** The least time between two requests for the keys of an external token issuer. */
  readonly keyCooldownMs?: number | undefined;
  /** Called with the error of a new config that does not fit the address of the port. */
  readonly onConfigRefused: (error: HostError) => void;
  /** Makes the server that passes authenticated requests to the gateways. */
  readonly makeServer: (gateways: ServedGateways, served: ServedPort) => PortServers;
}

interface PortServers {
  readonly server: DrainingHttpServer;
  /** The sandbox of Apps. It listens on a port of its own, from the first use of the page on. */
  readonly sandbox: AppSandbox;
  /** The document that opens the page, on a port of its own. */
  readonly linkServer: PageLinkServer;
}

interface ServedPort {
  readonly spec: WorkspaceSpec;
  readonly settings: PortSettings;
}

export interface OpenPortOptions {
  /** 0 chooses a free port. By default the port that is already open, or 7431. */
  readonly port?: number | undefined;
  /** Where to listen. By default the address that is already open, or 127.0.0.1. */
  readonly address?: ListenAddress | undefined;
  /** Keeps the port open until `release` is called with the same object. By default it is open until the host stops. */
  readonly holder?: object | undefined;
}

interface OpenPort extends PortServers {
  readonly endpoint: string;
  readonly port: number;
  readonly address: ListenAddress;
  readonly spec: Omit<WorkspaceSpec, "env">;
  readonly workspace: OpenWorkspace;
  readonly settings: PortSettings;
  readonly gateways: ServedGateways;
  readonly holders: Set<object>;
}

export class GatewayPort {
  readonly #options: GatewayPortOptions;
  /** The holder of a port that stays open until the host stops. */
  readonly #permanentHolder = {};
  #open: OpenPort | undefined;
  /** Ends when the last change is done. Changes run one after another. */
  #changes: Promise<unknown> = Promise.resolve();

  constructor(options: GatewayPortOptions) {
    this.#options = options;
  }

  get info(): PortInfo | undefined {
    if (!this.#open) return undefined;
    const { endpoint, port, address, spec, holders } = this.#open;
    return { endpoint, port, ...address, spec, kept: holders.has(this.#permanentHolder) };
  }

  /** The origin of the sandbox of Apps. Undefined without an open port. */
  get sandboxOrigin(): Promise<string> | undefined {
    return this.#open?.sandbox.origin;
  }

  /** The origins of the links that open the page. Undefined without an open port. */
  get linkOrigins(): LinkOrigins | undefined {
    const link = this.#open?.linkServer.origin;
    return this.#open && link !== undefined ? { link, page: `http://127.0.0.1:${this.#open.port}` } : undefined;
  }

  /** The open sessions of legacy clients. */
  get sessions(): number {
    return this.#open?.gateways.httpSessions ?? 0;
  }

  /** The clients of the port. */
  get fronts(): readonly ConnectedClient[] {
    return this.#open?.gateways.fronts ?? [];
  }

  /** The number of tokens that clients of the port use. */
  get tokensInUse(): number {
    return new Set(this.fronts.map(({ token }) => token)).size;
  }

  /** The parts that a stopping host has to end. */
  get parts(): ServingParts {
    if (!this.#open) return NO_PARTS;
    return { listeners: listenersOf(this.#open), services: [this.#open.gateways] };
  }

  /** Opens the port, or adds a holder if it is open for the same workspace. Returns the workspace that it serves. */
  open(
    spec: WorkspaceSpec,
    { port, address, holder = this.#permanentHolder }: OpenPortOptions,
  ): Promise<OpenWorkspace> {
    return this.#inTurn(async () => {
      const { env: _, ...shown } = spec;
      if (this.#open && !isSame(this.#open, shown, { port, address })) {
        throw new HostError("HOST_SERVING", { endpoint: this.#open.endpoint, folder: this.#open.spec.cwd });
      }
      this.#open ??= await this.#listen(spec, { port, address });
      this.#open.holders.add(holder);
      return this.#open.workspace;
    });
  }

  /** Closes the port if this was its last holder. Pending requests get time to finish. */
  release(holder: object): Promise<void> {
    return this.#inTurn(async () => {
      const open = this.#open;
      if (!open?.holders.delete(holder) || open.holders.size > 0) return;
      const { clock, host } = this.#options;
      const parts = this.parts;
      this.#open = undefined;
      await stopServing(parts, { clock, forced: new AbortController().signal });
      open.settings.close();
      await open.gateways.release();
      await host.release(open.workspace);
    });
  }

  /** Closes the gateways of a principal whose token was revoked. */
  async releasePrincipal(principal: string): Promise<void> {
    await this.#open?.gateways.releasePrincipal(principal);
  }

  async #listen(spec: WorkspaceSpec, { port = DEFAULT_PORT, address = {} }: OpenPortOptions): Promise<OpenPort> {
    const { host, clock, keyCooldownMs, onConfigRefused: onRefused, makeGateway, makeServer } = this.#options;
    const workspace = await host.open(spec);
    const gateways = new ServedGateways({ host, clock, spec, workspace, makeGateway });
    let settings: PortSettings | undefined;
    let servers: PortServers | undefined;
    try {
      settings = new PortSettings({ workspace, address, clock, keyCooldownMs, onRefused });
      const { host: listenHost } = settings;
      servers = makeServer(gateways, { spec, settings });
      const { server, linkServer } = servers;
      await listenOnPort(server.server, port, listenHost);
      await linkServer.listen();
      const { port: actual } = server.server.address() as AddressInfo;
      const endpoint = `http://${endpointHost(listenHost)}:${actual}`;
      const { env: _, ...shown } = spec;
      return {
        endpoint,
        port: actual,
        address,
        spec: shown,
        workspace,
        settings,
        gateways,
        ...servers,
        holders: new Set(),
      };
    } catch (error) {
      settings?.close();
      const parts = { listeners: servers ? listenersOf(servers) : [], services: [gateways] };
      await stopServing(parts, { clock, forced: AbortSignal.abort() });
      await host.release(workspace);
      throw error;
    }
  }

  #inTurn<T>(change: () => Promise<T>): Promise<T> {
    const done = this.#changes.then(change);
    this.#changes = done.catch(() => {});
    return done;
  }
}

const NO_PARTS: ServingParts = { listeners: [], services: [] };

function listenersOf({ server, sandbox, linkServer }: PortServers): ServingParts["listeners"] {
  return [server, sandbox.server, linkServer.server];
}

function isSame(open: OpenPort, spec: OpenPort["spec"], { port, address = {} }: OpenPortOptions): boolean {
  if (port !== undefined && port !== 0 && port !== open.port) return false;
  const { host = open.address.host, publicUrl = open.address.publicUrl } = address;
  if (host !== open.address.host || publicUrl !== open.address.publicUrl) return false;
  return canonicalJson(withoutEmpty(spec)) === canonicalJson(withoutEmpty(open.spec));
}

/** An absent list of servers or files is the same as an empty one. */
function withoutEmpty(spec: OpenPort["spec"]): object {
  return Object.fromEntries(
    Object.entries(spec).filter(([, value]) => typeof value !== "object" || Object.keys(value).length > 0),
  );
}

async function listenOnPort(server: Server, port: number, host: string): Promise<void> {
  server.listen(port, host);
  try {
    await once(server, "listening");
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== "EADDRINUSE") throw error;
    throw new HostError("PORT_TAKEN", { port }, { cause: error });
  }
}
