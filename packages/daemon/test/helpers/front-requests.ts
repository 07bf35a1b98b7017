/** Sends MCP requests to the port of a running host with any token. */
import type { RunningHost } from "./running-host.ts";

const LEGACY_VERSION = "2025-11-25";

export interface FrontOptions {
  readonly session?: string;
  readonly path?: string;
  readonly method?: "GET" | "POST" | "DELETE";
  readonly headers?: { readonly [name: string]: string };
  /** The `_meta` of a tool call. */
  readonly meta?: object;
}

/** Returns functions that send requests with one token. */
export function frontWith({ url }: Pick<RunningHost, "url">, token: string) {
  const send = (body: unknown, { session, path = "/mcp", method = "POST", headers = {} }: FrontOptions = {}) =>
    fetch(new URL(path, url), {
      method,
      headers: {
        authorization: `Bearer ${token}`,
        accept: "application/json, text/event-stream",
        ...(method === "POST" && { "content-type": "application/json" }),
        ...(session !== undefined && { "mcp-session-id": session }),
        ...headers,
      },
      ...(method === "POST" && { body: JSON.stringify(body) }),
    });
  const params = { protocolVersion: LEGACY_VERSION, capabilities: {}, clientInfo: { name: "test", version: "1" } };
  return {
    send,
    initialize: (options?: FrontOptions) => send({ jsonrpc: "2.0", id: 0, method: "initialize", params }, options),
    ping: (options?: FrontOptions) => send({ jsonrpc: "2.0", id: 1, method: "ping" }, options),
    /** Calls a tool by its own name, whatever prefix the gateway puts before it. */
    async call(tool: string, args: object, options?: FrontOptions): Promise<Response> {
      const listed = await send({ jsonrpc: "2.0", id: 3, method: "tools/list" }, options);
      const { result } = (await listed.json()) as { result: { tools: { name: string }[] } };
      const name = result.tools.find((offered) => offered.name.endsWith(`__${tool}`))?.name;
      return send(
        { jsonrpc: "2.0", id: 2, method: "tools/call", params: { name, arguments: args, _meta: options?.meta } },
        options,
      );
    },
    /** Starts a legacy session and returns its id. */
    async start(): Promise<string> {
      const response = await this.initialize();
      await response.text();
      const session = response.headers.get("mcp-session-id");
      if (session === null) throw new Error(`initialize was answered with ${response.status}`);
      return session;
    },
    /** Starts a legacy session, confirms it, and returns its id. */
    async open(): Promise<string> {
      const session = await this.start();
      await (await send({ jsonrpc: "2.0", method: "notifications/initialized" }, { session })).text();
      return session;
    },
  };
}
