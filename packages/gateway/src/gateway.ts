/** Serves one workspace to MCP clients, over HTTP and over byte streams of `plugboard stdio`. */
import type { IncomingMessage, ServerResponse } from "node:http";
import type { Duplex } from "node:stream";
import { HostError, steadyNow, systemClock } from "@plugboard/contracts";
import type { Caller, ConnectedClient, Principal } from "@plugboard/contracts";
import { HttpFront, serveStdioFront } from "@plugboard/mcp/server-transport";
import type { ArrivingBodies, HttpSessions, StdioFront } from "@plugboard/mcp/server-transport";
import { ConnectedFronts } from "./fronts/connected-fronts.ts";
import { FrontHandler } from "./fronts/front-handler.ts";
import type { FrontHandlerOptions } from "./fronts/front-handler.ts";

export interface GatewayOptions extends Omit<FrontHandlerOptions, "fronts"> {
  /** How long a legacy HTTP call continues after its client has disconnected. */
  readonly resumeMs?: number;
  /** The sessions of legacy HTTP clients, if several gateways share their limits. */
  readonly sessions?: HttpSessions;
  /** The limit of one HTTP request body. */
  readonly maxMessageBytes?: number;
  /** Limits the request bodies of each principal, if several gateways share the limit. */
  readonly arrivingBodies?: ArrivingBodies;
  /**
   * Registers a listener for the ids of principals whose token was revoked. Returns a function that removes the
   * listener.
   */
  readonly onRevoked?: (listener: (principal: string) => void) => () => void;
  /** Called when the session of a legacy HTTP client has ended. */
  readonly onSessionEnded?: (caller: Caller) => void;
  /** Called when clients have connected, disconnected or said their names. */
  readonly onClientsChanged?: () => void;
}

export class Gateway {
  readonly #handler: FrontHandler;
  readonly #http: HttpFront;
  readonly #stdioFronts = new Set<StdioFront>();
  readonly #fronts: ConnectedFronts;
  readonly #stopListening: () => void;
  readonly #telemetry: GatewayOptions["telemetry"];
  readonly #now: () => number;

  constructor({
    resumeMs,
    sessions,
    maxMessageBytes,
    arrivingBodies,
    onRevoked = () => () => {},
    ...options
  }: GatewayOptions) {
    const { clock, telemetry, profile, onClientsChanged: onChange, onSessionEnded } = options;
    this.#fronts = new ConnectedFronts({ clock: clock ?? systemClock, profile, onChange });
    this.#handler = new FrontHandler({ ...options, fronts: this.#fronts });
    this.#telemetry = telemetry;
    this.#now = () => steadyNow(clock ?? systemClock);
    this.#http = new HttpFront({
      handler: this.#handler,
      ...(resumeMs !== undefined && { resumeWindowMs: resumeMs }),
      ...(clock && { clock }),
      ...(sessions && { sessions }),
      ...(maxMessageBytes !== undefined && { maxMessageBytes }),
      ...(arrivingBodies && { arrivingBodies }),
      onSessionEnded: ({ id, revision, durationMs }) => {
        this.#fronts.remove(id);
        onSessionEnded?.({ kind: "front", id });
        telemetry?.recordSession({ side: "server", revision, transport: "tcp" }, durationMs);
      },
    });
    this.#stopListening = onRevoked((principal) => this.closePrincipal(principal, new HostError("UNAUTHORIZED", {})));
  }

  /** Handles an authenticated HTTP request. */
  async handle(request: IncomingMessage, response: ServerResponse, principal: Principal): Promise<void> {
    // The client has already disconnected. The response does not emit `close` again, so nothing would end the request.
    if (response.destroyed) return;
    return this.#http.handle(request, response, principal);
  }

  /** Ends the sessions and parked calls of a principal. Its pending requests get the error. */
  closePrincipal(principal: string, error: HostError): void {
    this.#http.closePrincipal(principal, error);
    this.#handler.forgetPrincipal(principal);
    this.#fronts.removePrincipal(principal);
  }

  /**
   * Serves one client on a byte stream until it ends. `hostChain` lists the ids of the hosts that started the client.
   */
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
    const disconnect = this.#fronts.connect(caller);
    await front.ended;
    disconnect();
    this.#telemetry?.recordSession({ side: "server", transport: "pipe" }, this.#now() - startedAt);
    this.#stdioFronts.delete(front);
  }

  /** True while a client waits for a response. */
  get busy(): boolean {
    return this.#http.busy || [...this.#stdioFronts].some((front) => front.busy());
  }

  /** The number of open sessions of legacy HTTP clients. */
  get httpSessions(): number {
    return this.#http.sessions;
  }

  /** The connected clients, and those that used HTTP a short while ago. */
  get fronts(): readonly ConnectedClient[] {
    return this.#fronts.list;
  }

  /** Cancels parked calls and answers pending requests with HOST_CLOSED. */
  close(): void {
    const reason = new HostError("HOST_CLOSED", {});
    this.#stopListening();
    this.#http.close(reason);
    for (const front of this.#stdioFronts) front.close(reason);
    this.#handler.close();
    this.#fronts.close();
  }
}
