/** Fixture: a legacy server that stops reading after it has listed its tools. It exits after a minute. */
const HANDSHAKE = {
  protocolVersion: "2025-11-25",
  capabilities: { tools: {} },
  serverInfo: { name: "stops-reading", version: "1.0.0" },
};

let unread = "";

process.stdin.setEncoding("utf8").on("data", (piece: string) => {
  const lines = (unread + piece).split("\n");
  unread = lines.pop() ?? "";
  for (const line of lines) receive(JSON.parse(line) as { id?: number; method: string });
});
setTimeout(() => process.exit(), 60_000);

function receive({ id, method }: { id?: number; method: string }): void {
  if (id === undefined) return;
  if (method === "tools/list") process.stdin.pause();
  const result = { initialize: HANDSHAKE, "tools/list": { tools: [{ name: "echo" }] } }[method];
  const body = result ? { result } : { error: { code: -32601, message: "no such method" } };
  process.stdout.write(`${JSON.stringify({ jsonrpc: "2.0", id, ...body })}\n`);
}
