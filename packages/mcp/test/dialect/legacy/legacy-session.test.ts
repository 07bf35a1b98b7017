/** Tests the legacy client with a real server process that asks questions during calls and outside of calls. */
import { once } from "node:events";
import { writeFile } from "node:fs/promises";
import { scriptedLegacy } from "@plugboard/testkit/start-server";
import type { AskAnswer } from "@plugboard/mcp";
import { describe, expect, it, onTestFinished, vi } from "vitest";
import { expectSuspended, bob, call, connect, expectFailure, expectText } from "../../helpers/connect.ts";
import { ManualClock } from "../../../../contracts/test/helpers/manual-clock.ts";
import { tempFolder } from "../../foreign/temp-folder.ts";

const accept = (name: string) => ({ action: "accept", content: { name } }) as const;

/** The server continues without the answer once this file exists. */
async function signalFile() {
  const folder = await tempFolder();
  onTestFinished(folder.remove);
  const when_exists = folder.in("now");
  return { when_exists, finish: () => writeFile(when_exists, "") };
}

describe("legacy session", () => {
  describe("call with questions", () => {
    it("suspends, and continues with the answer", async () => {
      const { session } = await connect(scriptedLegacy());
      const suspended = expectSuspended(await call(session, "ask"));
      expect(Object.values(suspended.asks)).toMatchObject([
        {
          type: "elicitation",
          elicitation: { mode: "form", fields: [{ name: "name", type: "string", required: true }] },
        },
      ]);
      expect(suspended.portable).toBeUndefined();
      const [key = ""] = Object.keys(suspended.asks);
      expect(expectText(await suspended.resume({ [key]: accept("Ann") }, {}))).toBe(
        'answer: {"action":"accept","content":{"name":"Ann"}}',
      );
    });

    it("sends each of two answers to its question, in one round or in two", async () => {
      const { session } = await connect(scriptedLegacy());
      let outcome = await call(session, "ask_two");
      while (outcome.type === "asks") {
        const answers = Object.entries(outcome.asks).map(([key, { rawParams }]) => [
          key,
          accept(rawParams["message"] as string),
        ]);
        outcome = await outcome.resume(Object.fromEntries(answers), {});
      }
      expect(expectText(outcome)).toBe(
        'answers: [{"action":"accept","content":{"name":"Please give first"}},{"action":"accept","content":{"name":"Please give second"}}]',
      );
    });

    it("answers `cancel` to a question without an answer", async () => {
      const { session } = await connect(scriptedLegacy());
      const suspended = expectSuspended(await call(session, "ask"));
      expect(expectText(await suspended.resume({}, {}))).toBe('answer: {"action":"cancel"}');
    });

    it("becomes obsolete when the server finishes the call without the answer", async () => {
      const { session, waitForStderr } = await connect(scriptedLegacy());
      const { when_exists, finish } = await signalFile();
      const suspended = expectSuspended(await call(session, "ask_and_finish", { when_exists }));
      await Promise.all([once(suspended.obsolete, "abort"), finish()]);
      const [key = ""] = Object.keys(suspended.asks);
      expect(expectText(await suspended.resume({ [key]: accept("too late") }, {}))).toBe("finished without you");
      await waitForStderr('late answer {"action":"cancel"}');
    });

    it("becomes obsolete when the server cancels its question, which then gets no answer", async () => {
      const { session, connection } = await connect(scriptedLegacy());
      const { when_exists, finish } = await signalFile();
      const suspended = expectSuspended(await call(session, "ask_and_withdraw", { when_exists }));
      await Promise.all([once(suspended.obsolete, "abort"), finish()]);
      expect(expectText(await suspended.resume({}, {}))).toBe("withdrawn");
      await session.ping(AbortSignal.timeout(5000));
      expect(connection.stderrTail).not.toContain("late answer");
    });

    it("fails at once with exit code and stderr when the server exits", async () => {
      const { session, connection } = await connect(scriptedLegacy());
      const suspended = expectSuspended(await call(session, "ask_and_die"));
      if (!suspended.obsolete.aborted) await once(suspended.obsolete, "abort");
      expect(expectFailure(await suspended.resume({}, {}))).toMatchObject({
        code: "SERVER_CRASHED",
        details: { exit: "exit code 7", stderr: "dying" },
      });
      expect(connection.state.phase).toBe("waiting");
    });

    it("pauses the timeout while the user is asked", async () => {
      const clock = new ManualClock();
      const { session } = await connect(scriptedLegacy(), { overrides: { clock } });
      const suspended = expectSuspended(await call(session, "ask", {}, { timeoutMs: 1500 }));
      clock.advance(10_000);
      expect(suspended.obsolete.aborted).toBe(false);
      const [key = ""] = Object.keys(suspended.asks);
      expect(expectText(await suspended.resume({ [key]: accept("slow") }, {}))).toContain("slow");
    });

    it("fails after maxMs even while the user is asked", async () => {
      const clock = new ManualClock();
      const { session, waitForStderr } = await connect(scriptedLegacy(), { overrides: { clock } });
      const suspended = expectSuspended(await call(session, "ask", {}, { maxMs: 1000 }));
      clock.advance(999);
      expect(suspended.obsolete.aborted).toBe(false);
      clock.advance(1);
      expect(suspended.obsolete.aborted).toBe(true);
      expect(expectFailure(await suspended.resume({}, {}))).toMatchObject({
        code: "REQUEST_TIMEOUT",
        details: { afterMs: 1000 },
      });
      await waitForStderr("cancelled ");
    });
  });

  describe("cancelled call", { meta: { covers: ["R2.18", "R2.135"] } }, () => {
    it("notifies the server while it waits for an answer", async () => {
      const { session, waitForStderr } = await connect(scriptedLegacy());
      const abort = new AbortController();
      const suspended = expectSuspended(await call(session, "ask", {}, { signal: abort.signal }));
      abort.abort();
      expect(suspended.obsolete.aborted || (await once(suspended.obsolete, "abort"))).toBeTruthy();
      expect(expectFailure(await suspended.resume({}, {})).code).toBe("CANCELLED");
      await waitForStderr("cancelled ");
    });

    it("notifies the server when the suspended call is abandoned", async () => {
      const { session, waitForStderr } = await connect(scriptedLegacy());
      expectSuspended(await call(session, "ask")).abandon("changed my mind");
      await waitForStderr("cancelled ");
    });

    it("leaves the server usable after a timeout", { meta: { covers: ["R2.18", "R2.135", "R3.73"] } }, async () => {
      const { session, waitForStderr } = await connect(scriptedLegacy());
      expect(expectFailure(await call(session, "hold", {}, { timeoutMs: 50 }))).toMatchObject({
        code: "REQUEST_TIMEOUT",
      });
      await waitForStderr("cancelled ");
      expect(expectText(await call(session, "echo", { text: "still here" }))).toBe("still here");
    });
  });

  describe("question without a call", () => {
    it("is assigned to no call while two calls are in flight, and the handler gets both calls", async () => {
      const { session, unattributed, waitForStderr } = await connect(scriptedLegacy());
      const held = call(session, "hold", {}, { caller: bob });
      await waitForStderr("holding");
      expect(expectText(await call(session, "ask_while_held"))).toBe('answer: {"action":"decline"}');
      expect(unattributed.map(({ inFlight }) => inFlight.map(({ caller }) => caller.id).toSorted())).toEqual([
        ["ann", "bob"],
      ]);
      await call(session, "release");
      expect(expectText(await held)).toBe("let go");
    });

    it("is unattributed while no call is in flight", async () => {
      const { session, unattributed, waitForStderr } = await connect(scriptedLegacy());
      expect(expectText(await call(session, "ask_after_result"))).toBe("ok");
      await waitForStderr('unattributed answer {"action":"decline"}');
      expect(unattributed).toMatchObject([{ inFlight: [] }]);
    });

    it("pauses the timeouts of all calls while the handler is asked", async () => {
      let answer: (given: AskAnswer) => void = () => {};
      const unattributedAnswer = new Promise<AskAnswer>((resolve) => (answer = resolve));
      const clock = new ManualClock();
      const options = { unattributedAnswer, overrides: { clock } };
      const { session, unattributed, waitForStderr } = await connect(scriptedLegacy(), options);
      const held = call(session, "hold", {}, { timeoutMs: 1000 });
      await waitForStderr("holding");
      const asking = call(session, "ask_while_held", {}, { timeoutMs: 1000 });
      await vi.waitFor(() => expect(unattributed).toHaveLength(1));
      clock.advance(10_000);
      answer({ action: "decline" });
      expect(expectText(await asking)).toBe('answer: {"action":"decline"}');
      await call(session, "release");
      expect(expectText(await held)).toBe("let go");
    });

    it("is cancelled for the handler when the server exits", async () => {
      const nobody = new Promise<never>(() => {});
      const { session, unattributed, waitForStderr } = await connect(scriptedLegacy(), { unattributedAnswer: nobody });
      const held = call(session, "hold");
      await waitForStderr("holding");
      const dying = call(session, "ask_and_die");
      expect(expectFailure(await dying).code).toBe("SERVER_CRASHED");
      expect(expectFailure(await held).code).toBe("SERVER_CRASHED");
      expect(unattributed[0]?.signal.aborted).toBe(true);
    });
  });

  it("passes progress to the caller", async () => {
    const { session } = await connect(scriptedLegacy());
    const seen: number[] = [];
    const outcome = await call(
      session,
      "progress",
      { steps: 3 },
      { onProgress: ({ progress }) => seen.push(progress) },
    );
    expect(expectText(outcome)).toBe("done in 3 steps");
    expect(seen).toEqual([1, 2, 3]);
  });

  it.each(["2024-11-05", "2025-03-26", "2025-06-18", "2025-11-25"])("speaks revision %s", async (revision) => {
    const { session } = await connect(scriptedLegacy(`--revision=${revision}`));
    expect(session).toMatchObject({ era: "legacy", version: revision });
    expect(expectText(await call(session, "echo", { text: "hi" }))).toBe("hi");
  });
});
