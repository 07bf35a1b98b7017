/** Tests that a client with hostile requests does not stall the requests of another one. */
import { addNamedToken } from "@plugboard/host/tokens";
import { startFixture } from "@plugboard/testkit/fixture-process";
import { scriptedLegacy } from "@plugboard/testkit/start-server";
import { expect, it, onTestFinished, vi } from "vitest";
import { frontWith } from "../helpers/front-requests.ts";
import { startRunningHost } from "../helpers/running-host.ts";

const SIZE = 15 * 1024 * 1024;
const REQUESTS = 5;
/** The host must parse no text that is longer than this. */
const MAX_PARSED = 1024 * 1024;

/** Sends the requests. Runs in a process of its own, because making the requests takes time, too. */
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
    const parsed = watchParsing();
    const answered = flood.stdout.waitFor("\n", 50_000);
    const flooded = new AbortController();
    void answered.finally(() => flooded.abort());
    let calls = 0;
    while (!flooded.signal.aborted) {
      expect(await (await calm.call("echo", { text: "hi" }, { session })).text()).toContain('"hi"');
      calls += 1;
    }
    await answered;
    expect(JSON.parse(flood.stdout.text)).toEqual(Array(REQUESTS).fill(400));
    expect(calls).toBeGreaterThan(REQUESTS);
    expect(parsed.longest).toBeLessThan(MAX_PARSED);
  },
);

/** Records the longest text that this process parses as JSON, which takes long and can't be interrupted. */
function watchParsing(): { longest: number } {
  const parsed = { longest: 0 };
  const parse = JSON.parse.bind(JSON);
  const spy = vi.spyOn(JSON, "parse").mockImplementation((text, reviver) => {
    parsed.longest = Math.max(parsed.longest, text.length);
    return parse(text, reviver) as unknown;
  });
  onTestFinished(() => spy.mockRestore());
  return parsed;
}
