/** Tests real servers that crash, hang, close their pipes or send unexpected requests. */
import { isAlive, waitUntilDead } from "@plugboard/testkit/process-alive";
import { modernStdio, scriptedLegacy } from "@plugboard/testkit/start-server";
import { describe, expect, it, onTestFinished, vi } from "vitest";
import { call, connect, expectFailure, makeConnection, expectText } from "../../helpers/connect.ts";
import { ManualClock } from "../../../../contracts/test/helpers/manual-clock.ts";
import { fixturePath } from "../../helpers/start-process.ts";
import { rawAnswer, rawWriterCommand } from "../../helpers/raw-writer-peer.ts";

/** Long enough that no call times out before the expected failure. */
const longTimeouts = { timeoutMs: 3_600_000, maxMs: 36_000_000 };

describe("A crash of a stdio server", { meta: { covers: ["F1", "R0.63", "R2.123", "R3.19"] } }, () => {
  it.each([
    ["exit code 3", { code: 3, words: "boom\n" }, { exit: "exit code 3", stderr: "boom" }],
    ["exit code 0 without output", { code: 0 }, { exit: "exit code 0" }],
    ["SIGKILL", { signal: "SIGKILL", words: "out of memory\n" }, { exit: "SIGKILL", stderr: "out of memory" }],
    ["SIGSEGV", { signal: "SIGSEGV" }, { exit: "SIGSEGV" }],
    ["an exit in the middle of a response", { code: 1, partial: '{"jsonrpc":"2.0","id":' }, { exit: "exit code 1" }],
    [
      "an exit after much output",
      { words: `${"chatter\n".repeat(2000)}the end` },
      { stderr: expect.stringMatching(/the end$/) },
    ],
  ])(
    "fails the call immediately with the exit reason and the last stderr output (%s)",
    async (_, exitOptions, details) => {
      const { session } = await connect(rawWriterCommand());
      const outcome = await call(session, "exit", exitOptions, longTimeouts);
      expect(expectFailure(outcome)).toMatchObject({ code: "SERVER_CRASHED", details });
      expect(expectFailure(outcome).details).not.toHaveProperty("stderr", "");
    },
  );

  it("A crash of a stdio server does not fail a call whose response was written before", async () => {
    const { session } = await connect(rawWriterCommand());
    const answered = call(session, "write_raw", { text: rawAnswer("just in time") });
    const died = call(session, "exit", { code: 1 }, longTimeouts);
    expect(expectText(await answered)).toBe("just in time");
    expect(expectFailure(await died).code).toBe("SERVER_CRASHED");
  });
});

describe("A call over stdio that hangs", { meta: { covers: ["F4", "R0.60", "R0.66", "R3.38", "R3.73"] } }, () => {
  it("times out, is cancelled and leaves a legacy server usable for other calls", async () => {
    const clock = new ManualClock();
    const { connection, session, waitForStderr } = await connect(scriptedLegacy(), { overrides: { clock } });
    const other = call(session, "hold");
    const hanging = call(session, "hold", {}, { timeoutMs: 50 });
    await vi.waitFor(() => expect(connection.stderrTail.match(/holding \d+/g)).toHaveLength(2), { timeout: 10_000 });
    const [, hangingId] = [...connection.stderrTail.matchAll(/holding (\d+)/g)].map(([, id]) => id);
    clock.advance(50);
    expect(expectFailure(await hanging)).toMatchObject({
      code: "REQUEST_TIMEOUT",
      details: { method: "tools/call", afterMs: 50 },
    });
    await waitForStderr(`cancelled ${hangingId}`);
    expect(expectText(await call(session, "echo", { text: "still here" }))).toBe("still here");
    await call(session, "release");
    expect(expectText(await other)).toBe("let go");
  });

  it("times out, is cancelled and leaves a modern server usable", async () => {
    const clock = new ManualClock();
    const { session, waitForStderr } = await connect(modernStdio(), { overrides: { clock } });
    expect(session.era).toBe("modern");
    const hanging = call(session, "slow", { ms: 60_000, steps: 1 }, { timeoutMs: 300 });
    await waitForStderr("slow started");
    clock.advance(300);
    expect(expectFailure(await hanging).code).toBe("REQUEST_TIMEOUT");
    await waitForStderr("slow aborted");
    expect(expectText(await call(session, "echo", { text: "still here" }))).toBe("still here");
  });

  it("fails at the absolute maximum of its duration", async () => {
    const clock = new ManualClock();
    const { session, waitForStderr } = await connect(scriptedLegacy(), { overrides: { clock } });
    const stopped = call(session, "hold", {}, { maxMs: 50 });
    await waitForStderr("holding ");
    clock.advance(50);
    expect(expectFailure(await stopped)).toMatchObject({ code: "REQUEST_TIMEOUT", details: { afterMs: 50 } });
    expect(expectText(await call(session, "echo", { text: "on" }))).toBe("on");
  });
});

describe("A process that closes its stdout", { meta: { covers: ["F11"] } }, () => {
  it("is stopped during a call, and the call fails", async () => {
    const { session, connection } = await connect(rawWriterCommand());
    const pid = connection.pid!;
    expect(expectFailure(await call(session, "close_output", {}, longTimeouts))).toMatchObject({
      code: "CONNECTION_LOST",
      details: { reason: "it closed its output" },
    });
    await waitUntilDead(pid, 10_000);
  });

  it("is stopped before its first output", async () => {
    const script = 'require("node:fs").closeSync(1); setInterval(() => {}, 1000);';
    const { connection } = makeConnection({ command: process.execPath, args: ["-e", script] });
    await expect(connection.ready()).rejects.toMatchObject({ code: "CONNECTION_LOST" });
  });
});

describe("The exit of a server whose stdout another process keeps open", { meta: { covers: ["F12"] } }, () => {
  it("is detected even if that process is outside of the server's process group", async () => {
    const { session, connection, waitForStderr } = await connect(rawWriterCommand());
    const outcome = call(session, "exit_leaving_output_open", {}, longTimeouts);
    await waitForStderr("child ");
    const child = Number(/child (\d+)/.exec(connection.stderrTail)?.[1]);
    onTestFinished(() => void process.kill(child, "SIGKILL"));
    expect(expectFailure(await outcome)).toMatchObject({ code: "SERVER_CRASHED", details: { exit: "exit code 5" } });
    expect(isAlive(child)).toBe(true);
  });

  it("is detected while the server starts", async () => {
    const hold = 'require("node:child_process").spawn("sleep", ["3"], { stdio: "inherit", detached: true }).unref();';
    const { connection } = makeConnection({ command: process.execPath, args: ["-e", `${hold} process.exit(6)`] });
    await expect(connection.ready()).rejects.toMatchObject({
      code: "SERVER_CRASHED",
      details: { exit: "exit code 6" },
    });
  });
});

describe("A server that never reads", { meta: { covers: ["F15"] } }, () => {
  const nonReading = { command: process.execPath, args: [fixturePath("stops-reading")] };
  const large = { text: "x".repeat(1024 * 1024) };

  it("makes a call with a large argument time out, and later calls too", async () => {
    const clock = new ManualClock();
    const { session } = await connect(nonReading, { overrides: { clock } });
    const first = call(session, "echo", large, { timeoutMs: 100 });
    clock.advance(100);
    expect(expectFailure(await first).code).toBe("REQUEST_TIMEOUT");
    const second = call(session, "echo", {}, { timeoutMs: 50 });
    clock.advance(50);
    expect(expectFailure(await second).code).toBe("REQUEST_TIMEOUT");
  });

  it("gets no more data than its queue can hold, and does not affect other servers", async () => {
    const clock = new ManualClock();
    const { session } = await connect(nonReading, { overrides: { clock } });
    const other = await connect(scriptedLegacy());
    const codes: string[] = [];
    const calls = Array.from({ length: 100 }, async () =>
      codes.push(expectFailure(await call(session, "echo", large, { timeoutMs: 500 })).code),
    );
    await vi.waitFor(() => expect(codes.length).toBeGreaterThanOrEqual(100 - 64));
    clock.advance(500);
    await Promise.all(calls);
    const queued = codes.filter((code) => code === "REQUEST_TIMEOUT").length;
    expect(queued).toBeGreaterThan(50);
    expect(queued).toBeLessThanOrEqual(64);
    expect(codes.filter((code) => code === "SERVER_NOT_READING")).toHaveLength(100 - queued);
    expect(expectText(await call(other.session, "echo", { text: "on" }))).toBe("on");
  });
});

describe("A server that sends an unsupported request", { meta: { covers: ["F23"] } }, () => {
  it.each([
    ["sampling without the capability", "sampling/createMessage", { messages: [], maxTokens: 1 }],
    ["roots without the capability", "roots/list", {}],
    ["a list of the client's tasks", "tasks/list", {}],
    ["an unknown method", "client/format_disk", {}],
    ["a method that only clients may use", "tools/call", { name: "echo" }],
  ])("gets the error −32601 for %s", async (_, method, params) => {
    const { session } = await connect(rawWriterCommand());
    const response = JSON.parse(expectText(await call(session, "send_request", { method, params }))) as object;
    expect(response).toMatchObject({ error: { code: -32601 } });
  });

  it("gets the error −32601 even while no call is in flight", async () => {
    const { session } = await connect(scriptedLegacy());
    expect(expectText(await call(session, "ask_sampling"))).toContain('"code":-32601');
    await vi.waitFor(() => session.ping(AbortSignal.timeout(5000)));
  });
});
