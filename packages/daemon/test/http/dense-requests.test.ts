/** Tests that a client with hostile requests does not stall the requests of another one. */
import { addNamedToken } from "@plugboard/daemon";
import { startFixture } from "@plugboard/testkit/fixture-process";
import { scriptedLegacy } from "@plugboard/testkit/start-server";
import { expect, it, onTestFinished } from "vitest";
import { frontWith } from "../helpers/front-requests.ts";
import { startRunningHost } from "../helpers/running-host.ts";

const SIZE = 15 * 1024 * 1024;
const REQUESTS = 5;
/** If a request was parsed, a turn of the event loop would take longer than this share of the time to parse it. */
const STALL_FACTOR = 0.8;

/** Sends the requests. Runs in a process of its own, because making them takes time too. */
const FLOOD = `
  const [url, token, head, piece, tail] = process.argv.slice(1);
  const body = head + piece.repeat(${SIZE} / piece.length) + tail;
  const headers = { authorization: "Bearer " + token, "content-type": "application/json" };
  const send = async () => (await fetch(url, { method: "POST", headers, body })).status;
  Promise.all(Array.from({ length: ${REQUESTS} }, send)).then((statuses) => console.log(JSON.stringify(statuses)));
`;

interface Body {
  readonly head: string;
  readonly piece: string;
  readonly tail: string;
}

it.each<[string, Body]>([
  ["brackets", { head: "", piece: "[", tail: "" }],
  ["commas", { head: "[", piece: "0,", tail: "0]" }],
  ["keys", { head: "{", piece: '"":0,', tail: '"a":0}' }],
])(
  "a client's requests of 15 MiB of %s do not stall another client's calls",
  { meta: { covers: ["A17"] }, timeout: 60_000 },
  async (_, { head, piece, tail }) => {
    const host = await startRunningHost({ s: scriptedLegacy() });
    onTestFinished(host.close);
    const hostile = await addNamedToken(host.env, { name: "hostile", mayApprove: false, now: 0 });
    const calm = frontWith(host, await addNamedToken(host.env, { name: "calm", mayApprove: false, now: 0 }));
    const session = await calm.open();
    const parts = [`{"jsonrpc":"2.0","id":1,"method":"x","params":{"a":${head}`, piece, `${tail}}}`];
    const flood = startFixture({ command: process.execPath, args: ["-e", FLOOD, host.url, hostile, ...parts] });
    onTestFinished(() => flood.close());
    const blocks = measureBlocks();
    const answered = flood.stdout.waitFor("\n", 50_000);
    const flooded = new AbortController();
    void answered.finally(() => flooded.abort());
    while (!flooded.signal.aborted) {
      expect(await (await calm.call("echo", { text: "hi" }, { session })).text()).toContain('"hi"');
    }
    await answered;
    const longestMs = blocks.stop();
    expect(JSON.parse(flood.stdout.text)).toEqual(Array(REQUESTS).fill(400));
    const text = Buffer.from(parts[0] + piece.repeat(SIZE / piece.length) + parts[2]).toString("latin1");
    const parseMs = cpuTimeOf(() => JSON.parse(text));
    expect(longestMs).toBeLessThan(STALL_FACTOR * parseMs);
  },
);

/**
 * Measures the longest turn of this process's event loop, which the host shares. Counts the time of the CPU, which, unlike the
 * time on the clock, does not depend on how busy the machine is.
 */
function measureBlocks() {
  let [longestMs, last] = [0, cpuMs()];
  let timer: NodeJS.Immediate;
  const turn = () => {
    const now = cpuMs();
    longestMs = Math.max(longestMs, now - last);
    last = now;
    timer = setImmediate(turn);
  };
  turn();
  return {
    stop() {
      clearImmediate(timer);
      return longestMs;
    },
  };
}

function cpuTimeOf(run: () => void): number {
  const startedAt = cpuMs();
  try {
    run();
  } catch {
    // Text that is no JSON is parsed up to its end, too.
  }
  return cpuMs() - startedAt;
}

function cpuMs(): number {
  const { user, system } = process.cpuUsage();
  return (user + system) / 1000;
}
