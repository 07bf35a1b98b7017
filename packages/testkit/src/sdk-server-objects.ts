/**
 * Server objects of the official packages with the tools `echo`, `ask` (elicits a name) and `forget` (never answers).
 */
import { McpServer as LegacyServer } from "@modelcontextprotocol/sdk/server/mcp.js";
import { McpServer as ModernServer, type Transport } from "@modelcontextprotocol/server";
import { serveStdio } from "@modelcontextprotocol/server/stdio";
import { z } from "zod";

/** A server in the process of the test, with state that the test can read. */
export interface SdkServerFixture<S> {
  readonly server: S;
  /** The arguments of each `echo` call, as received. */
  readonly echoArguments: unknown[];
}

const TEXT = { text: z.string() };
const ELICITATION = {
  message: "Your name?",
  requestedSchema: { type: "object", properties: { name: { type: "string" } } },
} as const;

const textResult = (text: string) => ({ content: [{ type: "text" as const, text }] });

export function legacySdkServer(): SdkServerFixture<LegacyServer> {
  const server = new LegacyServer({ name: "sdk-1", version: "1.0.0" });
  const echoArguments: unknown[] = [];
  server.registerTool("echo", { inputSchema: TEXT }, (args) => {
    echoArguments.push(args);
    return textResult(args.text);
  });
  server.registerTool("ask", {}, async () => textResult(JSON.stringify(await server.server.elicitInput(ELICITATION))));
  server.registerTool("forget", {}, () => new Promise<never>(() => {}));
  return { server, echoArguments };
}

export function modernSdkServer(): SdkServerFixture<ModernServer> {
  const server = new ModernServer({ name: "sdk-2", version: "1.0.0" });
  const echoArguments: unknown[] = [];
  server.registerTool("echo", { inputSchema: z.object(TEXT) }, (args) => {
    echoArguments.push(args);
    return textResult(args.text);
  });
  server.registerTool("ask", {}, async () => textResult(JSON.stringify(await server.server.elicitInput(ELICITATION))));
  server.registerTool("forget", {}, () => new Promise<never>(() => {}));
  return { server, echoArguments };
}

/** Returns a server that supports both eras on any transport, as the 2.x package does it. */
export function dualSdkServer(): { connect(transport: Transport): Promise<void> } {
  return {
    connect(transport) {
      serveStdio(() => modernSdkServer().server, { transport });
      return Promise.resolve();
    },
  };
}
