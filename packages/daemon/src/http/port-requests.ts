/**
 * Receives every request on the TCP port. Checks Host and Origin first. The page has a sign-in of its own, so its
 * requests go to `page`. All others need a token and must be within the limits. They go to the gateway or to the
 * control API.
 */
import type { IncomingMessage, ServerResponse } from "node:http";
import { hasRight, HostError, PAGE_CLEAR_PATH, rightMissing } from "@plugboard/contracts";
import type { Principal } from "@plugboard/contracts";
import type { Authenticator } from "../auth/authenticator.ts";
import { challenge, resourceMetadata, resourcePathOf } from "../auth/oauth/protected-resource.ts";
import type { TokenAccess } from "../auth/token-access.ts";
import { sendJson } from "./send-json.ts";
import { checkTcpOrigin, originHeaders } from "./check-origin.ts";
import type { FailedSignIns } from "./failed-sign-ins.ts";
import type { OpenRequests } from "./open-requests.ts";
import type { PortSettings } from "./port-settings.ts";
import { mcpPath, portRouteAt, ROUTES } from "./routes.ts";
import type { UnreadHttpResponses } from "./unread-http-responses.ts";

type Handle = (request: IncomingMessage, response: ServerResponse) => Promise<void>;

export interface PortRequestsOptions {
  readonly auth: Pick<Authenticator, "authenticate">;
  /** Read for each request, because the config may change. */
  readonly settings: Pick<PortSettings, "resourceServer" | "publicOrigin" | "rateLimiter">;
  readonly failedSignIns: FailedSignIns;
  readonly openRequests: OpenRequests;
  readonly unreadResponses: UnreadHttpResponses;
  /** Called for each request with a valid token that is within the limits. */
  readonly onAuthenticated: (response: ServerResponse) => void;
  /** Returns the gateway of a profile, or of all servers, for a token. Returns undefined for an unknown profile. */
  readonly gatewayFor: (profile: string | undefined, access: TokenAccess) => Promise<McpEndpoint | undefined>;
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

export class PortRequests {
  readonly #options: PortRequestsOptions;

  constructor(options: PortRequestsOptions) {
    this.#options = options;
  }

  /** Throws the error to answer with. */
  async handle(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const name = this.#checkOrigin(request);
    if (name instanceof HostError) throw name;
    const [pathname] = request.url!.split("?") as [string];
    const route = portRouteAt(pathname);
    if (route === ROUTES.health) return sendJson(response, { ok: true });
    if (route === ROUTES.metadata) return this.#describeResource(pathname, request, response);
    const isMcp = route === ROUTES.mcp;
    if (!isMcp && name === "local" && (await this.#options.page.handle(pathname, request, response))) return;
    const access = await this.#authenticate(pathname, request, response);
    const isOwner = access.holder === "owner_token";
    if (isOwner && name === "public") {
      throw new HostError("FORBIDDEN", { reason: "the owner's token is accepted only on the owner's machine" });
    }
    // The response of a disconnected client does not emit `close` again, so the limits below would count it forever.
    if (response.destroyed) return;
    // The owner's own programs are not limited.
    if (!isOwner) {
      const { id } = access.principal;
      this.#options.settings.rateLimiter.count(id);
      this.#options.openRequests.add(id, response);
      this.#options.unreadResponses.add(id, response);
    }
    this.#options.onAuthenticated(response);
    // A path that does not exist here needs the right of the control API, so that a client does not learn which paths
    // exist.
    const isFound = name === "local" || !route.localOnly;
    const { right } = isFound && route !== ROUTES.pageFiles ? route : ROUTES.control;
    if (!hasRight(access.holder, right)) throw rightMissing(right);
    if (isMcp) return this.#handleMcp(pathname, access, request, response);
    if (route === ROUTES.metrics) return this.#sendMetrics(access, response);
    return this.#options.control(request, response);
  }

  /** Returns whether the request uses the local or the public name of this server, or the error to answer with. */
  #checkOrigin(request: IncomingMessage): ReturnType<typeof checkTcpOrigin> {
    const { settings, linkOrigin } = this.#options;
    const { socket, url } = request;
    const connection = {
      localPort: socket.localPort!,
      remoteAddress: socket.remoteAddress,
      publicOrigin: settings.publicOrigin,
      ownOrigin: url === PAGE_CLEAR_PATH ? linkOrigin() : undefined,
    };
    return checkTcpOrigin(originHeaders(request), connection);
  }

  /**
   * Returns the access of the request's token. Without a valid token, tells the client where to get one, and throws
   * UNAUTHORIZED, or TOO_MANY_REQUESTS after many wrong tokens.
   */
  async #authenticate(pathname: string, request: IncomingMessage, response: ServerResponse): Promise<TokenAccess> {
    const { authorization } = request.headers;
    const { resourceServer } = this.#options.settings;
    const access = await this.#options.auth.authenticate(authorization, resourceServer);
    if (access && access.profiles?.length !== 0) return access;
    const error = access ? "insufficient_scope" : authorization === undefined ? undefined : "invalid_token";
    if (resourceServer) {
      const resource = { auth: resourceServer.auth, origin: this.#originFor(request) };
      const path = mcpPath(pathname) ? pathname : "/mcp";
      response.setHeader("www-authenticate", challenge(resource, path, error));
    }
    if (access) throw new HostError("FORBIDDEN", { reason: "the token has none of the scopes that are needed" });
    throw authorization === undefined
      ? new HostError("UNAUTHORIZED", {})
      : this.#options.failedSignIns.countAndMakeError(request);
  }

  /** Sends the metadata of the protected resource. Clients read it without a token, to learn where to get one. */
  #describeResource(pathname: string, request: IncomingMessage, response: ServerResponse): void {
    const { resourceServer } = this.#options.settings;
    const path = resourcePathOf(pathname);
    if (!resourceServer || path === undefined || !mcpPath(path)) {
      throw new HostError("NOT_FOUND", { subject: "resource at this URL" });
    }
    sendJson(response, resourceMetadata({ auth: resourceServer.auth, origin: this.#originFor(request) }, path));
  }

  #originFor({ headers }: IncomingMessage): string {
    return this.#options.settings.publicOrigin ?? `http://${headers.host}`;
  }

  async #handleMcp(
    pathname: string,
    access: TokenAccess,
    request: IncomingMessage,
    response: ServerResponse,
  ): Promise<void> {
    const { principal, profiles } = access;
    const profile = mcpPath(pathname)?.profile ?? (profiles?.length === 1 ? profiles[0] : undefined);
    if (profiles && (profile === undefined || !profiles.includes(profile))) {
      const paths = profiles.map((one) => `/mcp/p/${one}`).join(" or ");
      throw new HostError("FORBIDDEN", { reason: `this token is only for ${paths}` });
    }
    const gateway = await this.#options.gatewayFor(profile, access);
    if (!gateway) throw new HostError("NOT_FOUND", { subject: `profile ${JSON.stringify(profile)}` });
    return gateway.handle(request, response, principal);
  }

  /** Refuses tokens that are bound to profiles, because the metrics name all servers and tools. */
  #sendMetrics({ profiles }: TokenAccess, response: ServerResponse): void {
    if (profiles) throw rightMissing("read_metrics");
    const text = this.#options.metrics();
    response.writeHead(200, { "content-type": "text/plain; version=0.0.4; charset=utf-8" }).end(text);
  }
}
