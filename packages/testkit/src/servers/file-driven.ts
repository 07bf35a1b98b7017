/**
 * Fixture: a legacy server that reads its tools from a file for each request: `node file-driven.js <file> <journal>`.
 * The file has `tools` and their `results` by name. The journal gets a line for each request. The additional tool
 * `announce` sends a list_changed notification.
 */
import { appendFileSync, readFileSync } from "node:fs";
import { LinePeer, type RpcId, type ClientMessage, type RpcObject } from "./scripted/line-peer.ts";

const [, , file = "", journal = ""] = process.argv;
const ANNOUNCE = { name: "announce", inputSchema: { type: "object" } };
const INITIALIZE_RESULT = {
  protocolVersion: "2025-11-25",
  capabilities: { tools: { listChanged: true } },
  serverInfo: { name: "file-driven", version: "1.0.0" },
};
const DEFAULT_RESULT = { content: [{ type: "text", text: "done" }] };

interface ServerScript {
  readonly tools: readonly RpcObject[];
  readonly results?: { readonly [tool: string]: RpcObject };
}

const peer = new LinePeer(process.stdin, process.stdout);
appendToJournal(`started ${process.pid}`);
await peer.read(({ id, method, params }) => {
  if (id !== undefined) answer(id, { method, params });
});
process.exit();

function answer(id: RpcId, { method, params }: ClientMessage): void {
  if (method === "initialize") return peer.send({ id, result: INITIALIZE_RESULT });
  if (method === "ping") return peer.send({ id, result: {} });
  if (method === "tools/list") {
    appendToJournal(method);
    return peer.send({ id, result: { tools: [...readScript().tools, ANNOUNCE] } });
  }
  if (method === "tools/call") return call(id, String(params["name"]), params["arguments"]);
  peer.send({ id, error: { code: -32601, message: `Method not found: ${method}` } });
}

function call(id: RpcId, name: string, args: unknown): void {
  appendToJournal(`tools/call ${name} ${JSON.stringify(args)}`);
  if (name === ANNOUNCE.name) peer.notify("notifications/tools/list_changed", {});
  peer.send({ id, result: readScript().results?.[name] ?? DEFAULT_RESULT });
}

function readScript(): ServerScript {
  return JSON.parse(readFileSync(file, "utf8")) as ServerScript;
}

function appendToJournal(line: string): void {
  appendFileSync(journal, `${line}\n`);
}
