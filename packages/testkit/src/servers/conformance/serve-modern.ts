/** Serves the modern conformance fixture over stdio or HTTP. */
import { toNodeHandler } from "@modelcontextprotocol/node";
import type { NodeIncomingMessageLike } from "@modelcontextprotocol/node";
import { createMcpHandler } from "@modelcontextprotocol/server";
import { serveStdio } from "@modelcontextprotocol/server/stdio";
import { notifyOnWire } from "../modern/notify-on-wire.ts";
import { listenLocally } from "./listen-locally.ts";
import { modernConformanceServer } from "./modern-server.ts";

export function serveStdioModern(): void {
  serveStdio(() => modernConformanceServer({ makeNotifier: notifyOnWire }), { legacy: "reject" });
}

export function serveHttpModern(): void {
  const handler = createMcpHandler(() => modernConformanceServer({ makeNotifier: () => handler.notify }), {
    legacy: "reject",
  });
  const handle = toNodeHandler(handler);
  listenLocally((request, response) => handle(request as NodeIncomingMessageLike, response));
}
