import { HostError } from "@plugboard/contracts";
import type { HostEvent, Progress, ToolResult, Workspace } from "@plugboard/contracts";
import { ToolTrials } from "#store/tool-trials.js";
import { describe, expect, it, onTestFinished, vi } from "vitest";

const done: ToolResult = { content: [] };

/** Trials of a workspace whose calls end when the test says so. */
function setup() {
  const calls: {
    readonly id: string;
    readonly end: (result: ToolResult) => void;
    readonly report: (progress: Progress) => void;
  }[] = [];
  type Options = { readonly id: string; readonly signal: AbortSignal; readonly onProgress: () => void };
  const call = (_: unknown, __: unknown, { id, signal, onProgress }: Options) =>
    new Promise<ToolResult>((resolve, reject) => {
      calls.push({ id, end: resolve, report: onProgress });
      signal.addEventListener("abort", () => reject(new HostError("CANCELLED", { reason: "no" })));
    });
  let emit: (event: HostEvent) => void = () => {};
  const trials = new ToolTrials(
    () => ({ tools: { call } }) as unknown as Pick<Workspace, "tools">,
    (listener) => ((emit = listener), () => {}),
  );
  const find = (tool: string) => trials.trials.get().get(`s\n${tool}`);
  return { calls, trials, find, emit: (event: object) => emit(event as HostEvent) };
}

describe("ToolTrials", () => {
  it("keeps the arguments, the progress and the result of a call", async () => {
    const { calls, trials, find } = setup();
    const ended = trials.call("s", "echo", { text: "hi" });
    calls[0]!.report({ progress: 1 });
    expect(find("echo")).toMatchObject({
      args: { text: "hi" },
      state: { phase: "running", progress: { progress: 1 } },
    });
    calls[0]!.end(done);
    await ended;
    expect(find("echo")).toMatchObject({
      args: { text: "hi" },
      state: { phase: "finished", seen: false, result: done },
    });
    trials.markSeen(find("echo")!);
    expect(find("echo")).toMatchObject({ state: { seen: true, result: done } });
  });

  it("separates the time that a call waits for an answer from the rest of its duration", async () => {
    vi.useFakeTimers({ toFake: ["performance"] });
    onTestFinished(() => void vi.useRealTimers());
    const { calls, trials, find, emit } = setup();
    const ended = trials.call("s", "echo", {});
    vi.advanceTimersByTime(100);
    emit({ type: "question.asked", question: { id: "other", server: "s", tool: "echo", call: "other" } });
    emit({ type: "question.asked", question: { id: "elsewhere", server: "t" } });
    emit({ type: "question.asked", question: { id: "q", server: "s", tool: "echo", call: calls[0]!.id } });
    vi.advanceTimersByTime(5000);
    emit({ type: "question.settled", question: { id: "q" } });
    vi.advanceTimersByTime(20);
    emit({ type: "question.asked", question: { id: "login", server: "s" } });
    vi.advanceTimersByTime(300);
    emit({ type: "question.settled", question: { id: "login" } });
    calls[0]!.end(done);
    await ended;
    expect(find("echo")).toMatchObject({ id: calls[0]!.id, state: { ms: 5420, waitedMs: 5300 } });
  });

  it("keeps the error of a call that is cancelled", async () => {
    const { trials, find } = setup();
    const ended = trials.call("s", "echo", {});
    const { state } = find("echo")!;
    if (state.phase === "running") state.abort.abort();
    await ended;
    expect(find("echo")).toMatchObject({ state: { phase: "finished", error: { code: "CANCELLED" } } });
  });

  it("replaces the call of a tool by a later call, and prepares arguments only while no call is running", async () => {
    const { calls, trials, find } = setup();
    const first = trials.call("s", "echo", { text: "first" });
    trials.prepare("s", "echo", { text: "prepared" });
    expect(find("echo")).toMatchObject({ args: { text: "first" } });
    const second = trials.call("s", "echo", { text: "second" });
    calls[0]!.end(done);
    await first;
    expect(find("echo")).toMatchObject({ args: { text: "second" }, state: { phase: "running" } });
    calls[1]!.end(done);
    await second;
    trials.prepare("s", "echo", { text: "prepared" });
    expect(find("echo")).toMatchObject({ args: { text: "prepared" }, state: { phase: "prepared" } });
  });

  it("drops the calls of the oldest of many tools, but no running call", () => {
    const { trials, find } = setup();
    void trials.call("s", "running", {});
    for (let tool = 0; tool < 30; tool++) trials.prepare("s", String(tool), {});
    expect(trials.trials.get().size).toBe(30);
    expect(find("running")).toBeDefined();
    expect(find("0")).toBeUndefined();
    expect(find("1")).toBeDefined();
  });
});
