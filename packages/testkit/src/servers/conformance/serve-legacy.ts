/** Serves the legacy conformance fixture over stdio or HTTP. Over HTTP with sessions and streams that can be resumed. */
import { randomUUID } from "node:crypto";
import { StdioServerTransport } from "@modelcontextprotocol/sdk/server/stdio.js";
import { StreamableHTTPServerTransport } from "@modelcontextprotocol/sdk/server/streamableHttp.js";
import type { EventStore } from "@modelcontextprotocol/sdk/server/streamableHttp.js";
import type { JSONRPCMessage } from "@modelcontextprotocol/sdk/types.js";
import { legacyConformanceServer } from "./legacy-server.ts";
import { listenLocally } from "./listen-locally.ts";

/** How long a client waits before it resumes a stream. */
const RETRY_MS = 50;

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

function eventStore(): EventStore {
  const events: { readonly stream: string; readonly message: JSONRPCMessage }[] = [];
  return {
    storeEvent(stream, message) {
      events.push({ stream, message });
      return Promise.resolve(String(events.length - 1));
    },
    async replayEventsAfter(lastId, { send }) {
      const stream = events[Number(lastId)]?.stream ?? "";
      for (const [index, event] of events.entries()) {
        // The priming event of a stream is stored as an empty message.
        const isMissed = index > Number(lastId) && event.stream === stream && "jsonrpc" in event.message;
        if (isMissed) await send(String(index), event.message);
      }
      return stream;
    },
  };
}
