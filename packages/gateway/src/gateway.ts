/** Serves one workspace to MCP clients, over HTTP and over byte streams of `plugboard stdio`. */
import type { IncomingMessage, ServerResponse } from "node:http";
import type { Duplex } from "node:stream";
import { HostError } from "@plugboard/contracts";
import type { Caller } from "@plugboard/contracts";
import { steadyNow, systemClock } from "@plugboard/mcp";
import { HttpFront, serveStdioFront } from "@plugboard/mcp/front";
import type { HttpSessions, StdioFront } from "@plugboard/mcp/front";
import { FrontHandler } from "./fronts/front-handler.ts";
import type { FrontHandlerOptions } from "./fronts/front-handler.ts";

export interface GatewayOptions extends FrontHandlerOptions {
  /** How long a legacy HTTP call continues after its client has disconnected. */
  readonly resumeMs?: number;
  /** The sessions of legacy HTTP clients, if several gateways share their limits. */
  readonly sessions?: HttpSessions;
  /** Registers a listener for principals whose token was revoked. Returns a function that removes the listener. */
  readonly onRevoked?: (listener: (principal: Caller) => void) => () => void;
}

export class Gateway {
  readonly #handler: FrontHandler;
  readonly #http: HttpFront;
  readonly #stdioFronts = new Set<StdioFront>();
  readonly #stopListening: () => void;
  readonly #telemetry: GatewayOptions["telemetry"];
  readonly #now: () => number;

  constructor({ resumeMs, sessions, onRevoked = () => () => {}, ...options }: GatewayOptions) {
    this.#handler = new FrontHandler(options);
    const { clock, telemetry } = options;
    this.#telemetry = telemetry;
    this.#now = () => steadyNow(clock ?? systemClock);
    this.#http = new HttpFront({
      handler: this.#handler,
      ...(resumeMs !== undefined && { resumeWindowMs: resumeMs }),
      ...(clock && { clock }),
      ...(sessions && { sessions }),
      onSessionEnded: (revision, durationMs) =>
        telemetry?.recordSession({ side: "server", revision, transport: "tcp" }, durationMs),
    });
    this.#stopListening = onRevoked((principal) =>
      this.#http.closePrincipal(principal, new HostError("UNAUTHORIZED", {})),
    );
  }

  /** Handles an authenticated HTTP request. */
  handle(request: IncomingMessage, response: ServerResponse, principal: Caller): Promise<void> {
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
    await front.ended;
    this.#telemetry?.recordSession({ side: "server", transport: "pipe" }, this.#now() - startedAt);
    this.#stdioFronts.delete(front);
  }

  /** True while a client waits for an answer. */
  get busy(): boolean {
    return this.#http.busy || [...this.#stdioFronts].some((front) => front.busy());
  }

  /** The number of open sessions of legacy HTTP clients. */
  get httpSessions(): number {
    return this.#http.sessions;
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
