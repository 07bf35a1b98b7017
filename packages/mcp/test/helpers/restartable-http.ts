/** A small MCP server over HTTP that can be stopped and restarted at the same address. */
import { once } from "node:events";
import { createServer } from "node:http";
import type { IncomingHttpHeaders, Server, ServerResponse } from "node:http";
import { text } from "node:stream/consumers";
import type { Era, JsonObject } from "@plugboard/contracts";
import { freePort } from "@plugboard/testkit/free-port";
import { onTestFinished } from "vitest";

export interface McpHttpRequest {
  readonly id: number;
  readonly method: string;
  readonly params: JsonObject;
  readonly headers: IncomingHttpHeaders;
}

/** A result, a status, or `taken` if the method writes the response itself. */
type Answer =
  | JsonObject
  | { readonly status: number; readonly headers?: { readonly [name: string]: string } }
  | "taken";
export type HttpMethods = {
  readonly [method: string]: (request: McpHttpRequest, response: ServerResponse) => Answer | Promise<Answer>;
};

export interface RestartableHttp {
  readonly url: string;
  /** The received methods in order. Calls include the name of the tool. */
  readonly methods: string[];
  /** The requested paths. */
  readonly paths: string[];
  count(method: string): number;
  stop(): Promise<void>;
  start(): Promise<void>;
}

interface Options {
  readonly era?: Era;
  readonly capabilities?: JsonObject;
}

/** The field that every modern result has. */
const meta = { resultType: "complete" };

function defaultMethods(era: Era, capabilities: JsonObject): HttpMethods {
  const serverInfo = { name: "small", version: "1" };
  const opening: HttpMethods =
    era === "modern"
      ? { "server/discover": () => ({ ...meta, supportedVersions: ["2026-07-28"], capabilities }) }
      : { initialize: () => ({ protocolVersion: "2025-11-25", capabilities, serverInfo }), ping: () => ({}) };
  return {
    ...opening,
    "tools/list": () => ({ ...meta, tools: [{ name: "echo", inputSchema: { type: "object" } }] }),
    "tools/call": () => ({ ...meta, content: [{ type: "text", text: "ok" }] }),
  };
}

export async function startRestartableHttp(methods: HttpMethods = {}, options: Options = {}): Promise<RestartableHttp> {
  const { era = "legacy", capabilities = { tools: {} } } = options;
  const table = { ...defaultMethods(era, capabilities), ...methods };
  const receivedMethods: string[] = [];
  const paths: string[] = [];
  const answer = async (headers: IncomingHttpHeaders, body: string, response: ServerResponse) => {
    const { id, method = "", params = {} } = (body === "" ? {} : JSON.parse(body)) as Partial<McpHttpRequest>;
    receivedMethods.push(method === "tools/call" ? `tools/call ${params["name"] as string}` : method);
    if (id === undefined) return void response.writeHead(method === "" ? 405 : 202).end();
    const result = (await table[method]?.({ id, method, params, headers }, response)) ?? { status: 404 };
    if (result === "taken") return;
    if (typeof result["status"] === "number")
      return void response.writeHead(result["status"], { ...(result["headers"] as object) }).end();
    response.writeHead(200, { "content-type": "application/json" });
    response.end(JSON.stringify({ jsonrpc: "2.0", id, result }));
  };

  let server: Server | undefined;
  // The system assigns a port of `freePort` to no other program while the server is stopped.
  const port = await freePort();
  const start = async () => {
    server = createServer((request, response) => {
      paths.push(request.url ?? "");
      void text(request).then((body) => answer(request.headers, body, response));
    });
    server.listen(port, "127.0.0.1");
    await once(server, "listening");
  };
  const stop = async () => {
    const stopping = server;
    server = undefined;
    if (!stopping) return;
    const closed = once(stopping, "close");
    stopping.close();
    stopping.closeAllConnections();
    await closed;
  };
  await start();
  onTestFinished(stop);
  return {
    url: `http://127.0.0.1:${port}/mcp`,
    methods: receivedMethods,
    paths,
    count: (method) => receivedMethods.filter((received) => received === method).length,
    start,
    stop,
  };
}
