/** Tests that a client with hostile requests does not stall the requests of another one. */
import { once } from "node:events";
import { Worker } from "node:worker_threads";
import { addNamedToken } from "@plugboard/daemon";
import { scriptedLegacy } from "@plugboard/testkit/start-server";
import { expect, it, onTestFinished } from "vitest";
import { frontWith } from "../helpers/front-requests.ts";
import { startRunningHost } from "../helpers/running-host.ts";

const SIZE = 15 * 1024 * 1024;
/** If the requests were parsed, some call would wait longer than this many times the time that parsing one takes. */
const STALL_FACTOR = 1.5;

/** Also measures how long it takes to parse a request, because this depends on how busy the machine is. */
const FLOOD = `
  const { parentPort, workerData } = require("node:worker_threads");
  const { url, token, body } = workerData;
  const headers = { authorization: "Bearer " + token, "content-type": "application/json" };
  const send = async () => (await fetch(url, { method: "POST", headers, body })).status;
  const startedAt = performance.now();
  try {
    JSON.parse(body);
  } catch {}
  const parseMs = performance.now() - startedAt;
  Promise.all(Array.from({ length: 5 }, send)).then((statuses) => parentPort.postMessage({ statuses, parseMs }));
`;

it.each([
  ["brackets", `{"jsonrpc":"2.0","id":1,"method":"x","params":{"a":${"[".repeat(SIZE)}`],
  ["commas", `{"jsonrpc":"2.0","id":1,"method":"x","params":{"a":[${"0,".repeat(SIZE / 2)}0]}}`],
  ["keys", `{"jsonrpc":"2.0","id":1,"method":"x","params":{${'"":0,'.repeat(SIZE / 5)}"a":0}}`],
])(
  "a client's requests of 15 MiB of %s do not stall another client's calls",
  { meta: { covers: ["A17"] }, timeout: 60_000 },
  async (_, body) => {
    const host = await startRunningHost({ s: scriptedLegacy() });
    onTestFinished(host.close);
    const [hostile, calm] = [
      await addNamedToken(host.env, { name: "hostile", mayApprove: false, now: 0 }),
      frontWith(host, await addNamedToken(host.env, { name: "calm", mayApprove: false, now: 0 })),
    ];
    const session = await calm.open();
    const timeOfCall = async () => {
      const startedAt = performance.now();
      expect(await (await calm.call("echo", { text: "hi" }, { session })).text()).toContain('"hi"');
      return performance.now() - startedAt;
    };
    const quiet: number[] = [];
    for (let count = 0; count < 20; count++) quiet.push(await timeOfCall());
    // Another thread sends the requests, because making them takes time too.
    const worker = new Worker(FLOOD, { eval: true, workerData: { url: host.url, token: hostile, body } });
    const flooded = new AbortController();
    const flood = once(worker, "message").finally(() => flooded.abort());
    const disturbed: number[] = [];
    while (!flooded.signal.aborted || disturbed.length < 5) disturbed.push(await timeOfCall());
    const [{ statuses, parseMs }] = (await flood) as [{ statuses: number[]; parseMs: number }];
    expect(statuses).toEqual(Array(5).fill(400));
    expect(Math.max(...disturbed)).toBeLessThan(Math.max(5 * Math.max(...quiet), STALL_FACTOR * parseMs));
  },
);
