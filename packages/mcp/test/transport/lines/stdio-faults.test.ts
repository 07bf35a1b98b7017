/** Real processes that die, hang, close their pipes or ask for what nobody promised them. */
import { isAlive, waitUntilDead } from "@plugboard/testkit/process-alive";
import { modernStdio, scriptedLegacy } from "@plugboard/testkit/start-server";
import { describe, expect, it, onTestFinished, vi } from "vitest";
import { call, connect, expectFailure, makeConnection, expectText } from "../../helpers/connect.ts";
import { fixturePath } from "../../helpers/start-process.ts";
import { rawAnswer, rawWriterCommand } from "../../helpers/raw-writer-peer.ts";

/** No call waits for this: whatever fails, fails before. */
const hours = { timeoutMs: 3_600_000, maxMs: 36_000_000 };

describe(
  "a crash fails the call without waiting for any timer, and says how it ended and what it said last:",
  { meta: { covers: ["F1", "R0.63", "R2.123", "R3.19"] } },
  () => {
    it.each([
      ["with a code", { code: 3, words: "boom\n" }, { exit: "exit code 3", stderr: "boom" }],
      ["with code 0, and nothing to say", { code: 0 }, { exit: "exit code 0" }],
      ["by a signal", { signal: "SIGKILL", words: "out of memory\n" }, { exit: "SIGKILL", stderr: "out of memory" }],
      ["by SIGSEGV", { signal: "SIGSEGV" }, { exit: "SIGSEGV" }],
      ["in the middle of its answer", { code: 1, partial: '{"jsonrpc":"2.0","id":' }, { exit: "exit code 1" }],
      [
        "with much to say",
        { words: `${"chatter\n".repeat(2000)}the end` },
        { stderr: expect.stringMatching(/the end$/) },
      ],
    ])("%s", async (_, how, details) => {
      const { session } = await connect(rawWriterCommand());
      const outcome = await call(session, "exit", how, hours);
      expect(expectFailure(outcome)).toMatchObject({ code: "SERVER_CRASHED", details });
      expect(expectFailure(outcome).details).not.toHaveProperty("stderr", "");
    });

    it("whose answer was written before it died is answered", async () => {
      const { session } = await connect(rawWriterCommand());
      const answered = call(session, "write_raw", { text: rawAnswer("just in time") });
      const died = call(session, "exit", { code: 1 }, hours);
      expect(expectText(await answered)).toBe("just in time");
      expect(expectFailure(await died).code).toBe("SERVER_CRASHED");
    });
  },
);

describe(
  "a call that hangs ends at its timeout, the server is told, and stays usable:",
  { meta: { covers: ["F4", "R0.60", "R0.66", "R3.38", "R3.73"] } },
  () => {
    it("a legacy server, with another call in flight", async () => {
      const { session, waitForStderr } = await connect(scriptedLegacy());
      const other = call(session, "hold");
      await waitForStderr("holding ");
      expect(expectFailure(await call(session, "hold", {}, { timeoutMs: 50 }))).toMatchObject({
        code: "REQUEST_TIMEOUT",
        details: { method: "tools/call", afterMs: 50 },
      });
      await waitForStderr("cancelled ");
      expect(expectText(await call(session, "echo", { text: "still here" }))).toBe("still here");
      await call(session, "release");
      expect(expectText(await other)).toBe("let go");
    });

    it("a modern server", async () => {
      const { session, waitForStderr } = await connect(modernStdio());
      expect(session.era).toBe("modern");
      const hanging = call(session, "slow", { ms: 60_000, steps: 1 }, { timeoutMs: 300 });
      expect(expectFailure(await hanging).code).toBe("REQUEST_TIMEOUT");
      await waitForStderr("slow aborted");
      expect(expectText(await call(session, "echo", { text: "still here" }))).toBe("still here");
    });

    it("by the absolute maximum alone", async () => {
      const { session } = await connect(scriptedLegacy());
      const stopped = call(session, "hold", {}, { maxMs: 50 });
      expect(expectFailure(await stopped)).toMatchObject({ code: "REQUEST_TIMEOUT", details: { afterMs: 50 } });
      expect(expectText(await call(session, "echo", { text: "on" }))).toBe("on");
    });
  },
);

describe("a process that lives on without its output is noticed and stopped:", { meta: { covers: ["F11"] } }, () => {
  it("in a call", async () => {
    const { session, connection } = await connect(rawWriterCommand());
    const pid = connection.pid!;
    expect(expectFailure(await call(session, "close_output", {}, hours))).toMatchObject({
      code: "CONNECTION_LOST",
      details: { reason: "it closed its output" },
    });
    await waitUntilDead(pid, 10_000);
  });

  it("before it has said anything", async () => {
    const script = 'require("node:fs").closeSync(1); setInterval(() => {}, 1000);';
    const { connection } = makeConnection({ command: process.execPath, args: ["-e", script] });
    await expect(connection.ready()).rejects.toMatchObject({ code: "CONNECTION_LOST" });
  });
});

describe(
  "that a process has died is noticed though another holds its output open:",
  { meta: { covers: ["F12"] } },
  () => {
    it("one that no signal to the group reaches", async () => {
      const { session, connection, waitForStderr } = await connect(rawWriterCommand());
      const outcome = call(session, "exit_leaving_output_open", {}, hours);
      await waitForStderr("child ");
      const child = Number(/child (\d+)/.exec(connection.stderrTail)?.[1]);
      onTestFinished(() => void process.kill(child, "SIGKILL"));
      expect(expectFailure(await outcome)).toMatchObject({ code: "SERVER_CRASHED", details: { exit: "exit code 5" } });
      expect(isAlive(child)).toBe(true);
    });

    it("at its start", async () => {
      const hold = 'require("node:child_process").spawn("sleep", ["3"], { stdio: "inherit", detached: true }).unref();';
      const { connection } = makeConnection({ command: process.execPath, args: ["-e", `${hold} process.exit(6)`] });
      await expect(connection.ready()).rejects.toMatchObject({
        code: "SERVER_CRASHED",
        details: { exit: "exit code 6" },
      });
    });
  },
);

describe("a server that never reads", { meta: { covers: ["F15"] } }, () => {
  const deaf = { command: process.execPath, args: [fixturePath("stops-reading")] };
  const large = { text: "x".repeat(1024 * 1024) };

  it("lets a call with a large argument time out, and its later calls too", async () => {
    const { session } = await connect(deaf);
    expect(expectFailure(await call(session, "echo", large, { timeoutMs: 100 })).code).toBe("REQUEST_TIMEOUT");
    expect(expectFailure(await call(session, "echo", {}, { timeoutMs: 50 })).code).toBe("REQUEST_TIMEOUT");
  });

  it("is sent no more than fits into its queue, and other servers are not affected", async () => {
    const { session } = await connect(deaf);
    const other = await connect(scriptedLegacy());
    const outcomes = await Promise.all(
      Array.from({ length: 100 }, () => call(session, "echo", large, { timeoutMs: 500 })),
    );
    const codes = outcomes.map((outcome) => expectFailure(outcome).code);
    const queued = codes.filter((code) => code === "REQUEST_TIMEOUT").length;
    expect(queued).toBeGreaterThan(50);
    expect(queued).toBeLessThanOrEqual(64);
    expect(codes.filter((code) => code === "SERVER_NOT_READING")).toHaveLength(100 - queued);
    expect(expectText(await call(other.session, "echo", { text: "on" }))).toBe("on");
  });
});

describe("a server that asks for what was never declared is told −32601:", { meta: { covers: ["F23"] } }, () => {
  it.each([
    ["sampling", "sampling/createMessage", { messages: [], maxTokens: 1 }],
    ["roots", "roots/list", {}],
    ["tasks of ours", "tasks/list", {}],
    ["what no revision knows", "client/format_disk", {}],
    ["what only a client may ask", "tools/call", { name: "echo" }],
  ])("%s", async (_, method, params) => {
    const { session } = await connect(rawWriterCommand());
    const said = JSON.parse(expectText(await call(session, "send_request", { method, params }))) as object;
    expect(said).toMatchObject({ error: { code: -32601 } });
  });

  it("while no call is in flight", async () => {
    const { session } = await connect(scriptedLegacy());
    expect(expectText(await call(session, "ask_sampling"))).toContain('"code":-32601');
    await vi.waitFor(() => session.ping(AbortSignal.timeout(5000)));
  });
});
