/**
 * Fixture: a legacy server that is what a file says, read anew for every request: `node from-file.js <file> <journal>`.
 * The file holds `tools` and, by name, their `results`. What is asked of it goes into the journal, a line each. It has
 * one more tool, `announce`, which says that the list of tools has changed.
 */
import { appendFileSync, readFileSync } from "node:fs";
import { LinePeer, type Id, type Incoming, type Json } from "./scripted/line-peer.ts";

const [, , file = "", journal = ""] = process.argv;
const ANNOUNCE = { name: "announce", inputSchema: { type: "object" } };
const HELLO = {
  protocolVersion: "2025-11-25",
  capabilities: { tools: { listChanged: true } },
  serverInfo: { name: "from-file", version: "1.0.0" },
};
const SAID = { content: [{ type: "text", text: "done" }] };

interface Told {
  readonly tools: readonly Json[];
  readonly results?: { readonly [tool: string]: Json };
}

const peer = new LinePeer(process.stdin, process.stdout);
note(`started ${process.pid}`);
await peer.read(({ id, method, params }) => {
  if (id !== undefined) answer(id, { method, params });
});
process.exit();

function answer(id: Id, { method, params }: Incoming): void {
  if (method === "initialize") return peer.send({ id, result: HELLO });
  if (method === "ping") return peer.send({ id, result: {} });
  if (method === "tools/list") {
    note(method);
    return peer.send({ id, result: { tools: [...told().tools, ANNOUNCE] } });
  }
  if (method === "tools/call") return call(id, String(params["name"]), params["arguments"]);
  peer.send({ id, error: { code: -32601, message: `Method not found: ${method}` } });
}

function call(id: Id, name: string, args: unknown): void {
  note(`tools/call ${name} ${JSON.stringify(args)}`);
  if (name === ANNOUNCE.name) peer.notify("notifications/tools/list_changed", {});
  peer.send({ id, result: told().results?.[name] ?? SAID });
}

function told(): Told {
  return JSON.parse(readFileSync(file, "utf8")) as Told;
}

function note(line: string): void {
  appendFileSync(journal, `${line}\n`);
}
