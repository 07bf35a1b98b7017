/**
 * Fixture: an MCP server of the official package: `node modern.js stdio|http [--dual]`. It supports the modern era, and
 * with `--dual` also legacy clients.
 */
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { parseArgs } from "node:util";
import { type NodeIncomingMessageLike, toNodeHandler } from "@modelcontextprotocol/node";
import { createMcpHandler } from "@modelcontextprotocol/server";
import { serveStdio } from "@modelcontextprotocol/server/stdio";
import { makeServer } from "./modern/make-server.ts";
import { notifyOnWire } from "./modern/notify-on-wire.ts";

const { values, positionals } = parseArgs({
  allowPositionals: true,
  options: { dual: { type: "boolean", default: false } },
});

switch (positionals[0]) {
  case "stdio":
    serveStdio(() => makeServer(notifyOnWire), { legacy: values.dual ? "serve" : "reject" });
    break;
  case "http":
    serveHttp();
    break;
  default:
    process.stderr.write("usage: modern.js stdio|http [--dual]\n");
    process.exitCode = 2;
}

function serveHttp(): void {
  const handler = createMcpHandler(() => makeServer(() => handler.notify), {
    legacy: values.dual ? "stateless" : "reject",
  });
  const handle = toNodeHandler(handler);
  const server = createServer((request, response) => {
    void handle(request as NodeIncomingMessageLike, response);
  });
  server.listen(0, "127.0.0.1", () => {
    const { port } = server.address() as AddressInfo;
    process.stdout.write(`listening http://127.0.0.1:${port}/mcp\n`);
  });
}
