/** Runs one host and its gateway, and listens on the user's socket and on an optional TCP port. */
import type { IncomingMessage, Server } from "node:http";
import { once } from "node:events";
import type { AddressInfo } from "node:net";
import { HostError } from "@plugboard/contracts";
import type { HostApi, Workspace, WorkspaceSpec } from "@plugboard/contracts";
import { Gateway, systemClock } from "@plugboard/gateway";
import type { Clock, GatewayOptions } from "@plugboard/gateway";
import { VERSION } from "@plugboard/host";
import { createBareHost, ensureStateFolder, socketPath } from "@plugboard/host/internal";
import type { HostOptions, OpenWorkspace } from "@plugboard/host/internal";
import { Channels } from "./channels.ts";
import { DrainingHttpServer, connectionLimit } from "./draining-http-server.ts";
import { ControlApi } from "./control-api.ts";
import type { ControlPolicy } from "./control-api.ts";
import { checkTcpOrigin, checkSocketOrigin } from "./check-origin.ts";
import { watchIdle, watchSocketPath } from "./lifetime.ts";
import { listenOnSocket } from "./listen-on-socket.ts";
import type { SocketClaim } from "./listen-on-socket.ts";
import { sendJson } from "./send-json.ts";
import { StdioUpgrades } from "./stdio-upgrades.ts";
import { ownerToken, BearerAuth } from "./bearer-auth.ts";
import { stopServing } from "./stop-serving.ts";

export interface DaemonOptions extends HostOptions {
  /** The workspace that the gateway serves. */
  readonly spec: WorkspaceSpec;
  /** The TCP port. 0 chooses a free port; without it no port is opened. */
  readonly port?: number | undefined;
  readonly gateway?: Pick<GatewayOptions, "parking" | "resumeMs">;
  /** Stops the host when no client has been connected for this time. */
  readonly exitWhenIdleMs?: number | undefined;
  readonly clock?: Clock;
}

export interface Daemon {
  /** The base URL for MCP clients. Undefined without a port. */
  readonly endpoint: string | undefined;
  readonly workspace: Workspace;
  /** Yields the host's events. */
  readonly events: HostApi["events"];
  /** Resolves when the host has stopped. */
  readonly ended: Promise<void>;
  stop(): Promise<void>;
}

const IDENTITY = { name: "plugboard", version: VERSION };
/** Consecutive commands use the same connections. */
const LINGER_MS = 60_000;
const SOCKET_POLICY: ControlPolicy = { kinds: ["program", "cli", "chat"], mayAddServers: true };

export async function startDaemon(options: DaemonOptions): Promise<Daemon> {
  const { spec, port, exitWhenIdleMs, clock = systemClock, gateway: gatewayOptions = {}, ...hostOptions } = options;
  const env = options.env ?? process.env;
  // Every MCP client has the token, so clients of the port get fewer rights than clients of the socket.
  const tcpPolicy: ControlPolicy = { kinds: ["page"], mayAddServers: false, folder: spec.cwd };
  await ensureStateFolder(env);
  const auth = new BearerAuth(await ownerToken(env));
  const host = await createBareHost({ lingerMs: LINGER_MS, ...hostOptions, forwardsSampling: true });
  const channels = new Channels(host);
  const control = new ControlApi(channels);
  const servedWorkspace = await host.open(spec);
  // The only token is the owner's, and the owner may approve calls.
  const makeGateway = (workspace: OpenWorkspace) =>
    new Gateway({
      workspace,
      identity: { ...IDENTITY, ids: host.ids },
      mayApprove: () => true,
      clock,
      ...gatewayOptions,
    });
  const gateway = makeGateway(servedWorkspace);
  const stdio = new StdioUpgrades(channels, SOCKET_POLICY, makeGateway);
  const socketServer = makeSocketServer(control, stdio);
  const tcpServer = makeTcpServer({ auth, gateway, control, policy: tcpPolicy });
  const httpServers = [socketServer, tcpServer];
  const maxConnections = await connectionLimit();
  for (const { server } of httpServers) server.maxConnections = maxConnections;
  let resolveEnded = () => {};
  const ended = new Promise<void>((resolve) => (resolveEnded = resolve));
  const stopping = new AbortController();
  const forced = new AbortController();
  let stopped: Promise<void> | undefined;
  let socketClaim: SocketClaim | undefined;
  const stop = () => {
    // A second call stops at once, without waiting for pending requests.
    if (stopped) {
      forced.abort();
      void host.close();
    }
    stopping.abort();
    stopped ??= (async () => {
      await socketClaim?.release();
      await stopServing({ httpServers, stdio, services: [control, gateway, stdio] }, { clock, forced: forced.signal });
      await host.close();
      resolveEnded();
    })();
    return stopped;
  };
  try {
    socketClaim = await listenOnSocket(socketServer.server, socketPath(env));
    if (port !== undefined) await listenOnPort(tcpServer.server, port);
  } catch (error) {
    await stop();
    throw error;
  }
  const lifetime = { clock, stop, stopping: stopping.signal };
  watchSocketPath(socketClaim, lifetime);
  if (exitWhenIdleMs !== undefined) watchIdle(exitWhenIdleMs, () => channels.size > 0, lifetime);
  const endpoint =
    port === undefined ? undefined : `http://127.0.0.1:${(tcpServer.server.address() as AddressInfo).port}`;
  const workspace = host.bind(servedWorkspace, { kind: "program", id: "daemon" });
  const program = host.as("program");
  return { endpoint, ended, stop, workspace, events: (after, signal) => program.events(after, signal) };
}

function makeSocketServer(control: ControlApi, stdio: StdioUpgrades): DrainingHttpServer {
  const socketServer = new DrainingHttpServer(async (request, response) => {
    const error = checkSocketOrigin(originHeaders(request));
    if (error) throw error;
    await control.handle(request, response, SOCKET_POLICY);
  });
  socketServer.server.on("upgrade", (request, stream, head) => void stdio.handle(request, stream, head));
  return socketServer;
}

interface TcpServerParts {
  readonly auth: BearerAuth;
  readonly gateway: Gateway;
  readonly control: ControlApi;
  readonly policy: ControlPolicy;
}

function makeTcpServer({ auth, gateway, control, policy }: TcpServerParts): DrainingHttpServer {
  return new DrainingHttpServer(async (request, response) => {
    const error = checkTcpOrigin(originHeaders(request), request.socket.localPort!);
    if (error) throw error;
    const [pathname] = (request.url ?? "/").split("?", 1);
    if (pathname === "/healthz") return sendJson(response, { ok: true });
    const caller = auth.authenticate(request.headers.authorization);
    if (!caller) throw new HostError("UNAUTHORIZED", {});
    if (pathname === "/mcp") return gateway.handle(request, response, caller);
    return control.handle(request, response, policy);
  });
}

function originHeaders({ headers }: IncomingMessage) {
  return { host: headers.host, origin: headers.origin };
}

async function listenOnPort(server: Server, port: number): Promise<void> {
  server.listen(port, "127.0.0.1");
  try {
    await once(server, "listening");
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== "EADDRINUSE") throw error;
    throw new HostError("PORT_TAKEN", { port }, { cause: error });
  }
}
