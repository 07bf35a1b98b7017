/**
 * Fixture: a server that passes every server scenario of the official conformance suite:
 * `node conformance.js legacy|modern stdio|http`.
 */
import { createServer } from "node:http";
import type { IncomingMessage, ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import { localhostHostValidation, toNodeHandler } from "@modelcontextprotocol/node";
import type { NodeIncomingMessageLike } from "@modelcontextprotocol/node";
import { StdioServerTransport } from "@modelcontextprotocol/sdk/server/stdio.js";
import { createMcpHandler } from "@modelcontextprotocol/server";
import { serveStdio } from "@modelcontextprotocol/server/stdio";
import { legacyHttpHandler } from "./conformance/legacy-http.ts";
import { legacyConformanceServer } from "./conformance/legacy-server.ts";
import { modernConformanceServer } from "./conformance/modern-server.ts";
import { notifyOnWire } from "./modern/notify-on-wire.ts";

const [era, transport] = process.argv.slice(2);

switch (`${era} ${transport}`) {
  case "legacy stdio":
    await legacyConformanceServer().connect(new StdioServerTransport());
    break;
  case "legacy http":
    serveHttp(legacyHttpHandler());
    break;
  case "modern stdio":
    serveStdio(() => modernConformanceServer(notifyOnWire), { legacy: "reject" });
    break;
  case "modern http":
    serveHttp(modernHttpHandler());
    break;
  default:
    process.stderr.write("usage: conformance.js legacy|modern stdio|http\n");
    process.exitCode = 2;
}

function modernHttpHandler() {
  const handler = createMcpHandler(() => modernConformanceServer(() => handler.notify), { legacy: "reject" });
  const handle = toNodeHandler(handler);
  return (request: IncomingMessage, response: ServerResponse) => handle(request as NodeIncomingMessageLike, response);
}

function serveHttp(handle: (request: IncomingMessage, response: ServerResponse) => Promise<void>): void {
  const isLocal = localhostHostValidation();
  const server = createServer((request, response) => {
    if (isLocal(request, response)) void handle(request, response);
  });
  server.listen(0, "127.0.0.1", () => {
    const { port } = server.address() as AddressInfo;
    process.stdout.write(`listening http://127.0.0.1:${port}/mcp\n`);
  });
}
