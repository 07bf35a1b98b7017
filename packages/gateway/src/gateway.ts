/** A workspace offered to other agents: over HTTP, and to clients that launch a command. */
import type { IncomingMessage, ServerResponse } from "node:http";
import type { Duplex } from "node:stream";
import { HostError } from "@plugboard/contracts";
import type { Caller } from "@plugboard/contracts";
import { HttpFront, serveStdioFront } from "@plugboard/mcp/front";
import type { StdioFront } from "@plugboard/mcp/front";
import { FrontHandler } from "./front-handler.ts";
import type { FrontHandlerOptions } from "./front-handler.ts";

export interface GatewayOptions extends FrontHandlerOptions {
  /** How long a legacy call over HTTP goes on without anybody on its stream. */
  readonly resumeMs?: number;
}

export class Gateway {
  readonly #handler: FrontHandler;
  readonly #http: HttpFront;
  readonly #stdio = new Set<StdioFront>();

  constructor({ resumeMs, ...options }: GatewayOptions) {
    this.#handler = new FrontHandler(options);
    const { clock } = options;
    this.#http = new HttpFront({
      handler: this.#handler,
      ...(resumeMs !== undefined && { resumeMs }),
      ...(clock && { clock }),
    });
  }

  /** Whoever mounts this has checked who is calling. */
  handle(request: IncomingMessage, response: ServerResponse, principal: Caller): Promise<void> {
    return this.#http.handle(request, response, principal);
  }

  /** Serves one client on a byte stream until it ends. `through` lists the ids of the hosts that started the client. */
  async serve(stream: Duplex, caller: Caller, through: readonly string[] = []): Promise<void> {
    const front = serveStdioFront({ handler: this.#handler, caller, input: stream, output: stream, through });
    this.#stdio.add(front);
    await front.ended;
    this.#stdio.delete(front);
  }

  /** True while a client waits for an answer. */
  get busy(): boolean {
    return this.#http.busy || [...this.#stdio].some((front) => front.busy());
  }

  /** Cancels parked calls and answers pending requests with HOST_CLOSED. */
  close(): void {
    const because = new HostError("HOST_CLOSED", {});
    this.#http.close(because);
    for (const front of this.#stdio) front.close(because);
    this.#handler.close();
  }
}
