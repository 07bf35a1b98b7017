/** Tests the responses to a legacy HTTP client that loses its connection and resumes. */
import { expect, it, vi } from "vitest";
import { done, serveFront } from "../helpers/served-front.ts";
import type { ServedFront } from "../helpers/served-front.ts";

const call = { jsonrpc: "2.0", id: 1, method: "tools/call", params: { name: "t", _meta: { progressToken: "p" } } };
const progress = { progress: 1, total: 2 };
const answer = { jsonrpc: "2.0", id: 1, result: { content: [] } };

/** Opens a session and returns the function that sends its requests. */
async function openSession({ url }: ServedFront, protocolVersion = "2025-11-25") {
  const accept = "application/json, text/event-stream";
  const send = (method: string, headers: { [name: string]: string }, body?: unknown, signal?: AbortSignal) =>
    fetch(url, {
      method,
      headers: { accept, ...headers },
      ...(body !== undefined && { body: JSON.stringify(body) }),
      ...(signal && { signal }),
    });
  const params = { protocolVersion, capabilities: {}, clientInfo: { name: "c", version: "1" } };
  const opened = await send("POST", {}, { jsonrpc: "2.0", id: 0, method: "initialize", params });
  await opened.text();
  const session = { "mcp-session-id": opened.headers.get("mcp-session-id") ?? "" };
  return {
    post: (body: unknown, signal?: AbortSignal) => send("POST", session, body, signal),
    resume: (id: string) => send("GET", { ...session, "last-event-id": id }),
  };
}

/** Reads until the text contains the given part, and leaves the connection open. */
async function readUntil(response: Response, part: string): Promise<string> {
  const reader = response.body!.pipeThrough(new TextDecoderStream()).getReader();
  let text = "";
  while (!text.includes(part)) {
    const { value, done: ended } = await reader.read();
    if (ended) throw new Error(`the stream ended after ${text}`);
    text += value;
  }
  return text;
}

/** Starts a call and closes its connection while the response is a stream. */
async function loseConnection() {
  const front = await serveFront();
  const { post, resume } = await openSession(front);
  const connection = new AbortController();
  const pending = post(call, connection.signal);
  const { ctx, answer: complete } = await front.next();
  front.clock.advance(100);
  const first = await readUntil(await pending, "retry");
  connection.abort();
  await vi.waitFor(() => expect(front.clock.pendingTimers).toBe(1));
  return { front, ctx, complete, resume: () => resume(lastId(first)) };
}

const lastId = (text: string) => [...text.matchAll(/^id: (.*)$/gm)].at(-1)?.[1] ?? "";

it("a fast response to a legacy client is one JSON body", async () => {
  const front = await serveFront();
  const { post } = await openSession(front);
  const response = post(call);
  (await front.next()).answer(done);
  expect(await (await response).json()).toEqual(answer);
  expect(front.clock.pendingTimers).toBe(0);
});

it("a slow response to a legacy client is a stream that starts with an event id and a retry time", async () => {
  const front = await serveFront();
  const { post } = await openSession(front);
  const pending = post(call);
  const request = await front.next();
  front.clock.advance(100);
  const response = await pending;
  expect(response.headers.get("content-type")).toBe("text/event-stream");
  request.answer(done);
  const text = await response.text();
  expect(text).toMatch(/^id: \w+-0\nretry: 1000\ndata: \n\n/);
  expect(text).toContain(`data: ${JSON.stringify(answer)}\n\n`);
});

it("a slow response to a client of an older revision does not start before its first message", async () => {
  const front = await serveFront();
  const { post } = await openSession(front, "2025-06-18");
  const pending = post(call);
  const request = await front.next();
  front.clock.advance(60_000);
  request.answer(done);
  expect(await (await pending).json()).toEqual(answer);
});

it("a client that resumes a lost stream gets the events that it has missed", async () => {
  const front = await serveFront();
  const { post, resume } = await openSession(front);
  const connection = new AbortController();
  const pending = post(call, connection.signal);
  const { ctx, answer: complete } = await front.next();
  ctx.onProgress?.(progress);
  const first = await readUntil(await pending, '"progress":1');
  connection.abort();
  await vi.waitFor(() => expect(front.clock.pendingTimers).toBe(1));
  ctx.onProgress?.({ progress: 2, total: 2 });
  const resumed = await resume(lastId(first));
  complete(done);
  const rest = await resumed.text();
  expect(rest).not.toContain('"progress":1,');
  expect(rest).toContain('"progress":2');
  expect(rest).toContain(`data: ${JSON.stringify(answer)}\n\n`);
  await vi.waitFor(() => expect(front.clock.pendingTimers).toBe(0));
  expect((await resume(lastId(rest))).status).toBe(400);
});

it("a response that completes while the client is disconnected is sent when the client resumes", async () => {
  const { ctx, complete, resume } = await loseConnection();
  complete(done);
  expect(ctx.signal.aborted).toBe(false);
  expect(await (await resume()).text()).toContain(JSON.stringify(answer));
});

it("a call is cancelled if its client does not resume the stream in time", async () => {
  const { front, ctx, resume } = await loseConnection();
  front.clock.advance(29_999);
  expect(ctx.signal.aborted).toBe(false);
  front.clock.advance(1);
  expect(ctx.signal.aborted).toBe(true);
  expect((await resume()).status).toBe(400);
});

it("a resumed call is not cancelled when the time to resume has passed", async () => {
  const { front, ctx, complete, resume } = await loseConnection();
  const resumed = await resume();
  front.clock.advance(60_000);
  expect(ctx.signal.aborted).toBe(false);
  complete(done);
  expect(await resumed.text()).toContain(JSON.stringify(answer));
});
