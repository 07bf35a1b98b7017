/**
 * Receives every request on the TCP port. Checks Host, Origin, the token and the limits before any other code sees the
 * request, then passes it to the gateway or to the control API.
 */
import type { IncomingMessage, ServerResponse } from "node:http";
import { HostError, PAGE_CLEAR_PATH } from "@plugboard/contracts";
import type { Principal } from "@plugboard/contracts";
import type { Authenticator } from "../auth/authenticator.ts";
import { challenge, resourceMetadata, resourcePathOf } from "../auth/oauth/protected-resource.ts";
import type { TokenAccess } from "../auth/token-access.ts";
import { sendJson } from "./send-json.ts";
import { checkTcpOrigin } from "./check-origin.ts";
import type { FailedSignIns } from "./failed-sign-ins.ts";
import type { OpenRequests } from "./open-requests.ts";
import type { PortSettings } from "./port-settings.ts";
import type { UnreadResponses } from "./unread-responses.ts";

type Handle = (request: IncomingMessage, response: ServerResponse) => Promise<void>;

export interface PortRequestsOptions {
  readonly auth: Pick<Authenticator, "authenticate">;
  /** Read for each request, because the config may change. */
  readonly settings: Pick<PortSettings, "resourceServer" | "publicOrigin" | "rateLimiter">;
  readonly failedSignIns: FailedSignIns;
  readonly openRequests: OpenRequests;
  readonly unreadResponses: UnreadResponses;
  /** Returns the gateway of a profile, or of all servers. Returns undefined for an unknown profile. */
  readonly gatewayFor: (profile: string | undefined) => Promise<McpEndpoint | undefined>;
  readonly control: Handle;
  /** Handles the requests of the page, on the owner's machine only. Returns false for any other request. */
  readonly page: { handle(pathname: string, ...request: Parameters<Handle>): Promise<boolean> };
  /** Returns the origin of the document that opens the page. */
  readonly linkOrigin: () => string | undefined;
  /** Returns the metrics in the Prometheus text format. */
  readonly metrics: () => string;
}

interface McpEndpoint {
  handle(request: IncomingMessage, response: ServerResponse, principal: Principal): Promise<void>;
}

const MCP_PATH = /^\/mcp(?:\/p\/([\w-]+))?$/;

export class PortRequests {
  readonly #options: PortRequestsOptions;

  constructor(options: PortRequestsOptions) {
    this.#options = options;
  }

  /** Returns which name of this server the request uses, or the error to answer with. */
  checkOrigin({ headers, socket, url }: IncomingMessage): ReturnType<typeof checkTcpOrigin> {
    const { settings, linkOrigin } = this.#options;
    const connection = {
      localPort: socket.localPort!,
      remoteAddress: socket.remoteAddress,
      publicOrigin: settings.publicOrigin,
      ownOrigin: url === PAGE_CLEAR_PATH ? linkOrigin() : undefined,
    };
    return checkTcpOrigin({ host: headers.host, origin: headers.origin }, connection);
  }

  /** Throws the error to answer with. */
  async handle(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const name = this.checkOrigin(request);
    if (name instanceof HostError) throw name;
    const [pathname = "/"] = (request.url ?? "/").split("?", 1);
    if (pathname === "/healthz") return sendJson(response, { ok: true });
    if (pathname.startsWith("/.well-known/")) return this.#describeResource(pathname, request, response);
    const mcp = MCP_PATH.exec(pathname);
    if (!mcp && name === "local" && (await this.#options.page.handle(pathname, request, response))) return;
    const access = await this.#authenticate(pathname, request, response);
    if (access.kind === "owner" && name === "public") {
      throw new HostError("FORBIDDEN", { reason: "the owner's token is accepted only on the owner's machine" });
    }
    // The client has disconnected, so the response does not emit `close` again.
    if (response.destroyed) return;
    // The owner's own programs are not limited.
    if (access.kind !== "owner") {
      const { id } = access.principal;
      this.#options.settings.rateLimiter.count(id);
      this.#options.openRequests.add(id, response);
      this.#options.unreadResponses.add(id, response);
    }
    if (mcp) return this.#handleMcp(mcp[1], access, request, response);
    if (pathname === "/metrics" && name === "local" && maySeeMetrics(access)) {
      return sendMetrics(response, this.#options.metrics());
    }
    if (access.kind !== "owner") {
      throw new HostError("FORBIDDEN", { reason: "this token is only for MCP clients, at /mcp" });
    }
    return this.#options.control(request, response);
  }

  /**
   * Throws UNAUTHORIZED, and tells the client where to get a token, unless the request has a valid one. After many wrong
   * tokens it throws TOO_MANY_REQUESTS.
   */
  async #authenticate(pathname: string, request: IncomingMessage, response: ServerResponse): Promise<TokenAccess> {
    const { authorization } = request.headers;
    const { resourceServer } = this.#options.settings;
    const access = await this.#options.auth.authenticate(authorization, resourceServer);
    if (access && access.profiles?.length !== 0) return access;
    const error = access ? "insufficient_scope" : authorization === undefined ? undefined : "invalid_token";
    if (resourceServer) {
      const resource = { auth: resourceServer.auth, origin: this.#originFor(request) };
      const path = MCP_PATH.test(pathname) ? pathname : "/mcp";
      response.setHeader("www-authenticate", challenge(resource, path, error));
    }
    if (access) throw new HostError("FORBIDDEN", { reason: "the token has none of the scopes that are needed" });
    throw authorization === undefined ? new HostError("UNAUTHORIZED", {}) : this.#options.failedSignIns.count(request);
  }

  /** Clients read this without a token, to learn where to get one. */
  #describeResource(pathname: string, request: IncomingMessage, response: ServerResponse): void {
    const { resourceServer } = this.#options.settings;
    const path = resourcePathOf(pathname);
    if (!resourceServer || path === undefined || !MCP_PATH.test(path)) {
      throw new HostError("NOT_FOUND", { subject: "resource at this URL" });
    }
    sendJson(response, resourceMetadata({ auth: resourceServer.auth, origin: this.#originFor(request) }, path));
  }

  #originFor({ headers }: IncomingMessage): string {
    return this.#options.settings.publicOrigin ?? `http://${headers.host}`;
  }

  async #handleMcp(
    requested: string | undefined,
    { principal, profiles }: TokenAccess,
    request: IncomingMessage,
    response: ServerResponse,
  ): Promise<void> {
    const profile = requested ?? (profiles?.length === 1 ? profiles[0] : undefined);
    if (profiles && (profile === undefined || !profiles.includes(profile))) {
      const paths = profiles.map((one) => `/mcp/p/${one}`).join(" or ");
      throw new HostError("FORBIDDEN", { reason: `this token is only for ${paths}` });
    }
    const gateway = await this.#options.gatewayFor(profile);
    if (!gateway) throw new HostError("NOT_FOUND", { subject: `profile ${JSON.stringify(profile)}` });
    return gateway.handle(request, response, principal);
  }
}

/** The metrics name all servers and tools. A token for all servers may see them anyway. */
function maySeeMetrics({ kind, profiles }: TokenAccess): boolean {
  return kind === "owner" || (kind === "client" && profiles === undefined);
}

function sendMetrics(response: ServerResponse, text: string): void {
  response.writeHead(200, { "content-type": "text/plain; version=0.0.4; charset=utf-8" }).end(text);
}
