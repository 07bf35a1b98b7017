/** Tests `ReadThrottle` with a manual clock that each handled line advances. */
import { once } from "node:events";
import type { AddressInfo } from "node:net";
import { PassThrough } from "node:stream";
import { setImmediate as nextTurn } from "node:timers/promises";
import { StdioTransport } from "#transport/lines/stdio-transport.js";
import { ReadThrottle, SharedPause } from "#transport/messages/backpressure.js";
import { openWebSocket } from "#transport/websocket/websocket-transport.js";
import { serveStdioFront } from "@plugboard/mcp/server-transport";
import type { McpRequestHandler, ServerCapabilities } from "@plugboard/mcp";
import { describe, expect, it, onTestFinished, vi } from "vitest";
import { WebSocketServer } from "ws";
import { ManualClock } from "../../../../contracts/test/helpers/manual-clock.ts";

const NOTHING = Buffer.from("");

function throttled() {
  const clock = new ManualClock();
  const source = { pause: vi.fn<() => void>(), resume: vi.fn<() => void>() };
  const throttle = new ReadThrottle(source, clock);
  const chunk = (ms: number) => throttle.handle(NOTHING, () => clock.advance(ms));
  return { clock, source, throttle, chunk };
}

describe("ReadThrottle", { meta: { covers: ["A17"] } }, () => {
  it("pauses the source for three times the duration of a burst", () => {
    const { clock, source, chunk } = throttled();
    chunk(6);
    expect(source.pause).not.toHaveBeenCalled();
    chunk(6);
    expect(source.pause).toHaveBeenCalledOnce();
    clock.advance(35);
    expect(source.resume).not.toHaveBeenCalled();
    clock.advance(1);
    expect(source.resume).toHaveBeenCalledOnce();
    chunk(6);
    chunk(6);
    expect(source.pause).toHaveBeenCalledTimes(2);
  });

  it("does not pause for many small chunks, for one large message or for chunks with time between them", () => {
    const { clock, source, chunk } = throttled();
    for (let count = 0; count < 1000; count++) chunk(0.9);
    chunk(80);
    clock.advance(80);
    chunk(80);
    clock.advance(80);
    chunk(80);
    expect(source.pause).not.toHaveBeenCalled();
  });

  it("does not pause a source that has ended", () => {
    const { source, throttle, chunk } = throttled();
    for (let count = 0; count < 2; count++) chunk(6);
    throttle.stop();
    expect(source.resume).toHaveBeenCalledOnce();
    for (let count = 0; count < 10; count++) chunk(6);
    expect(source.pause).toHaveBeenCalledOnce();
  });
});

it("SharedPause resumes the source only when none of its users pauses it", { meta: { covers: ["A17"] } }, () => {
  const source = { pause: vi.fn<() => void>(), resume: vi.fn<() => void>() };
  const sharedPause = new SharedPause(source);
  const [first, second] = [sharedPause.createHandle(), sharedPause.createHandle()];
  first.pause();
  second.pause();
  first.pause();
  first.resume();
  first.resume();
  expect(source.pause).toHaveBeenCalledOnce();
  expect(source.resume).not.toHaveBeenCalled();
  second.resume();
  expect(source.resume).toHaveBeenCalledOnce();
});

const LINES = 10;
const CHUNKS = 20;

/** Writes chunks of lines. Each line takes a millisecond to handle. */
async function flood(input: PassThrough, line: string): Promise<void> {
  for (let chunk = 0; chunk < CHUNKS; chunk++) input.write(`${line}\n`.repeat(LINES));
  await nextTurn();
}

describe("A flood of small lines", { meta: { covers: ["A17"] } }, () => {
  it("leaves time for other work if it comes from a stdio server, and is read to the end after the server's exit", async () => {
    const clock = new ManualClock();
    const [stdin, stdout] = [new PassThrough(), new PassThrough()];
    let exit!: (reason: string) => void;
    const exited = new Promise<string>((resolve) => (exit = resolve));
    const process = { stdin, stdout, exited, stderrTail: "", stop: async () => {} };
    const transport = new StdioTransport({
      server: "tested",
      process: process as never,
      clock,
      maxMessageBytes: 1000,
    });
    let handled = 0;
    const closed = vi.fn<() => void>();
    const message = () => {
      handled += 1;
      clock.advance(1);
    };
    transport.start({ message, requestFailed: () => {}, closed });
    await flood(stdout, "noise");
    expect(handled).toBe(2 * LINES);
    clock.advance(60);
    await nextTurn();
    expect(handled).toBe(4 * LINES);
    exit("exit code 0");
    stdout.end();
    await vi.waitFor(() => expect(closed).toHaveBeenCalledOnce());
    expect(handled).toBe(CHUNKS * LINES);
  });

  it("leaves time for other work if it comes from a WebSocket server", async () => {
    const FRAMES = 60_000;
    const server = new WebSocketServer({ port: 0, host: "127.0.0.1" });
    onTestFinished(() => server.close());
    await once(server, "listening");
    server.on("connection", (client) => {
      for (let frame = 0; frame < FRAMES; frame++) client.send("noise");
    });
    const clock = new ManualClock();
    const after = vi.spyOn(clock, "after");
    const url = `ws://127.0.0.1:${(server.address() as AddressInfo).port}`;
    const transport = await openWebSocket({
      server: "tested",
      url,
      headers: {},
      clock,
      maxMessageBytes: 1000,
      keepAliveMs: 2 ** 31,
    });
    onTestFinished(() => transport.close());
    let handled = 0;
    const message = () => {
      handled += 1;
      clock.advance(1);
    };
    transport.start({ message, requestFailed: () => {}, closed: () => {} });
    const paused = () => after.mock.calls.filter(([ms]) => ms <= 1000).length;
    await vi.waitFor(() => expect(paused()).toBe(1));
    const before = handled;
    await nextTurn();
    expect(handled).toBe(before);
    expect(handled).toBeLessThan(FRAMES);
    await vi.waitFor(() => {
      clock.advance(1000);
      expect(handled).toBe(FRAMES);
    });
  });

  it("leaves time for other work if it comes from a client on stdio", async () => {
    const clock = new ManualClock();
    const [input, output] = [new PassThrough(), new PassThrough()];
    output.resume();
    let handled = 0;
    const handler: McpRequestHandler = {
      identity: { name: "tested", version: "0" },
      capabilities: () => {
        handled += 1;
        clock.advance(1);
        return { tools: true, listChanged: {} } as ServerCapabilities;
      },
      request: async () => ({ type: "complete", result: {} }),
      storeSuspended: async () => "",
      resume: async () => ({ type: "complete", result: {} }),
      listen: () => ({ stop: () => {} }),
    };
    const params = { protocolVersion: "2025-11-25", capabilities: {}, clientInfo: { name: "c", version: "1" } };
    const hello = JSON.stringify({ jsonrpc: "2.0", id: 1, method: "initialize", params });
    const { ended } = serveStdioFront({ handler, caller: { kind: "front", id: "client" }, input, output, clock });
    await flood(input, hello);
    expect(handled).toBe(2 * LINES);
    clock.advance(60);
    await nextTurn();
    expect(handled).toBe(4 * LINES);
    input.destroy();
    await ended;
  });
});
