/** Tests the transport alone, with real processes that misuse their pipes. */
import { once } from "node:events";
import { StdioTransport } from "#transport/lines/stdio-transport.js";
import type { ParsedMessage, Message } from "#wire/message.js";
import { systemClock } from "@plugboard/contracts";
import { Processes } from "@plugboard/mcp/process";
import type { Clock, HostError } from "@plugboard/contracts";
import { waitUntilDead } from "@plugboard/testkit/process-alive";
import { describe, expect, it, onTestFinished, vi } from "vitest";
import { fastClock } from "../../helpers/fast-clock.ts";
import { ManualClock } from "../../../../contracts/test/helpers/manual-clock.ts";

const MIB = 1024 * 1024;
const KEEP_RUNNING = "setInterval(() => {}, 1000);";
const request = (params = {}): Message => ({ jsonrpc: "2.0", id: 1, method: "tools/call", params });

interface RunOptions {
  readonly onMessage?: (incoming: ParsedMessage, send: (message: Message) => void) => void;
  /** The clock of the transport. With a manual clock, messages take no time to handle, so the read throttle never pauses. */
  readonly clock?: Clock;
  /** The clock of the steps that stop the process. With a manual clock, the process gets no signal. */
  readonly stopClock?: Clock;
}

async function run(script: string, { onMessage, clock = systemClock, stopClock = fastClock }: RunOptions = {}) {
  const processes = new Processes(stopClock);
  const process = await processes.start({
    server: "tested",
    command: globalThis.process.execPath,
    args: ["-e", script],
    cwd: globalThis.process.cwd(),
    env: {},
  });
  onTestFinished(() => process.kill());
  const transport = new StdioTransport({ server: "tested", process, clock, maxMessageBytes: MIB });
  const received: ParsedMessage[] = [];
  const closed: HostError[] = [];
  transport.start({
    message: (incoming) => {
      received.push(incoming);
      onMessage?.(incoming, (message) => void sent(transport, message).catch(() => {}));
    },
    requestFailed: () => {},
    closed: (error) => closed.push(error),
  });
  return { process, transport, received, closed };
}

/** Resolves with the error, whether `send` throws or rejects. */
async function sent(transport: StdioTransport, message: Message): Promise<void> {
  await transport.send(message);
}

const heardSomething = ({ received }: { received: ParsedMessage[] }) =>
  vi.waitFor(() => expect(received).not.toEqual([]), { timeout: 15_000 });

describe("StdioTransport, within a second,", { meta: { covers: ["F11"] } }, () => {
  it("stops a process that closes its stdout and keeps running", async () => {
    const clock = new ManualClock();
    const { process, closed } = await run(`require("node:fs").closeSync(1); ${KEEP_RUNNING}`, { clock });
    await once(process.stdout, "close");
    expect(closed).toEqual([]);
    clock.advance(1000);
    expect(closed).toMatchObject([{ code: "CONNECTION_LOST", details: { reason: "it closed its output" } }]);
    await waitUntilDead(process.pid, 15_000);
  });

  it("stops a process that closes its stdin and keeps running", async () => {
    const clock = new ManualClock();
    const script = `require("node:fs").closeSync(0); console.log("closed"); ${KEEP_RUNNING}`;
    const running = await run(script, { clock });
    await heardSomething(running);
    const failed = new Promise((resolve) => running.process.stdin.once("error", resolve));
    await running.transport.send(request());
    await failed;
    expect(running.closed).toEqual([]);
    clock.advance(1000);
    expect(running.closed).toMatchObject([{ code: "CONNECTION_LOST", details: { reason: "it closed its input" } }]);
    await waitUntilDead(running.process.pid, 15_000);
  });
});

it("StdioTransport reports SERVER_CRASHED if the pipes close because the process exits", async () => {
  const { transport, closed } = await run('console.log("bye"); process.exit(3);');
  await vi.waitFor(async () => {
    await sent(transport, request()).catch(() => {});
    expect(closed).not.toEqual([]);
  });
  expect(closed).toMatchObject([{ code: "SERVER_CRASHED", details: { exit: "exit code 3" } }]);
});

describe("StdioTransport with a server that does not read", () => {
  it("rejects messages that do not fit into its bounded queue", { meta: { covers: ["F15", "R0.13"] } }, async () => {
    const { process, transport } = await run(KEEP_RUNNING);
    const large = request({ arguments: { text: "x".repeat(5 * MIB) } });
    const refused: unknown[] = [];
    for (let count = 0; count < 20; count++) sent(transport, large).catch((error: unknown) => refused.push(error));
    await vi.waitFor(() => expect(refused.length).toBeGreaterThan(5));
    for (const error of refused) expect(error).toMatchObject({ code: "SERVER_NOT_READING" });
    expect(process.stdin.writableLength).toBeLessThanOrEqual(64 * MIB);
  });

  it("adds one listener to stdin for all waiting messages together", async () => {
    const { process, transport } = await run(KEEP_RUNNING);
    for (let count = 0; count < 20_000; count++) void transport.send(request());
    expect(process.stdin.listenerCount("drain")).toBeLessThanOrEqual(2);
  });

  const response: Message = { jsonrpc: "2.0", id: 1, result: { text: "x".repeat(1000) } };

  it("stops reading from a server that sends requests but does not read the responses", async () => {
    const ping = '{"jsonrpc":"2.0","id":1,"method":"ping"}\n';
    const flood = `const pings = ${JSON.stringify(ping)}.repeat(1000);
      const more = () => { while (process.stdout.write(pings)); process.stdout.once("drain", more); };
      more();`;
    const { process } = await run(flood, { onMessage: (_, send) => send(response), clock: new ManualClock() });
    await once(process.stdout, "pause");
    expect(process.stdin.writableLength).toBeLessThan(8 * MIB);
  });

  it("resumes reading when the server reads again", { meta: { covers: ["R0.12"] } }, async () => {
    const count = 20_000;
    // The signal handler comes first: output can arrive before the rest of the script has run.
    const script = `process.once("SIGUSR2", () => process.stdin.resume());
      const fs = require("node:fs");
      const pings = '{"jsonrpc":"2.0","id":1,"method":"ping"}\\n'.repeat(1000);
      let left = ${count / 1000};
      const write = (rest) => fs.write(1, rest, (error, written) => {
        if (error) return setTimeout(write, 10, rest);
        if (written < rest.length) return write(rest.subarray(written));
        if (--left > 0) write(Buffer.from(pings));
      });
      write(Buffer.from(pings));`;
    let unanswered = count;
    let onAllAnswered = () => {};
    const allAnswered = new Promise<void>((resolve) => (onAllAnswered = resolve));
    const { process } = await run(script, {
      onMessage: (_, send) => {
        send(response);
        if (--unanswered === 0) onAllAnswered();
      },
      clock: new ManualClock(),
    });
    await once(process.stdout, "pause");
    expect(unanswered).toBeGreaterThan(0);
    globalThis.process.kill(process.pid, "SIGUSR2");
    await allAnswered;
  });
});

it("StdioTransport still delivers messages that were sent just before it is closed", async () => {
  const { process, transport } = await run("process.stdin.pipe(process.stderr)", { stopClock: new ManualClock() });
  void transport.send(request());
  await transport.close();
  await process.outputEnded;
  expect(process.stderrTail).toBe(JSON.stringify(request()));
});

it("StdioTransport rejects a message immediately if stdin is closed", async () => {
  const { process, transport } = await run(KEEP_RUNNING);
  process.stdin.end();
  await expect(sent(transport, request())).rejects.toMatchObject({ code: "CONNECTION_LOST" });
});

it("StdioTransport rejects a message that is not JSON", async () => {
  const { transport } = await run(KEEP_RUNNING);
  await expect(sent(transport, request({ arguments: { big: 1n } }))).rejects.toMatchObject({
    code: "INVALID_ARGUMENTS",
  });
});

it("StdioTransport reports output that is not a message as noise", async () => {
  const running = await run(`console.log("hello"); console.log(""); console.log("{starting}"); ${KEEP_RUNNING}`);
  await vi.waitFor(() => expect(running.received).toHaveLength(2));
  expect(running.received).toMatchObject([
    { type: "malformed", looksLike: "noise" },
    { type: "malformed", looksLike: "noise" },
  ]);
});
