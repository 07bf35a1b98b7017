/** The MCP client of the AI SDK. Calls tools in the same way as the agents of the AI SDK. */
import { createMCPClient } from "@ai-sdk/mcp";
import { StdioMCPTransport } from "@ai-sdk/mcp/mcp-stdio";

export const connectStdio = (command, args) => connect(new StdioMCPTransport({ command, args, stderr: "ignore" }));

export const connectHttp = (url) => connect({ type: "http", url });

async function connect(transport) {
  const client = await createMCPClient({ transport });
  const tools = await client.tools();
  return {
    tools: Object.keys(tools).map((name) => ({ name })),
    call: (name, args) => tools[name].execute(args, { toolCallId: "bench", messages: [] }),
    close: () => client.close(),
  };
}
