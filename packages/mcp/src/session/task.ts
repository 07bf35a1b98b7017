/**
 * A call that the server continues as a task, the same in both eras. Polls the task at the server's interval until it has
 * ended or asks something. Its description has the form of the extension `io.modelcontextprotocol/tasks`.
 */
import { cancelled, HostError, isJsonObject, isPeerError, abortableDelay } from "@plugboard/contracts";
import type { Json, JsonObject, Progress, CancelSignal, Clock } from "@plugboard/contracts";
import { describeValue } from "../lib/describe-value.ts";
import type { AskAnswers } from "./ask.ts";
import type { Op } from "./op.ts";
import { failedOutcome, neverObsolete, peerErrorOutcome } from "./outcome.ts";
import type { Outcome, ResumeContext, TaskOutcome } from "./outcome.ts";
import { parseInputRequests, toInputResponses } from "./input-requests.ts";
import type { InputSources, InputRequests } from "./input-requests.ts";

export interface TaskContext {
  readonly server: string;
  /** The request that the server continues as a task. */
  readonly op: Op;
  readonly clock: Clock;
  readonly inputSources: InputSources;
  /** Gets the status messages of the task, numbered, because a task has no other measure of its progress. */
  readonly onProgress?: ((progress: Progress) => void) | undefined;
  readonly request: (op: Op, signal: CancelSignal | undefined) => Promise<Outcome>;
}

const DEFAULT_POLL_MS = 1000;
const MIN_POLL_MS = 50;
const MAX_POLL_MS = 60_000;
const CANCEL_TIMEOUT_MS = 2000;
/** The task fails after this many failed polls in a row. */
const MAX_FAILED_POLLS = 5;

export function parseTask(task: JsonObject, ctx: TaskContext): Outcome {
  const { taskId } = task;
  if (typeof taskId !== "string") return unexpectedOutcome(ctx, 'a task has no "taskId"');
  return new Task(taskId, task, ctx);
}

/**
 * Follows a task that an earlier request has started. Returns its result, its error or its questions. The task goes on if
 * the caller no longer follows it.
 */
export function followTask(taskId: string, ctx: TaskContext, resume: ResumeContext): Promise<Outcome> {
  return new Task(taskId, { taskId, pollIntervalMs: 0 }, ctx, false).follow(resume);
}

class Task implements TaskOutcome {
  readonly type = "task";
  readonly task: JsonObject;

  readonly #id: string;
  readonly #ctx: TaskContext;
  /** False if the task goes on without this caller. */
  readonly #endsWithCaller: boolean;
  /** The keys of answered questions, because the server may repeat them until it has processed the answers. */
  readonly #answered = new Set<string>();
  #statusMessage: Json | undefined;
  #reported = 0;

  constructor(id: string, task: JsonObject, ctx: TaskContext, endsWithCaller = true) {
    this.#id = id;
    this.task = task;
    this.#ctx = ctx;
    this.#endsWithCaller = endsWithCaller;
  }

  async follow({ signal }: ResumeContext): Promise<Outcome> {
    let intervalMs = pollMs(this.task);
    this.#reportStatus(this.task);
    let failedPolls = 0;
    for (;;) {
      await abortableDelay(this.#ctx.clock, intervalMs, [signal]);
      if (signal?.aborted) return this.#endsWithCaller ? this.#cancelWith(cancelled()) : failedOutcome(cancelled());
      const outcome = await this.#ctx.request({ method: "tasks/get", params: { taskId: this.#id } }, signal);
      if (outcome.type === "complete") {
        failedPolls = 0;
        intervalMs = pollMs(outcome.result);
        this.#reportStatus(outcome.result);
        const end = this.#parseStatus(outcome.result);
        if (end) return end;
      } else if (outcome.type !== "failed" || outcome.error.peer || ++failedPolls >= MAX_FAILED_POLLS) {
        return outcome;
      }
    }
  }

  async cancel(): Promise<void> {
    await this.#ctx.request({ method: "tasks/cancel", params: { taskId: this.#id } }, undefined);
  }

  #reportStatus({ statusMessage }: JsonObject): void {
    if (typeof statusMessage !== "string" || statusMessage === this.#statusMessage) return;
    this.#statusMessage = statusMessage;
    this.#ctx.onProgress?.({ progress: ++this.#reported, message: statusMessage });
  }

  /** Returns undefined while the task is working. */
  #parseStatus(task: JsonObject): Outcome | undefined {
    const { server, op } = this.#ctx;
    const { status, result, error, inputRequests } = task;
    switch (status) {
      case "working":
        return undefined;
      case "completed":
        return isJsonObject(result)
          ? { type: "complete", result }
          : unexpectedOutcome(this.#ctx, "a completed task has no result");
      case "failed":
        return isPeerError(error)
          ? peerErrorOutcome(server, op, error)
          : unexpectedOutcome(this.#ctx, "a failed task has no error");
      case "cancelled":
        return failedOutcome(cancelled("the server ended the task"));
      case "input_required":
        return this.#ask(inputRequests);
      default:
        return unexpectedOutcome(this.#ctx, `the task status ${describeValue(status)} is unknown`);
    }
  }

  #ask(inputRequests: Json = {}): Outcome | undefined {
    const unanswered = isJsonObject(inputRequests)
      ? Object.fromEntries(Object.entries(inputRequests).filter(([key]) => !this.#answered.has(key)))
      : inputRequests;
    if (isJsonObject(unanswered) && Object.keys(unanswered).length === 0) return undefined;
    const parsed = parseInputRequests(unanswered, this.#ctx.inputSources);
    if ("invalid" in parsed) return unexpectedOutcome(this.#ctx, parsed.invalid);
    return {
      type: "asks",
      asks: parsed.asks,
      // The server answers only polls, so it can't withdraw its questions.
      obsolete: neverObsolete(),
      resume: (answers, ctx) => this.#answer(parsed, answers, ctx),
      abandon: () => void (this.#endsWithCaller && this.cancel()),
    };
  }

  async #answer(requests: InputRequests, answers: AskAnswers, ctx: ResumeContext): Promise<Outcome> {
    const inputResponses = toInputResponses(requests, answers);
    if (!inputResponses) return this.#cancelWith(new HostError("SAMPLING_REFUSED", { server: this.#ctx.server }));
    for (const key of Object.keys(inputResponses)) this.#answered.add(key);
    const params = { taskId: this.#id, inputResponses };
    const updated = await this.#ctx.request({ method: "tasks/update", params }, ctx.signal);
    return updated.type === "complete" ? this.follow(ctx) : updated;
  }

  /** Asks the server to cancel the task, and waits only a short time for its answer. */
  async #cancelWith(failure: HostError): Promise<Outcome> {
    const answered = new AbortController();
    const timeLimit = abortableDelay(this.#ctx.clock, CANCEL_TIMEOUT_MS, [answered.signal]);
    await Promise.race([this.cancel(), timeLimit]);
    answered.abort();
    return failedOutcome(failure);
  }
}

function unexpectedOutcome({ server }: TaskContext, reason: string): Outcome {
  return failedOutcome(new HostError("UNEXPECTED_RESPONSE", { server, reason }));
}

function pollMs({ pollIntervalMs }: JsonObject): number {
  if (typeof pollIntervalMs !== "number") return DEFAULT_POLL_MS;
  return Math.min(Math.max(pollIntervalMs, MIN_POLL_MS), MAX_POLL_MS);
}
