/** A registry on this machine that answers the API v0.1 as the official registry does, or fails as the test says. */
import type { ServerResponse } from "node:http";
import { startScriptedHttp } from "../scripted-http.ts";
import type { ScriptedHttp } from "../scripted-http.ts";
import { SAMPLE_SERVERS } from "./sample-servers.ts";
import type { RegistryEntry } from "./sample-servers.ts";

export interface RegistryServerOptions {
  readonly servers?: readonly RegistryEntry[];
  /** The page size, instead of the one that the client requests. */
  readonly pageSize?: number;
  /** Sends this failure instead of every answer. */
  readonly failure?: RegistryFailure;
  /** Sends this failure to searches only. */
  readonly searchFailure?: RegistryFailure;
}

/** `silent`: never answers. `huge`: sends more than a client should read. `malformed`: JSON of another shape. */
export type RegistryFailure = "silent" | "huge" | "malformed" | "html" | { readonly status: number } | RedirectFailure;

interface RedirectFailure {
  readonly redirectTo: string;
}

export async function startRegistryServer(options: RegistryServerOptions = {}): Promise<ScriptedHttp> {
  const { servers = SAMPLE_SERVERS, pageSize, failure, searchFailure } = options;
  const http = await startScriptedHttp(({ path }, response) => {
    if (failure !== undefined) return fail(failure, response);
    const { pathname, searchParams } = new URL(path, "http://127.0.0.1");
    const isSearch = pathname === "/v0.1/servers";
    if (isSearch && searchFailure !== undefined) return fail(searchFailure, response);
    if (isSearch) return sendJson(response, 200, searchPage(servers, searchParams, pageSize));
    const [, name, version] = /^\/v0\.1\/servers\/([^/]+)\/versions\/([^/]+)$/.exec(pathname) ?? [];
    const found = servers.find(({ server }) => server.name === decodeURIComponent(name ?? ""));
    const isVersion = version === "latest" || found?.server["version"] === decodeURIComponent(version ?? "");
    if (found && isVersion && !isDeleted(found)) return sendJson(response, 200, found);
    sendJson(response, 404, { title: "Not Found", status: 404, detail: "Server not found" });
  });
  return { ...http, url: new URL(http.url).origin };
}

/** The registry searches names only. The cursor is the name of the last server of the page. */
function searchPage(servers: readonly RegistryEntry[], query: URLSearchParams, pageSize: number | undefined): object {
  const search = query.get("search")?.toLowerCase() ?? "";
  const matches = servers.filter((entry) => !isDeleted(entry) && entry.server.name.toLowerCase().includes(search));
  const cursor = query.get("cursor");
  const start = cursor === null ? 0 : matches.findIndex(({ server }) => server.name === cursor) + 1;
  const page = matches.slice(start, start + (pageSize ?? Number(query.get("limit") ?? 30)));
  const isLast = start + page.length >= matches.length;
  const nextCursor = isLast ? {} : { nextCursor: page.at(-1)?.server.name };
  return { servers: page, metadata: { count: page.length, ...nextCursor } };
}

function isDeleted({ _meta }: RegistryEntry): boolean {
  const official = _meta["io.modelcontextprotocol.registry/official"] as { readonly status?: string } | undefined;
  return official?.status === "deleted";
}

function fail(failure: RegistryFailure, response: ServerResponse): void {
  if (failure === "silent") return;
  if (failure === "malformed") return sendJson(response, 200, { servers: { not: "a list" } });
  if (failure === "html") return void response.writeHead(200, { "content-type": "text/html" }).end("<h1>Welcome</h1>");
  if (failure === "huge") {
    const description = "x".repeat(4096);
    return sendJson(response, 200, { servers: Array.from({ length: 1000 }, () => ({ server: { description } })) });
  }
  if ("status" in failure) return sendJson(response, failure.status, { error: "no" });
  response.writeHead(302, { location: failure.redirectTo }).end();
}

function sendJson(response: ServerResponse, status: number, body: object): void {
  response.writeHead(status, { "content-type": "application/json" }).end(JSON.stringify(body));
}
