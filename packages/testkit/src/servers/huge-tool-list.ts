/**
 * Fixture: a legacy server with a tool list that is too long: `node huge-tool-list.js pages|tools`. `pages` sends
 * endless pages with one invalid tool each. `tools` sends 100 000 tools in one page; every tenth is invalid.
 */
import { dispatch } from "./scripted/dispatch.ts";
import { readFlags } from "./scripted/flags.ts";
import { LinePeer } from "./scripted/line-peer.ts";
import { plainTools } from "./scripted/plain-tools.ts";

const [, , kind] = process.argv;
const inputSchema = { type: "object" };
let pages = 0;

const peer = new LinePeer(process.stdin, process.stdout);
const receive = dispatch(peer, readFlags([]), plainTools(peer));
await peer.read((message) => {
  if (message.method === "tools/list")
    peer.send({ id: message.id, result: kind === "pages" ? nextPage() : allTools() });
  else receive(message);
});
process.exit();

function nextPage() {
  pages += 1;
  return { tools: [{ name: `tool-${pages}`, inputSchema }, { inputSchema }], nextCursor: `page-${pages + 1}` };
}

function allTools() {
  const tools = Array.from({ length: 100_000 }, (_, index) =>
    index % 10 === 9 ? { name: 7, inputSchema } : { name: `tool-${index}`, inputSchema },
  );
  return { tools };
}
