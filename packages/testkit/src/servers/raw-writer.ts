/**
 * Fixture: a legacy server that writes any output or crashes on request: `node raw-writer.js [flags]`. The flags are
 * those of the scripted legacy server.
 */
import { crashTools } from "./raw-writer/crash-tools.ts";
import { rawOutputTools } from "./raw-writer/raw-output-tools.ts";
import { dispatch } from "./scripted/dispatch.ts";
import { readFlags } from "./scripted/flags.ts";
import { LinePeer } from "./scripted/line-peer.ts";
import { plainTools } from "./scripted/plain-tools.ts";

const peer = new LinePeer(process.stdin, process.stdout);
let toolListCount = 0;
const tools = { ...plainTools(peer), ...rawOutputTools(peer, () => toolListCount), ...crashTools() };
const receive = dispatch(peer, readFlags(process.argv.slice(2)), tools);
await peer.read((message) => {
  if (message.method === "tools/list") toolListCount += 1;
  receive(message);
});
process.exit();
