/** Routes what the client sends: the handshake, the list of tools, calls and their cancellation. */
import type { Flags } from "./flags.ts";
import type { Id, Incoming, Json, LinePeer } from "./line-peer.ts";
import { ToolCall, type Tools } from "./tool-call.ts";

export function dispatch(peer: LinePeer, flags: Flags, tools: Tools): (message: Incoming) => void {
  const calls = new Map<Id, ToolCall>();
  let first = true;

  return ({ id, method, params }) => {
    if (first && flags.exitOnDiscover && method !== "initialize") process.exit(1);
    first = false;
    if (method === "notifications/cancelled") cancel(params["requestId"] as Id);
    if (id !== undefined) answer(id, method, params);
  };

  function answer(id: Id, method: string, params: Json): void {
    switch (method) {
      case "initialize":
        return peer.send({ id, result: initializeResult(flags) });
      case "ping":
        return peer.send({ id, result: {} });
      case "tools/list":
        return peer.send({ id, result: listPage(tools, flags, params["cursor"]) });
      case "tools/call":
        return call(id, params);
      case "server/discover":
        if (flags.silentOnDiscover) return;
    }
    peer.send({ id, error: { code: -32601, message: `Method not found: ${method}` } });
  }

  function call(id: Id, params: Json): void {
    const tool = tools[String(params["name"])];
    if (!tool) return peer.send({ id, error: { code: -32602, message: `Unknown tool: ${String(params["name"])}` } });
    const { progressToken } = (params["_meta"] ?? {}) as { progressToken?: Id };
    const started = new ToolCall(peer, id, (params["arguments"] ?? {}) as Json, progressToken, () => calls.delete(id));
    calls.set(id, started);
    void tool.run(started);
  }

  function cancel(id: Id): void {
    process.stderr.write(`cancelled ${id}\n`);
    calls.get(id)?.abandon();
  }
}

function initializeResult({ revision: protocolVersion, listChanged }: Flags): Json {
  const serverInfo = { name: "scripted-legacy", version: "1.0.0" };
  return { protocolVersion, capabilities: { tools: listChanged ? { listChanged } : {} }, serverInfo };
}

function listPage(tools: Tools, flags: Flags, cursor: unknown): Json {
  const list: Json[] = Object.entries(tools).map(([name, { inputSchema }]) => ({ name, inputSchema }));
  if (flags.badTool) list.splice(1, 0, { description: "has no name", inputSchema: { type: "object" } });
  const page = typeof cursor === "string" ? Number(cursor.replace("page-", "")) : 1;
  const size = Math.ceil(list.length / flags.pages);
  const more = page < flags.pages ? { nextCursor: `page-${page + 1}` } : {};
  return { tools: list.slice((page - 1) * size, page * size), ...more };
}
