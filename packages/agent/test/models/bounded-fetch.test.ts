/** Tests the limits of an answer byte by byte, and what a cancelled or failed request leaves behind. */
import { getEventListeners } from "node:events";
import { boundedFetch } from "#models/bounded-fetch.js";
import { describe, expect, it } from "vitest";

const BOUNDS = { answerBytes: 20, lineBytes: 8 };
const MIB = 1024 * 1024;

/** A body with these chunks. It does not end if `end` is false. */
function bodyOf(chunks: readonly (string | Uint8Array)[], end = true) {
  const state = { cancelled: undefined as unknown, pulls: 0 };
  const left = chunks.map((chunk) => (typeof chunk === "string" ? new TextEncoder().encode(chunk) : chunk));
  const body = new ReadableStream<Uint8Array>(
    {
      pull(controller) {
        state.pulls++;
        const chunk = left.shift();
        if (chunk) controller.enqueue(chunk);
        else if (end) controller.close();
      },
      cancel: (reason) => void (state.cancelled = reason ?? "without a reason"),
    },
    { highWaterMark: 0 },
  );
  return { body, state };
}

const read = (chunks: readonly (string | Uint8Array)[], bounds: typeof BOUNDS | undefined = BOUNDS) =>
  boundedFetch(async () => new Response(bodyOf(chunks).body), "m/x", bounds)("http://x").then((one) => one.text());

describe("the limits of an answer", () => {
  it.each([
    [["12345678\n", "12345678"]],
    [["1234", "5678", "\n1234567\n", "12"]],
    [["a\nb\n12345678"]],
    [["1234567\n1234567\n1234"]],
  ])("accept %j", async (chunks) => {
    expect(await read(chunks)).toBe(chunks.join(""));
  });

  it.each([
    [["123456789"], "a line of its answer is longer than 8 bytes"],
    [["1234", "56789\n"], "a line of its answer is longer than 8 bytes"],
    [["123", "456", "789"], "a line of its answer is longer than 8 bytes"],
    [["a\n1234", "56789"], "a line of its answer is longer than 8 bytes"],
    [["a\nb\n12345", "6789"], "a line of its answer is longer than 8 bytes"],
    [["1234567\n1234567\n12345"], "its answer is larger than 20 bytes"],
    [["1234567\n", "1234567\n", "12345"], "its answer is larger than 20 bytes"],
  ])("reject %j", async (chunks, reason) => {
    await expect(read(chunks)).rejects.toMatchObject({ code: "MODEL_FAILED", details: { model: "m/x", reason } });
  });

  it("are 64 MiB and 8 MiB a line by default", async () => {
    const fetchDefault = (chunks: readonly Uint8Array[]) =>
      boundedFetch(async () => new Response(bodyOf(chunks).body), "m/x")("http://x").then((one) => one.arrayBuffer());
    const line = new Uint8Array(8 * MIB).fill(120);
    line[8 * MIB - 1] = 10;
    const lines = Array.from({ length: 8 }, () => line);
    expect((await fetchDefault(lines)).byteLength).toBe(64 * MIB);
    await expect(fetchDefault([...lines, new Uint8Array(1)])).rejects.toThrow(
      "its answer is larger than 67108864 bytes",
    );
    const long = new Uint8Array(8 * MIB + 1).fill(120);
    expect((await fetchDefault([long.subarray(1)])).byteLength).toBe(8 * MIB);
    await expect(fetchDefault([long])).rejects.toThrow("a line of its answer is longer than 8388608 bytes");
  });
});

const listenersOf = (signal: AbortSignal) => getEventListeners(signal, "abort").length;

describe("a request", () => {
  it("follows no redirect, and keeps the status and the headers of the answer", async () => {
    const inits: unknown[] = [];
    const fetch = boundedFetch(async (_url, init) => {
      inits.push(init);
      return new Response("x", { status: 201, statusText: "Made", headers: { "x-a": "1" } });
    }, "m/x");
    const response = await fetch("http://x", { method: "POST" });
    expect(inits).toEqual([{ method: "POST", redirect: "error" }]);
    expect([response.status, response.statusText, response.headers.get("x-a")]).toEqual([201, "Made", "1"]);
  });

  it("returns an answer without a body as it is", async () => {
    const answer = new Response(null, { status: 204 });
    expect(await boundedFetch(async () => answer, "m/x")("http://x")).toBe(answer);
  });

  const openWith = async (signal: AbortSignal, { body }: ReturnType<typeof bodyOf>) =>
    (await boundedFetch(async () => new Response(body), "m/x", BOUNDS)("http://x", { signal })).body!.getReader();

  it("reads no more of the body than its reader asks for", async () => {
    const { signal } = new AbortController();
    const source = bodyOf(["a", "b", "c"]);
    const reader = await openWith(signal, source);
    await new Promise(setImmediate);
    expect(source.state.pulls).toBe(0);
    await reader.read();
    await new Promise(setImmediate);
    expect(source.state.pulls).toBe(1);
  });

  it("ends with the reason of the cancellation, and cancels the body of the provider", async () => {
    const abort = new AbortController();
    const { signal } = abort;
    const source = bodyOf(["a"], false);
    const reader = await openWith(signal, source);
    await reader.read();
    const reading = reader.read();
    abort.abort("enough");
    await expect(reading).rejects.toBe("enough");
    expect([source.state.cancelled, listenersOf(signal)]).toEqual(["enough", 0]);
  });

  it("ends at once if it was cancelled before the answer", async () => {
    const source = bodyOf(["a"]);
    const reader = await openWith(AbortSignal.abort("early"), source);
    await expect(reader.read()).rejects.toBe("early");
    expect(source.state.cancelled).toBe("early");
  });

  it("leaves no listener behind, whether it ends, fails, or its reader stops", async () => {
    const { signal } = new AbortController();
    const ended = await openWith(signal, bodyOf(["a"]));
    expect(listenersOf(signal)).toBe(1);
    while (!(await ended.read()).done);
    expect(listenersOf(signal)).toBe(0);
    const tooLong = bodyOf(["123456789"], false);
    const failed = await openWith(signal, tooLong);
    await expect(failed.read()).rejects.toMatchObject({ code: "MODEL_FAILED" });
    await new Promise(setImmediate);
    expect(listenersOf(signal)).toBe(0);
    expect(tooLong.state.cancelled).toMatchObject({ code: "MODEL_FAILED" });
    const left = bodyOf(["a"], false);
    await (await openWith(signal, left)).cancel("left");
    expect([listenersOf(signal), left.state.cancelled]).toEqual([0, "left"]);
  });

  it("passes on an error of the body", async () => {
    const body = new ReadableStream<Uint8Array>({ pull: () => Promise.reject(new Error("lost")) });
    const reading = boundedFetch(async () => new Response(body), "m/x")("http://x").then((one) => one.text());
    await expect(reading).rejects.toThrow("lost");
  });
});
