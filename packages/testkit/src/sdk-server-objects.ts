/** Server objects of the official packages with the tools `echo`, `ask` and `forget`. */
import { McpServer as LegacyServer } from "@modelcontextprotocol/sdk/server/mcp.js";
import { McpServer as ModernServer, type Transport } from "@modelcontextprotocol/server";
import { serveStdio } from "@modelcontextprotocol/server/stdio";
import { z } from "zod";

/** State that a test can read, because it shares the process. */
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

const text = (said: string) => ({ content: [{ type: "text" as const, text: said }] });

export function legacySdkServer(): SdkServerFixture<LegacyServer> {
  const server = new LegacyServer({ name: "sdk-1", version: "1.0.0" });
  const echoArguments: unknown[] = [];
  server.registerTool("echo", { inputSchema: TEXT }, (args) => {
    echoArguments.push(args);
    return text(args.text);
  });
  server.registerTool("ask", {}, async () => text(JSON.stringify(await server.server.elicitInput(ELICITATION))));
  server.registerTool("forget", {}, () => new Promise<never>(() => {}));
  return { server, echoArguments };
}

export function modernSdkServer(): SdkServerFixture<ModernServer> {
  const server = new ModernServer({ name: "sdk-2", version: "1.0.0" });
  const echoArguments: unknown[] = [];
  server.registerTool("echo", { inputSchema: z.object(TEXT) }, (args) => {
    echoArguments.push(args);
    return text(args.text);
  });
  server.registerTool("ask", {}, async () => text(JSON.stringify(await server.server.elicitInput(ELICITATION))));
  server.registerTool("forget", {}, () => new Promise<never>(() => {}));
  return { server, echoArguments };
}

/** The way in which the 2.x package serves both eras on a given transport. */
export function dualSdkServer(): { connect(transport: Transport): Promise<void> } {
  return {
    connect(transport) {
      serveStdio(() => modernSdkServer().server, { transport });
      return Promise.resolve();
    },
  };
}
