/**
 * Serves the legacy conformance fixture over stdio or HTTP. Over HTTP, it has sessions and streams that can be resumed.
 */
import { randomUUID } from "node:crypto";
import { StdioServerTransport } from "@modelcontextprotocol/sdk/server/stdio.js";
import { StreamableHTTPServerTransport } from "@modelcontextprotocol/sdk/server/streamableHttp.js";
import { eventStore, RETRY_MS } from "./event-store.ts";
import { legacyConformanceServer } from "./legacy-server.ts";
import { listenLocally } from "./listen-locally.ts";

export async function serveStdioLegacy(): Promise<void> {
  // The package ignores the end of the input.
  process.stdin.once("end", () => process.exit());
  await legacyConformanceServer().connect(new StdioServerTransport());
}

export function serveHttpLegacy(): void {
  const sessions = new Map<string, StreamableHTTPServerTransport>();
  listenLocally(async (request, response) => {
    const id = request.headers["mcp-session-id"];
    if (typeof id === "string") {
      const session = sessions.get(id);
      if (session) return session.handleRequest(request, response);
      response.writeHead(404).end();
      return;
    }
    const transport = new StreamableHTTPServerTransport({
      sessionIdGenerator: randomUUID,
      eventStore: eventStore(),
      retryInterval: RETRY_MS,
      onsessioninitialized: (session) => void sessions.set(session, transport),
      onsessionclosed: (session) => void sessions.delete(session),
    });
    await legacyConformanceServer().connect(transport);
    await transport.handleRequest(request, response);
  });
}
