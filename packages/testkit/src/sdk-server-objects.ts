/** Servers as objects of this process, made with the official packages, with the tools `echo`, `ask` and `forget`. */
import { McpServer as LegacyServer } from "@modelcontextprotocol/sdk/server/mcp.js";
import { McpServer as ModernServer, type Transport } from "@modelcontextprotocol/server";
import { serveStdio } from "@modelcontextprotocol/server/stdio";
import { z } from "zod";

/** What a test can look into, since it shares the process. */
export interface SdkServer<S> {
  readonly server: S;
  /** The arguments that `echo` was called with, as they came. */
  readonly echoed: unknown[];
}

const TEXT = { text: z.string() };
const ASKED = {
  message: "Your name?",
  requestedSchema: { type: "object", properties: { name: { type: "string" } } },
} as const;

const text = (said: string) => ({ content: [{ type: "text" as const, text: said }] });

export function sdkServer1(): SdkServer<LegacyServer> {
  const server = new LegacyServer({ name: "sdk-1", version: "1.0.0" });
  const echoed: unknown[] = [];
  server.registerTool("echo", { inputSchema: TEXT }, (args) => {
    echoed.push(args);
    return text(args.text);
  });
  server.registerTool("ask", {}, async () => text(JSON.stringify(await server.server.elicitInput(ASKED))));
  server.registerTool("forget", {}, () => new Promise<never>(() => {}));
  return { server, echoed };
}

export function sdkServer2(): SdkServer<ModernServer> {
  const server = new ModernServer({ name: "sdk-2", version: "1.0.0" });
  const echoed: unknown[] = [];
  server.registerTool("echo", { inputSchema: z.object(TEXT) }, (args) => {
    echoed.push(args);
    return text(args.text);
  });
  server.registerTool("ask", {}, async () => text(JSON.stringify(await server.server.elicitInput(ASKED))));
  server.registerTool("forget", {}, () => new Promise<never>(() => {}));
  return { server, echoed };
}

/** The way in which the 2.x package serves both eras on a transport of somebody else. */
export function sdkServer2OfBothEras(): { connect(transport: Transport): Promise<void> } {
  return {
    connect(transport) {
      serveStdio(() => sdkServer2().server, { transport });
      return Promise.resolve();
    },
  };
}
