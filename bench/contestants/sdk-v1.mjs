/** The official client, 1.x. */
import { Client } from "@modelcontextprotocol/sdk/client/index.js";
import { StdioClientTransport } from "@modelcontextprotocol/sdk/client/stdio.js";
import { StreamableHTTPClientTransport } from "@modelcontextprotocol/sdk/client/streamableHttp.js";

export const connectStdio = (command, args) => connect(new StdioClientTransport({ command, args, stderr: "ignore" }));

export const connectHttp = (url) => connect(new StreamableHTTPClientTransport(new URL(url)));

async function connect(transport) {
  const client = new Client({ name: "bench", version: "1.0.0" });
  await client.connect(transport);
  const { tools } = await client.listTools();
  return {
    tools,
    call: (name, args) => client.callTool({ name, arguments: args }),
    close: () => client.close(),
  };
}
