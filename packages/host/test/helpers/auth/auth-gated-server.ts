/** Starts an MCP server on loopback. The test passes a check that accepts or rejects each `Authorization` header. */
import { once } from "node:events";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { type NodeIncomingMessageLike, toNodeHandler } from "@modelcontextprotocol/node";
import { createMcpHandler, McpServer } from "@modelcontextprotocol/server";

interface AuthRejection {
  readonly status: number;
  readonly challenge?: string;
}

/** Returns undefined to accept the request. */
export type AuthCheck = (authorization: string | undefined, path: string) => AuthRejection | undefined;

export async function startAuthGatedServer(check: AuthCheck) {
  const authorizationHeaders: (string | undefined)[] = [];
  const handle = toNodeHandler(
    createMcpHandler(() => {
      const server = new McpServer({ name: "gated", version: "1.0.0" });
      server.registerTool("hello", {}, () => ({ content: [{ type: "text", text: "come in" }] }));
      return server;
    }),
  );
  const http = createServer((request, response) => {
    const { authorization } = request.headers;
    const path = request.url ?? "/";
    if (path === "/mcp") authorizationHeaders.push(authorization);
    const rejection = path === "/mcp" ? check(authorization, path) : { status: 404 };
    if (!rejection) return void handle(request as NodeIncomingMessageLike, response);
    response.writeHead(
      rejection.status,
      rejection.challenge === undefined ? {} : { "www-authenticate": rejection.challenge },
    );
    response.end();
  });
  http.listen(0, "127.0.0.1");
  await once(http, "listening");
  const { port } = http.address() as AddressInfo;
  return {
    url: `http://127.0.0.1:${port}/mcp`,
    /** The `Authorization` header of each MCP request. */
    authorizationHeaders,
    close: () => {
      http.closeAllConnections();
      http.close();
    },
  };
}
