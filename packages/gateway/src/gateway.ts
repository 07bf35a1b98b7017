/** Serves one workspace to MCP clients, over HTTP and over byte streams of `plugboard stdio`. */
import type { IncomingMessage, ServerResponse } from "node:http";
import type { Duplex } from "node:stream";
import { HostError } from "@plugboard/contracts";
import type { Caller } from "@plugboard/contracts";
import { steadyNow, systemClock } from "@plugboard/mcp";
import { HttpFront, serveStdioFront } from "@plugboard/mcp/front";
import type { ArrivingBodies, HttpSessions, StdioFront } from "@plugboard/mcp/front";
import { FrontHandler } from "./fronts/front-handler.ts";
import type { FrontHandlerOptions } from "./fronts/front-handler.ts";
import { RecentClients } from "./fronts/recent-clients.ts";

export interface GatewayOptions extends Omit<FrontHandlerOptions, "onClient"> {
  /** How long a legacy HTTP call continues after its client has disconnected. */
  readonly resumeMs?: number;
  /** The sessions of legacy HTTP clients, if several gateways share their limits. */
  readonly sessions?: HttpSessions;
  /** Limits the request bodies of each principal, if several gateways share the limit. */
  readonly arrivingBodies?: ArrivingBodies;
  /** Registers a listener for principals whose token was revoked. Returns a function that removes the listener. */
  readonly onRevoked?: (listener: (principal: Caller) => void) => () => void;
}

/** Stands for a client that has not said its name. */
const UNNAMED = "unnamed";

export class Gateway {
  readonly #handler: FrontHandler;
  readonly #http: HttpFront;
  readonly #stdioFronts = new Set<StdioFront>();
  readonly #httpClients: RecentClients;
  /** By the id of the caller. */
  readonly #stdioNames = new Map<string, string>();
  readonly #stopListening: () => void;
  readonly #telemetry: GatewayOptions["telemetry"];
  readonly #now: () => number;

  constructor({ resumeMs, sessions, arrivingBodies, onRevoked = () => () => {}, ...options }: GatewayOptions) {
    const { clock, telemetry } = options;
    this.#httpClients = new RecentClients(clock ?? systemClock);
    this.#handler = new FrontHandler({ ...options, onClient: ({ id, client }) => this.#nameStdioClient(id, client) });
    this.#telemetry = telemetry;
    this.#now = () => steadyNow(clock ?? systemClock);
    this.#http = new HttpFront({
      handler: this.#handler,
      ...(resumeMs !== undefined && { resumeWindowMs: resumeMs }),
      ...(clock && { clock }),
      ...(sessions && { sessions }),
      ...(arrivingBodies && { arrivingBodies }),
      onSessionEnded: (revision, durationMs) =>
        telemetry?.recordSession({ side: "server", revision, transport: "tcp" }, durationMs),
    });
    this.#stopListening = onRevoked((principal) =>
      this.#http.closePrincipal(principal, new HostError("UNAUTHORIZED", {})),
    );
  }

  /** Handles an authenticated HTTP request. */
  async handle(request: IncomingMessage, response: ServerResponse, principal: Caller): Promise<void> {
    // The client has disconnected, so the response does not emit `close` again.
    if (response.destroyed) return;
    const end = this.#httpClients.begin(principal.id);
    response.once("close", () => end(request.method === "DELETE" && response.statusCode < 300));
    return this.#http.handle(request, response, principal);
  }

  /** Serves one client on a byte stream until it ends. `hostChain` lists the ids of the hosts that started the client. */
  async serve(stream: Duplex, caller: Caller, hostChain: readonly string[] = []): Promise<void> {
    const front = serveStdioFront({
      handler: this.#handler,
      caller,
      input: stream,
      output: stream,
      parentHostIds: hostChain,
    });
    this.#stdioFronts.add(front);
    const startedAt = this.#now();
    this.#stdioNames.set(caller.id, UNNAMED);
    await front.ended;
    this.#stdioNames.delete(caller.id);
    this.#telemetry?.recordSession({ side: "server", transport: "pipe" }, this.#now() - startedAt);
    this.#stdioFronts.delete(front);
  }

  #nameStdioClient(id: string, name: string | undefined): void {
    if (name !== undefined && this.#stdioNames.has(id)) this.#stdioNames.set(id, name);
  }

  /** True while a client waits for an answer. */
  get busy(): boolean {
    return this.#http.busy || [...this.#stdioFronts].some((front) => front.busy());
  }

  /** The number of open sessions of legacy HTTP clients. */
  get httpSessions(): number {
    return this.#http.sessions;
  }

  /** The names of the tokens of clients that use HTTP now or did so a short while ago. */
  get httpClients(): readonly string[] {
    return this.#httpClients.names;
  }

  /** The names that the clients of byte streams give themselves. */
  get stdioClients(): readonly string[] {
    return [...this.#stdioNames.values()];
  }

  /** Cancels parked calls and answers pending requests with HOST_CLOSED. */
  close(): void {
    const reason = new HostError("HOST_CLOSED", {});
    this.#stopListening();
    this.#http.close(reason);
    for (const front of this.#stdioFronts) front.close(reason);
    this.#handler.close();
  }
}
