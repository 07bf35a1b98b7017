/**
 * An HTTP site on loopback that answers from a table of paths and records its requests. It plays the MCP server, the
 * authorization server or both.
 */
import { once } from "node:events";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { text } from "node:stream/consumers";
import { HostError, systemClock } from "@plugboard/contracts";
import type { Clock } from "@plugboard/contracts";
import type { OAuthContext } from "@plugboard/mcp/oauth";
import { onTestFinished } from "vitest";

export interface SiteRequest {
  readonly method: string;
  /** Includes the query. */
  readonly path: string;
  readonly headers: { readonly [name: string]: string | string[] | undefined };
  readonly body: string;
  /** The body, parsed as a form. */
  readonly form: URLSearchParams;
}

/** Any value except an `HttpReply` is sent as JSON. */
type RouteAnswer = object | HttpReply;
class HttpReply {
  readonly status: number;
  readonly body: string | object;
  readonly headers: { readonly [name: string]: string };

  constructor(status: number, body: string | object = "", headers = {}) {
    this.status = status;
    this.body = body;
    this.headers = headers;
  }
}

export function httpReply(status: number, body: string | object = "", headers = {}): HttpReply {
  return new HttpReply(status, body, headers);
}

export type Routes = { [path: string]: RouteAnswer | ((request: SiteRequest) => RouteAnswer) };

export interface Site {
  readonly origin: string;
  /** May be changed while the site runs. */
  readonly routes: Routes;
  readonly requests: SiteRequest[];
  /** The requests as `GET /path`, in order. */
  readonly seen: string[];
  /** Returns the last form that was sent to a path. */
  form(path: string): URLSearchParams;
}

export async function startSite(routes: (origin: string) => Routes = () => ({})): Promise<Site> {
  const requests: SiteRequest[] = [];
  const seen: string[] = [];
  let table: Routes = {};
  const server = createServer((request, response) => {
    void text(request).then((body) => {
      const { method = "", url: path = "", headers } = request;
      const received = { method, path, headers, body, form: new URLSearchParams(body) };
      requests.push(received);
      seen.push(`${method} ${path}`);
      const found = table[path.split("?", 1)[0] ?? ""] ?? httpReply(404);
      const answer = typeof found === "function" ? (found as (request: SiteRequest) => RouteAnswer)(received) : found;
      const sent = answer instanceof HttpReply ? answer : httpReply(200, answer);
      const json = typeof sent.body === "string" ? sent.body : JSON.stringify(sent.body);
      response.writeHead(sent.status, { "content-type": "application/json", ...sent.headers }).end(json);
    });
  });
  server.listen(0, "127.0.0.1");
  await once(server, "listening");
  onTestFinished(() => {
    server.close();
    server.closeAllConnections();
  });
  const origin = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  table = routes(origin);
  const form = (path: string) => requests.findLast((request) => request.path === path)?.form ?? new URLSearchParams();
  return { origin, routes: table, requests, seen, form };
}

/** Returns a login context whose fetch is not guarded but reaches loopback only. */
export function loopbackContext(clock: Clock = systemClock): OAuthContext {
  return {
    server: "demo",
    clock,
    fetch: (url, { body, ...init }) => {
      if (new URL(url).hostname !== "127.0.0.1") throw new Error(`unexpected request for ${url}`);
      return fetch(url, { ...init, ...(body !== undefined && { body: body as URLSearchParams | string }) });
    },
  };
}

export interface LoginSites {
  /** The site of the MCP server. */
  readonly server: Site;
  /** The site of the authorization server. */
  readonly as: Site;
  /** The URL of the MCP server. */
  readonly url: string;
  readonly ctx: OAuthContext;
}

interface LoginSitesOptions {
  /** Overrides for the metadata of the authorization server. */
  readonly metadata?: object;
  /** Overrides for the resource metadata. */
  readonly resource?: object;
  readonly routes?: Routes;
  readonly clock?: Clock;
}

/** Starts an MCP server and its authorization server, which registers any client and grants any scope. */
export async function startLoginSites(options: LoginSitesOptions = {}): Promise<LoginSites> {
  const as = await startSite((origin) => ({
    "/.well-known/oauth-authorization-server": {
      issuer: origin,
      authorization_endpoint: `${origin}/authorize`,
      token_endpoint: `${origin}/token`,
      registration_endpoint: `${origin}/register`,
      code_challenge_methods_supported: ["S256"],
      token_endpoint_auth_methods_supported: ["none"],
      ...options.metadata,
    },
    "/register": ({ body }) => httpReply(201, { ...(JSON.parse(body) as object), client_id: "registered-client" }),
    "/token": { access_token: "granted-access-token", token_type: "Bearer", expires_in: 3600 },
    ...options.routes,
  }));
  const server = await startSite((origin) => ({
    "/.well-known/oauth-protected-resource/mcp": {
      resource: `${origin}/mcp`,
      authorization_servers: [as.origin],
      ...options.resource,
    },
  }));
  return { server, as, url: `${server.origin}/mcp`, ctx: loopbackContext(options.clock) };
}

/** Returns the error of a rejected promise. */
export async function expectHostError(promise: Promise<unknown>): Promise<HostError> {
  const error: unknown = await promise.then(
    () => undefined,
    (reason: unknown) => reason,
  );
  if (!(error instanceof HostError)) throw new Error(`expected a HostError, got ${String(error)}`);
  return error;
}
