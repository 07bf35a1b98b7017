/**
 * The running host: one process per user, with one host and its gateway. Commands and `plugboard stdio` reach it over
 * the user's socket; MCP clients and the page reach it over an optional TCP port. `startDaemon` puts the parts
 * together.
 */
import { randomUUID } from "node:crypto";
import type { IncomingMessage, ServerResponse } from "node:http";
import { join } from "node:path";
import { APP_MIME_TYPE, APPS_EXTENSION, OWNER, toHostError, systemClock } from "@plugboard/contracts";
import type {
  CallerKind,
  CallerOptions,
  HostApi,
  HostStarter,
  ListenAddress,
  PageLink,
  Workspace,
  WorkspaceSpec,
  Clock,
} from "@plugboard/contracts";
import { Gateway } from "@plugboard/gateway";
import { ArrivingBodies, HttpSessions } from "@plugboard/mcp/server-transport";
import type { GatewayOptions } from "@plugboard/gateway";
import { toPrometheus, VERSION } from "@plugboard/host";
import { createBareHost } from "@plugboard/host/core";
import { canonicalDigest, FileEntryStore, socketPath, stateFolder, userKeyRing } from "@plugboard/store";
import type { HostOptions } from "@plugboard/host/core";
import type { OpenWorkspace } from "@plugboard/host/workspace";
import { Authenticator } from "./auth/authenticator.ts";
import { ownerToken } from "@plugboard/host/tokens";
import { RevokedLogins } from "./auth/revoked-logins.ts";
import { TokenTable } from "./auth/token-table.ts";
import { loadChats } from "./chats/index.ts";
import { Channels } from "./control/channels.ts";
import { ControlApi } from "./control/control-api.ts";
import { portDoors, SOCKET_DOOR } from "./control/door.ts";
import { checkSocketOrigin } from "./http/check-origin.ts";
import { FailedSignIns } from "./http/failed-sign-ins.ts";
import { PortRequests } from "./http/port-requests.ts";
import { ROUTES } from "./http/routes.ts";
import { limitConnections } from "./http/limit-connections.ts";
import { OpenRequests } from "./http/open-requests.ts";
import { UnreadHttpResponses } from "./http/unread-http-responses.ts";
import { DrainingHttpServer, connectionLimit } from "./http/draining-http-server.ts";
import { GatewayPort } from "./lifecycle/gateway-port.ts";
import { HostController } from "./control/host-controller.ts";
import { HostShutdown } from "./lifecycle/host-shutdown.ts";
import { watchIdle, watchSocket } from "./lifecycle/lifetime.ts";
import { listenOnSocket } from "./lifecycle/listen-on-socket.ts";
import type { SocketClaim } from "./lifecycle/listen-on-socket.ts";
import { removePidFile, writePidFile } from "./lifecycle/pid-file.ts";
import { operationsLoader } from "./control/load-operations.ts";
import { AppSandbox } from "./page/app-sandbox.ts";
import { PageRequests } from "./page/page-requests.ts";
import { PageLinkServer } from "./page/page-link-server.ts";
import { PageFiles } from "./page/page-files.ts";
import { pageLink } from "./page/page-link.ts";
import { PageSessions } from "./page/page-sessions.ts";
import { startOtlpExport } from "./otlp/start-otlp-export.ts";
import { StdioUpgrades } from "./control/stdio-upgrades.ts";

export interface DaemonOptions extends HostOptions {
  /** The workspace that the port serves. Without it, the host opens no workspace until a client asks for it. */
  readonly spec?: WorkspaceSpec;
  /** The TCP port, if there is a `spec`. 0 chooses a free port. By default the port opens when a client asks for it. */
  readonly port?: number | undefined;
  readonly gateway?: Pick<GatewayOptions, "parking" | "resumeMs" | "sessions">;
  /** Stops the host after this time in which no client was connected, no chat was open and no port was open. */
  readonly exitWhenIdleMs?: number | undefined;
  /** What started the host. By default `serve`. */
  readonly startedBy?: HostStarter;
  /** Identifies the files that the host runs. */
  readonly build?: string | undefined;
  /** The script that starts `plugboard`, for the config files of other clients. By default the running script. */
  readonly script?: string;
  /** Where the port listens. By default 127.0.0.1. */
  readonly address?: ListenAddress;
  /** The least time between two requests for the keys of an external token issuer. */
  readonly keyCooldownMs?: number;
  readonly clock?: Clock;
}

export interface Daemon {
  /** The base URL for MCP clients. Undefined without a port. */
  readonly endpoint: string | undefined;
  /** The workspace that the port serves. */
  readonly workspace: Workspace;
  /** Yields the host's events. */
  readonly events: HostApi["events"];
  /** The number of channels, plus the number of tokens that clients of the port use. */
  readonly clients: number;
  /** Resolves when the host has stopped. */
  readonly ended: Promise<void>;
  /** Returns the host for a caller in this process. */
  connect(kind: CallerKind, options?: CallerOptions): HostApi;
  /** Returns a link that opens the page and signs it in. The link works once. */
  openPage(): PageLink;
  stop(): Promise<void>;
}

const IDENTITY = { name: "plugboard", version: VERSION };
/** How long an unused connection to a server stays open, so that consecutive commands share it. */
const LINGER_MS = 60_000;

export function startDaemon(options: DaemonOptions & { readonly spec: WorkspaceSpec }): Promise<Daemon>;
export function startDaemon(options: DaemonOptions): Promise<Omit<Daemon, "workspace">>;
export async function startDaemon(options: DaemonOptions): Promise<Omit<Daemon, "workspace"> & Partial<Daemon>> {
  const { spec, port: portNumber, address, exitWhenIdleMs, startedBy = "serve", build, script: _, ...rest } = options;
  const { clock = systemClock, gateway: gatewayOptions = {}, keyCooldownMs, ...hostOptions } = rest;
  const env = options.env ?? process.env;
  const owner = await ownerToken(env);
  const host = await createBareHost({
    lingerMs: LINGER_MS,
    chats: loadChats,
    ...hostOptions,
    forwardsSampling: true,
    extensions: { [APPS_EXTENSION]: { mimeTypes: [APP_MIME_TYPE] } },
  });
  void host.deleteExpiredOutputs();
  const tokens = new TokenTable({
    env,
    onUnreadable: (error) => host.events.emit({ type: "state.failed", error: toHostError(error).toJSON() }),
  });
  tokens.onRevoked((principal) => void host.forgetPrincipal(principal));
  const exporter = startOtlpExport(host, { env, clock });
  const auth = new Authenticator({ ownerToken: owner, tokens });
  const channels = new Channels(host);
  const sessions = new HttpSessions(clock);
  const arrivingBodies = new ArrivingBodies({ unlimited: OWNER.id });
  const entries = new FileEntryStore(join(stateFolder(env), "entries"), { clock });
  const keys = userKeyRing(env, clock);
  const revokedLogins = new RevokedLogins({ env, host });
  const makeGateway = (workspace: OpenWorkspace, profile?: string) => {
    if (workspace.principal !== undefined) revokedLogins.deleteOnce();
    return new Gateway({
      workspace,
      profile,
      outputs: host.outputs,
      identity: { ...IDENTITY, ids: host.ids },
      onRevoked: (listener) => tokens.onRevoked(listener),
      onSessionEnded: (caller) => void host.endCaller(caller),
      onClientsChanged: () => host.events.emit({ type: "clients.changed" }),
      telemetry: host.telemetry,
      sessions,
      maxMessageBytes: ROUTES.mcp.body.maxBytes,
      arrivingBodies,
      clock,
      states: { entries, keys, scope: canonicalDigest([workspace.spec, profile ?? null]) },
      ...gatewayOptions,
    });
  };
  const pageSessions = new PageSessions({ clock });
  const [pageFiles, sandboxFiles] = [new PageFiles("page"), new PageFiles("sandbox")];
  const stdio = new StdioUpgrades(channels, SOCKET_DOOR, makeGateway);
  const maxConnections = await connectionLimit();
  const port = new GatewayPort({
    host,
    clock,
    keyCooldownMs,
    onConfigRefused: (error) => host.events.emit({ type: "config.failed", error: error.toJSON() }),
    makeGateway,
    makeServer: (gateways, { spec: served, settings }) => {
      const doors = portDoors(served);
      const failedSignIns = new FailedSignIns(clock);
      const pagePort = () => port.info!.port;
      const linkOrigin = () => linkServer.origin;
      const sandbox = new AppSandbox({ files: sandboxFiles, pagePort, linkOrigin });
      const linkServer = new PageLinkServer({ pagePort, sandbox, sessions: pageSessions, failedSignIns, clock });
      const openRequests = new OpenRequests(Math.floor(maxConnections / 4));
      const onAuthenticated = (response: ServerResponse) => keepConnection(response);
      const requests = new PortRequests({
        auth,
        settings,
        failedSignIns,
        openRequests,
        unreadResponses: new UnreadHttpResponses(),
        onAuthenticated,
        gatewayFor: (profile, access) => gateways.find(profile, access),
        control: (request, response) => control.handle(request, response, doors.token),
        page: new PageRequests({
          files: pageFiles,
          sandbox,
          linkServer,
          sessions: pageSessions,
          failedSignIns,
          clock,
          onAuthenticated,
          control: (request, response) => control.handle(request, response, doors.page),
        }),
        linkOrigin,
        metrics: () => toPrometheus(host.metrics.snapshot()),
      });
      const server = new DrainingHttpServer((request, response) => requests.handle(request, response));
      const keepConnection = limitConnections(server.server, maxConnections, (limit) => openRequests.giveWay(limit));
      return { server, sandbox, linkServer };
    },
  });
  tokens.onRevoked((principal) => void port.releasePrincipal(principal).then(() => revokedLogins.delete()));
  let socketClaim: SocketClaim | undefined;
  const shutdown = new HostShutdown({
    clock,
    releaseSocket: async () => {
      if (socketClaim) await removePidFile(env);
      await socketClaim?.release();
    },
    parts: () => ({
      listeners: [socketServer, stdio, ...port.parts.listeners],
      services: [control, stdio, ...port.parts.services],
    }),
    closeHost: async () => {
      tokens.close();
      await host.close();
      await exporter?.close();
    },
  });
  const { stop, stopping, ended } = shutdown;
  const facts = { pid: process.pid, version: VERSION, startedAt: clock.now(), startedBy, ...(build && { build }) };
  const openPage = () => pageLink(port.linkOrigins, pageSessions);
  const controller = new HostController({ facts, host, port, channels, stdio, openPage, stop });
  const { failedCalls } = host;
  const running = {
    info: () => controller.info(),
    sandboxOrigin: async () => port.sandboxOrigin,
    failedCalls,
    openSecrets: () => host.openSecrets(),
    openDecisions: () => host.openDecisions(),
  };
  const operations = operationsLoader(
    { openHost: async () => host, clock, newId: randomUUID, running, script: options.script ?? process.argv[1]! },
    env,
    () => spec ?? port.info?.spec,
  );
  const control = new ControlApi(channels, controller, operations);
  const socketServer = makeSocketServer(control, stdio, maxConnections);
  let served: OpenWorkspace | undefined;
  try {
    socketClaim = await listenOnSocket(socketServer.server, socketPath(env));
    await writePidFile(env);
    if (spec)
      served = await (portNumber === undefined ? host.open(spec) : port.open(spec, { port: portNumber, address }));
  } catch (error) {
    await stop();
    throw error;
  }
  const lifetime = { clock, stop, stopping };
  void watchSocket(socketClaim, lifetime);
  const isUsed = () => channels.takeUsed() || host.openChats > 0 || port.info !== undefined;
  if (exitWhenIdleMs !== undefined) watchIdle(exitWhenIdleMs, isUsed, lifetime);
  const program = host.as("program");
  return {
    get endpoint() {
      return port.info?.endpoint;
    },
    get clients() {
      return channels.size + port.tokensInUse;
    },
    ended,
    stop,
    ...(served && { workspace: host.bind(served, { kind: "program", id: "daemon" }) }),
    openPage,
    connect: (kind, callerOptions) => host.as(kind, callerOptions),
    events: (after, signal) => program.events(after, signal),
  };
}

function makeSocketServer(control: ControlApi, stdio: StdioUpgrades, maxConnections: number): DrainingHttpServer {
  const handle = async (request: IncomingMessage, response: ServerResponse) => {
    const error = checkSocketOrigin(request);
    if (error) throw error;
    await control.handle(request, response, SOCKET_DOOR);
  };
  const socketServer = new DrainingHttpServer(handle);
  socketServer.server.maxConnections = maxConnections;
  socketServer.server.on("upgrade", (request, stream, head) => void stdio.handle(request, stream, head));
  return socketServer;
}
