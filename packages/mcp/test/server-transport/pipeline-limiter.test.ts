/** Tests requests that a client sends on one connection without waiting for responses. */
import { EventEmitter, once } from "node:events";
import type { IncomingMessage, ServerResponse } from "node:http";
import { connect } from "node:net";
import type { Socket } from "node:net";
import { HttpFront } from "@plugboard/mcp/server-transport";
import { PipelineLimiter } from "#server-transport/pipeline-limiter.js";
import type { CancelSignal } from "@plugboard/contracts";
import type { McpRequestHandler, Outcome, ServerCapabilities } from "@plugboard/mcp";
import { describe, expect, it, onTestFinished, vi } from "vitest";
import { listenFront } from "../helpers/served-front.ts";

const LARGE = 2 * 1024 * 1024;

/** Starts a server that withholds its responses until the test releases them. */
async function start(text: string) {
  const answers: (() => void)[] = [];
  const signals: CancelSignal[] = [];
  let requested = 0;
  const handler: McpRequestHandler = {
    identity: { name: "tested", version: "0" },
    capabilities: () => ({ tools: true, listChanged: {} }) as ServerCapabilities,
    request: (_op, _caller, { signal }) => {
      requested += 1;
      signals.push(signal);
      return new Promise<Outcome>((resolve) =>
        answers.push(() => resolve({ type: "complete", result: { content: [{ type: "text", text }] } })),
      );
    },
    storeSuspended: async () => "",
    resume: async () => ({ type: "complete", result: {} }),
    listen: () => ({ stop: () => {} }),
  };
  const socket = connect(await listenFront(new HttpFront({ handler })), "127.0.0.1");
  onTestFinished(() => void socket.destroy());
  await once(socket, "connect");
  return {
    socket,
    signals,
    requested: () => requested,
    answerAll: () => answers.splice(0).forEach((answer) => answer()),
  };
}

function pipeline(socket: Socket, count: number): void {
  const _meta = {
    "io.modelcontextprotocol/protocolVersion": "2026-07-28",
    "io.modelcontextprotocol/clientCapabilities": {},
  };
  const params = { name: "t", arguments: {}, _meta };
  const body = JSON.stringify({ jsonrpc: "2.0", id: 1, method: "tools/call", params });
  const head = [
    "POST /mcp HTTP/1.1",
    "host: x",
    "content-type: application/json",
    "mcp-protocol-version: 2026-07-28",
    "mcp-method: tools/call",
    "mcp-name: t",
    `content-length: ${body.length}`,
  ];
  socket.write(`${head.join("\r\n")}\r\n\r\n${body}`.repeat(count));
}

const turns = async (count = 50) => {
  for (let turn = 0; turn < count; turn++) await new Promise((resolve) => setImmediate(resolve));
};

describe("PipelineLimiter with 60 requests on one connection", () => {
  it("handles only a few requests while the client does not read, and all of them after it reads", async () => {
    const warnings: Error[] = [];
    const warned = (warning: Error) => void warnings.push(warning);
    process.on("warning", warned);
    onTestFinished(() => void process.off("warning", warned));
    const { socket, requested, answerAll } = await start("x".repeat(LARGE));
    socket.pause();
    pipeline(socket, 60);
    await vi.waitFor(() => expect(requested()).toBe(4), { timeout: 10_000 });
    answerAll();
    await turns();
    // A response in the kernel's buffer counts as sent, which makes room for a few more requests.
    expect(requested()).toBeLessThanOrEqual(8);

    let bytes = 0;
    socket.on("data", (chunk: Buffer) => (bytes += chunk.length));
    socket.resume();
    const serving = setInterval(answerAll, 1);
    onTestFinished(() => clearInterval(serving));
    await vi.waitFor(() => expect(bytes).toBeGreaterThan(60 * LARGE), { timeout: 60_000 });
    expect(requested()).toBe(60);
    expect(warnings).toEqual([]);
  });

  it("cancels the running requests and never handles the others if the client disconnects", async () => {
    const { socket, requested, signals } = await start("x");
    pipeline(socket, 60);
    await vi.waitFor(() => expect(requested()).toBe(4), { timeout: 10_000 });
    socket.destroy();
    await vi.waitFor(() => expect(signals.every(({ aborted }) => aborted)).toBe(true), { timeout: 10_000 });
    await turns();
    expect(requested()).toBe(4);
  });
});

it("PipelineLimiter counts the requests of one connection over all fronts, with one listener", async () => {
  const socket = Object.assign(new EventEmitter(), { destroyed: false });
  const enter = () => {
    const response = new EventEmitter();
    const entered = new PipelineLimiter().enter(
      { socket } as unknown as IncomingMessage,
      response as unknown as ServerResponse,
    );
    return { response, entered };
  };
  const requests = Array.from({ length: 20 }, enter);
  expect(socket.listenerCount("close")).toBe(1);
  expect(requests.filter(({ entered }) => entered === true)).toHaveLength(4);
  requests[0]!.response.emit("close");
  expect(await requests[4]!.entered).toBe(true);
});
