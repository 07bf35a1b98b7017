/** Handles the messages of the client: the handshake, tool lists, calls and cancellations. */
import type { Flags } from "./flags.ts";
import type { RpcId, ClientMessage, RpcObject, LinePeer } from "./line-peer.ts";
import { ScriptedCall, type ScriptedTools } from "./scripted-call.ts";

export function dispatch(peer: LinePeer, flags: Flags, tools: ScriptedTools): (message: ClientMessage) => void {
  const calls = new Map<RpcId, ScriptedCall>();
  let first = true;

  return ({ id, method, params }) => {
    if (first && flags.exitOnDiscover && method !== "initialize") process.exit(1);
    first = false;
    if (method === "notifications/cancelled") cancel(params["requestId"] as RpcId);
    if (id !== undefined) answer(id, method, params);
  };

  function answer(id: RpcId, method: string, params: RpcObject): void {
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

  function call(id: RpcId, params: RpcObject): void {
    const tool = tools[String(params["name"])];
    if (!tool) return peer.send({ id, error: { code: -32602, message: `Unknown tool: ${String(params["name"])}` } });
    const { progressToken } = (params["_meta"] ?? {}) as { progressToken?: RpcId };
    const started = new ScriptedCall(peer, id, (params["arguments"] ?? {}) as RpcObject, progressToken, () =>
      calls.delete(id),
    );
    calls.set(id, started);
    void tool.run(started);
  }

  function cancel(id: RpcId): void {
    process.stderr.write(`cancelled ${id}\n`);
    calls.get(id)?.abandon();
  }
}

function initializeResult({ revision: protocolVersion, listChanged }: Flags): RpcObject {
  const serverInfo = { name: "scripted-legacy", version: "1.0.0" };
  return { protocolVersion, capabilities: { tools: listChanged ? { listChanged } : {} }, serverInfo };
}

function listPage(tools: ScriptedTools, flags: Flags, cursor: unknown): RpcObject {
  const list: RpcObject[] = Object.entries(tools).map(([name, { inputSchema }]) => ({ name, inputSchema }));
  if (flags.badTool) list.splice(1, 0, { description: "has no name", inputSchema: { type: "object" } });
  const page = typeof cursor === "string" ? Number(cursor.replace("page-", "")) : 1;
  const size = Math.ceil(list.length / flags.pages);
  const more = page < flags.pages ? { nextCursor: `page-${page + 1}` } : {};
  return { tools: list.slice((page - 1) * size, page * size), ...more };
}
