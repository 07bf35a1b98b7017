/** Tests the limits of answers, and that a cancelled request ends. */
import { createServer } from "node:http";
import type { ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import { setFlagsFromString } from "node:v8";
import { runInNewContext } from "node:vm";
import { openModel, runTurn } from "@plugboard/agent";
import { describe, expect, it, onTestFinished } from "vitest";
import { boundedFetch } from "#models/bounded-fetch.js";
import {
  collect,
  InstantClock,
  modelAt,
  NO_TOOLS,
  PROVIDERS,
  scriptedServer,
  toolsOf,
} from "../helpers/scripted-turn.ts";

const BOUNDS = { answerBytes: 100, lineBytes: 20 };

/** Starts a model server that answers with `write`. `closed` resolves when the connection of the answer ends. */
async function rawServer(write: (response: ServerResponse) => void) {
  let onClosed = () => {};
  const closed = new Promise<void>((resolve) => (onClosed = resolve));
  const server = createServer((_request, response) => {
    response.once("close", onClosed);
    response.writeHead(200, { "content-type": "text/event-stream" }).flushHeaders();
    write(response);
  });
  onTestFinished(() => {
    server.closeAllConnections();
    server.close();
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  return { url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`, closed };
}

/** Writes as fast as the client reads. */
function writeForever(response: ServerResponse, text: string): void {
  const write = () => {
    while (!response.destroyed && response.write(text));
  };
  response.on("drain", write);
  write();
}

describe("boundedFetch", () => {
  const fetch = boundedFetch(globalThis.fetch, "m/x", BOUNDS);

  it.each([
    ["an answer", "0123456789\n", "its answer is larger than 100 bytes"],
    ["a line", "0123456789", "a line of its answer is longer than 20 bytes"],
  ])("fails with MODEL_FAILED and ends the request if %s is too long", async (_title, text, reason) => {
    const { url, closed } = await rawServer((response) => writeForever(response, text));
    const reading = (await fetch(url)).text();
    await expect(reading).rejects.toMatchObject({ code: "MODEL_FAILED", details: { model: "m/x", reason } });
    await closed;
  });

  it("passes on an answer within the limits", async () => {
    const text = "0123456789\n".repeat(9);
    const { url } = await rawServer((response) => response.end(text));
    expect(await (await fetch(url)).text()).toBe(text);
  });

  it("ends the request when it is cancelled after a garbage collection", async () => {
    const { url, closed } = await rawServer((response) => response.write("a\n"));
    setFlagsFromString("--expose-gc");
    const collectGarbage = runInNewContext("gc") as () => void;
    const cancel = new AbortController();
    const response = await fetch(url, { signal: AbortSignal.any([cancel.signal]) });
    const reader = response.body!.getReader();
    await reader.read();
    const reading = reader.read();
    for (let round = 0; round < 5; round++) {
      collectGarbage();
      await new Promise((resolve) => setImmediate(resolve));
    }
    cancel.abort();
    await expect(reading).rejects.toMatchObject({ name: "AbortError" });
    await closed;
  });
});

it("a turn fails without retries if the answer has a line without an end", async () => {
  const { url, closed } = await rawServer((response) => writeForever(response, "x".repeat(65_536)));
  const clock = new InstantClock();
  const model = await openModel({ option: { model: "compatible/x", baseUrl: url }, env: {}, clock });
  const { finished } = await collect(runTurn({ model, tools: NO_TOOLS, prompt: "Hi" }));
  expect(finished.error).toMatchObject({ code: "MODEL_FAILED", details: { model: "compatible/x" } });
  expect(finished.error?.message).toContain("a line of its answer is longer than 8388608 bytes");
  expect(clock.delays).toEqual([]);
  await closed;
});

it.each(PROVIDERS)("a turn with %s ignores calls after the 128th, and says so to the model", async (provider) => {
  const calls = Array.from({ length: 200 }, () => ({ call: "look", id: "same" }));
  const server = await scriptedServer({ parts: calls }, { parts: [{ text: "I see." }] });
  let ran = 0;
  const tools = toolsOf({ look: () => `${++ran}` });
  const { finished } = await collect(runTurn({ model: await modelAt(server, provider), tools, prompt: "Go" }));
  expect(finished.reason).toBe("done");
  expect(ran).toBe(128);
  const { results } = server.requests[1]!;
  expect(results).toHaveLength(129);
  expect(new Set(results.map(({ id }) => id)).size).toBe(129);
  expect(results[128]?.text).toContain("An answer can have 128 calls. This call and the 71 after it were ignored.");
});
