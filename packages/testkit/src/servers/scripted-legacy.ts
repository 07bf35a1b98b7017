/**
 * Fixture: a hand-written legacy server, for faults that no library would commit: `node scripted-legacy.js [flags]`.
 * The flags are listed in `scripted/flags.ts` and can be combined.
 */
import { spawn } from "node:child_process";
import { setTimeout as delay } from "node:timers/promises";
import { dispatch } from "./scripted/dispatch.ts";
import { readFlags } from "./scripted/flags.ts";
import { LinePeer } from "./scripted/line-peer.ts";
import { clientRequestTools } from "./scripted/client-request-tools.ts";
import { faultyTools } from "./scripted/faulty-tools.ts";
import { pendingCallTools } from "./scripted/pending-call-tools.ts";
import { plainTools } from "./scripted/plain-tools.ts";

const flags = readFlags(process.argv.slice(2));

if (flags.grandchild) startGrandchild();
if (flags.ignoreTerm) process.on("SIGTERM", () => {});
await delay(flags.slowStartMs);

const peer = new LinePeer(process.stdin, process.stdout);
const tools = {
  ...plainTools(peer),
  ...clientRequestTools(peer),
  ...pendingCallTools(peer),
  ...faultyTools(peer),
};
const receive = dispatch(peer, flags, tools);
await peer.read(flags.neverStart ? () => {} : receive);

// The client has closed stdin. The server exits now, even if calls are pending. With --ignore-term it exits after a
// minute, so that a failed test leaves no process behind.
if (flags.ignoreTerm) {
  process.stderr.write("ignoring the end of input\n");
  await delay(60_000);
}
process.exit();

/** Starts a process in the same group that keeps this server's stdout open after the server exits. */
function startGrandchild(): void {
  const script = "setTimeout(() => {}, 60_000)";
  const child = spawn(process.execPath, ["-e", script], { stdio: ["ignore", "inherit", "ignore"] });
  child.unref();
  process.stderr.write(`grandchild ${child.pid}\n`);
}
