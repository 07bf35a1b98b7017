/**
 * Fixture: a hand-written legacy server, for faults that no library would commit: `node scripted-legacy.js [flags]`.
 * The flags are listed in `scripted/flags.ts` and can be combined.
 */
import { spawn } from "node:child_process";
import { setTimeout as delay } from "node:timers/promises";
import { allTools } from "./scripted/all-tools.ts";
import { dispatch } from "./scripted/dispatch.ts";
import { readFlags } from "./scripted/flags.ts";
import { LinePeer } from "./scripted/line-peer.ts";

const flags = readFlags(process.argv.slice(2));

if (flags.grandchild) startGrandchild();
if (flags.ignoreTerm) process.on("SIGTERM", () => {});
await delay(flags.slowStartMs);

const peer = new LinePeer(process.stdin, process.stdout);
const receive = dispatch(peer, flags, allTools(peer));
await peer.read(flags.neverStart ? () => {} : receive);

// The client has closed our input. A polite server exits, whatever is pending; a stubborn one only after a minute,
// so that a failed test leaves nothing behind for long.
if (flags.ignoreTerm) {
  process.stderr.write("ignoring the end of input\n");
  await delay(60_000);
}
process.exit();

/** Starts a process in our group that keeps our stdout open after we exit. */
function startGrandchild(): void {
  const script = "setTimeout(() => {}, 60_000)";
  const child = spawn(process.execPath, ["-e", script], { stdio: ["ignore", "inherit", "ignore"] });
  child.unref();
  process.stderr.write(`grandchild ${child.pid}\n`);
}
