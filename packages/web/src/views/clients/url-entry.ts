/** Returns the entry by which most clients use the gateway over HTTP. Pure. */
export function urlEntry(endpoint: string, token: string, profile = ""): string {
  const url = profile === "" ? `${endpoint}/mcp` : `${endpoint}/mcp/p/${profile}`;
  const plugboard = { type: "http", url, headers: { Authorization: `Bearer ${token}` } };
  return JSON.stringify({ mcpServers: { plugboard } }, null, 2);
}
