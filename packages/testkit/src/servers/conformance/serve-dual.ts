/** Serves the conformance fixture of both eras over stdio or HTTP. Over HTTP, legacy clients get sessions. */
import { randomUUID } from "node:crypto";
import { NodeStreamableHTTPServerTransport, toNodeHandler } from "@modelcontextprotocol/node";
import type { NodeIncomingMessageLike } from "@modelcontextprotocol/node";
import { classifyInboundRequest, createMcpHandler } from "@modelcontextprotocol/server";
import { serveStdio } from "@modelcontextprotocol/server/stdio";
import { json } from "node:stream/consumers";
import { notifyOnWire } from "../modern/notify-on-wire.ts";
import { eventStore, RETRY_MS } from "./event-store.ts";
import { listenLocally } from "./listen-locally.ts";
import { modernConformanceServer } from "./modern-server.ts";

export function serveStdioDual(): void {
  serveStdio(() => modernConformanceServer({ makeNotifier: notifyOnWire, dual: true }), { legacy: "serve" });
}

export function serveHttpDual(): void {
  const handler = createMcpHandler(() => modernConformanceServer({ makeNotifier: () => handler.notify, dual: true }), {
    legacy: "reject",
  });
  const handleModern = toNodeHandler(handler);
  const sessions = new Map<string, NodeStreamableHTTPServerTransport>();
  listenLocally(async (request, response) => {
    const { method = "GET", headers } = request;
    const body = method === "POST" ? await json(request) : undefined;
    const { "mcp-protocol-version": version, "mcp-method": mcpMethod } = headers;
    const { kind } = classifyInboundRequest({
      httpMethod: method,
      body,
      ...(version && { protocolVersionHeader: version.toString() }),
      ...(mcpMethod && { mcpMethodHeader: mcpMethod.toString() }),
    });
    if (kind !== "legacy") return handleModern(request as NodeIncomingMessageLike, response, body);
    const id = headers["mcp-session-id"];
    if (typeof id === "string") {
      const session = sessions.get(id);
      if (session) return session.handleRequest(request, response, body);
      response.writeHead(404).end();
      return;
    }
    const transport = new NodeStreamableHTTPServerTransport({
      sessionIdGenerator: randomUUID,
      eventStore: eventStore(),
      retryInterval: RETRY_MS,
      onsessioninitialized: (session) => void sessions.set(session, transport),
      onsessionclosed: (session) => void sessions.delete(session),
    });
    await modernConformanceServer({ makeNotifier: notifyOnWire, dual: true }).connect(transport);
    await transport.handleRequest(request, response, body);
  });
}
