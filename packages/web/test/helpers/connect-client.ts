/** Connects an MCP client to the gateway of a page's host. */
import { Client, StreamableHTTPClientTransport } from "@modelcontextprotocol/client";
import { onTestFinished } from "vitest";

/** A client that can't be asked itself, so that the inbox gets its questions. */
export async function connectClient(url: string, token: string): Promise<Client> {
  const client = new Client({ name: "Cursor", version: "1.0.0" });
  const headers = { Authorization: `Bearer ${token}` };
  await client.connect(new StreamableHTTPClientTransport(new URL(url), { requestInit: { headers } }));
  onTestFinished(() => client.close());
  return client;
}
