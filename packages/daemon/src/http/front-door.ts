/**
 * Receives every request on the TCP port. Checks Host, Origin, the token and the limits before any other code sees the
 * request, then passes it to the gateway or to the control API.
 */
import type { IncomingMessage, ServerResponse } from "node:http";
import { HostError } from "@plugboard/contracts";
import type { Caller } from "@plugboard/contracts";
import type { Principal } from "../auth/principal.ts";
import { sendJson } from "../send-json.ts";
import { checkTcpOrigin } from "./check-origin.ts";
import type { RateLimiter } from "./rate-limiter.ts";

type Handle = (request: IncomingMessage, response: ServerResponse) => Promise<void>;

export interface FrontDoorOptions {
  readonly auth: { authenticate(authorization: string | undefined): Promise<Principal | undefined> };
  readonly rateLimiter: RateLimiter;
  /** Returns the gateway of a profile, or the one of all servers. Undefined if there is no such profile. */
  readonly gatewayFor: (profile: string | undefined) => Promise<McpEndpoint | undefined>;
  readonly control: Handle;
  /** Returns the metrics in the Prometheus text format. */
  readonly metrics: () => string;
}

interface McpEndpoint {
  handle(request: IncomingMessage, response: ServerResponse, principal: Caller): Promise<void>;
}

const MCP_PATH = /^\/mcp(?:\/p\/([^/]+))?$/;

export class FrontDoor {
  readonly #options: FrontDoorOptions;

  constructor(options: FrontDoorOptions) {
    this.#options = options;
  }

  /** Throws the error to answer with. */
  async handle(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const { headers, socket } = request;
    const error = checkTcpOrigin({ host: headers.host, origin: headers.origin }, socket.localPort!);
    if (error) throw error;
    const [pathname = "/"] = (request.url ?? "/").split("?", 1);
    if (pathname === "/healthz") return sendJson(response, { ok: true });
    const principal = await this.#options.auth.authenticate(headers.authorization);
    if (!principal) throw new HostError("UNAUTHORIZED", {});
    // The owner's own programs are not limited.
    if (principal.kind !== "owner") this.#options.rateLimiter.count(principal.caller.id);
    const mcp = MCP_PATH.exec(pathname);
    if (mcp) return this.#handleMcp(mcp[1], principal, request, response);
    if (pathname === "/metrics" && maySeeMetrics(principal)) return sendMetrics(response, this.#options.metrics());
    if (principal.kind !== "owner") {
      throw new HostError("FORBIDDEN", { reason: "this token is only for MCP clients, at /mcp" });
    }
    return this.#options.control(request, response);
  }

  async #handleMcp(
    requested: string | undefined,
    { caller, profile: bound }: Principal,
    request: IncomingMessage,
    response: ServerResponse,
  ): Promise<void> {
    const profile = requested ?? bound;
    if (bound !== undefined && profile !== bound) {
      throw new HostError("FORBIDDEN", { reason: `this token is only for the profile ${JSON.stringify(bound)}` });
    }
    const gateway = await this.#options.gatewayFor(profile);
    if (!gateway) throw new HostError("NOT_FOUND", { subject: `profile ${JSON.stringify(profile)}` });
    return gateway.handle(request, response, caller);
  }
}

/** The metrics name all servers and tools. A token for all servers may see them anyway. */
function maySeeMetrics({ kind, profile }: Principal): boolean {
  return kind === "owner" || (kind === "client" && profile === undefined);
}

function sendMetrics(response: ServerResponse, text: string): void {
  response.writeHead(200, { "content-type": "text/plain; version=0.0.4; charset=utf-8" }).end(text);
}
