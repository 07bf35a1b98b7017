/**
 * A call that the server goes on with as a task. It is asked how far it is, at
 * the pace the server names, until it has ended or wants something first.
 */
import { HostError, isJsonObject, isPeerError } from "@plugboard/contracts";
import type { Json, JsonObject } from "@plugboard/contracts";
import type { Clock } from "../../clock.ts";
import { quote } from "../../wire/quote.ts";
import { failed, refused } from "../failure.ts";
import type { Op } from "../op.ts";
import type { Outcome, ResumeContext, Underway } from "../outcome.ts";
import { readWanted, writeResponses } from "./input-required.ts";
import type { Able, Wanted } from "./input-required.ts";

export interface TaskContext {
  readonly server: string;
  /** The request it came from. */
  readonly op: Op;
  readonly clock: Clock;
  readonly able: Able;
  readonly request: (op: Op, signal: AbortSignal | undefined) => Promise<Outcome>;
}

const POLL_MS = 1000;
const SHORTEST_POLL_MS = 50;
const LONGEST_POLL_MS = 60_000;
const CANCEL_MS = 2000;
/** How often in a row it may be impossible to ask. */
const MAX_LOSSES = 5;

export function readTask(task: JsonObject, ctx: TaskContext): Outcome {
  const { taskId } = task;
  if (typeof taskId !== "string") return unexpected(ctx, 'a task has no "taskId"');
  return new Task(taskId, task, ctx);
}

class Task implements Underway {
  readonly type = "task";
  readonly task: JsonObject;

  readonly #id: string;
  readonly #ctx: TaskContext;
  /** What was answered is not asked again, though the server may take a while to take it in. */
  readonly #answered = new Set<string>();

  constructor(id: string, task: JsonObject, ctx: TaskContext) {
    this.#id = id;
    this.task = task;
    this.#ctx = ctx;
  }

  async follow({ signal }: ResumeContext): Promise<Outcome> {
    let pace = pollMs(this.task);
    let losses = 0;
    for (;;) {
      await pause(this.#ctx.clock, pace, signal);
      if (signal?.aborted) return this.#endWith(new HostError("CANCELLED", { reason: "the caller gave up" }));
      const outcome = await this.#ctx.request({ method: "tasks/get", params: { taskId: this.#id } }, signal);
      if (outcome.type === "complete") {
        losses = 0;
        pace = pollMs(outcome.result);
        const end = this.#read(outcome.result);
        if (end) return end;
      } else if (outcome.type !== "failed" || outcome.error.peer || ++losses >= MAX_LOSSES) {
        return outcome;
      }
    }
  }

  async cancel(): Promise<void> {
    await this.#ctx.request({ method: "tasks/cancel", params: { taskId: this.#id } }, undefined);
  }

  /** The end, or a question; nothing while it goes on. */
  #read(task: JsonObject): Outcome | undefined {
    const { server, op } = this.#ctx;
    const { status, result, error, inputRequests } = task;
    switch (status) {
      case "working":
        return undefined;
      case "completed":
        return isJsonObject(result)
          ? { type: "complete", result }
          : unexpected(this.#ctx, "a completed task has no result");
      case "failed":
        return isPeerError(error) ? refused(server, op, error) : unexpected(this.#ctx, "a failed task has no error");
      case "cancelled":
        return failed(new HostError("CANCELLED", { reason: "the server ended the task" }));
      case "input_required":
        return this.#ask(inputRequests);
      default:
        return unexpected(this.#ctx, `the task status ${quote(status)} is not known`);
    }
  }

  #ask(inputRequests: Json = {}): Outcome | undefined {
    const open = isJsonObject(inputRequests)
      ? Object.fromEntries(Object.entries(inputRequests).filter(([key]) => !this.#answered.has(key)))
      : inputRequests;
    if (isJsonObject(open) && Object.keys(open).length === 0) return undefined;
    const wanted = readWanted(open, this.#ctx.able);
    if ("invalid" in wanted) return unexpected(this.#ctx, wanted.invalid);
    return {
      type: "asks",
      asks: wanted.asks,
      overtaken: new AbortController().signal,
      resume: (answers, ctx) => this.#answer(wanted, answers, ctx),
      abandon: () => void this.cancel(),
    };
  }

  async #answer(wanted: Wanted, answers: Parameters<typeof writeResponses>[1], ctx: ResumeContext): Promise<Outcome> {
    const inputResponses = writeResponses(wanted, answers);
    if (!inputResponses) return this.#endWith(new HostError("SAMPLING_REFUSED", { server: this.#ctx.server }));
    for (const key of Object.keys(inputResponses)) this.#answered.add(key);
    const params = { taskId: this.#id, inputResponses };
    const updated = await this.#ctx.request({ method: "tasks/update", params }, ctx.signal);
    return updated.type === "complete" ? this.follow(ctx) : updated;
  }

  /** Nobody waits long for a server to take that in. */
  async #endWith(why: HostError): Promise<Outcome> {
    const taken = new AbortController();
    const patience = pause(this.#ctx.clock, CANCEL_MS, taken.signal);
    await Promise.race([this.cancel(), patience]);
    taken.abort();
    return failed(why);
  }
}

function unexpected({ server }: TaskContext, what: string): Outcome {
  return failed(new HostError("UNEXPECTED_RESPONSE", { server, what }));
}

function pollMs({ pollIntervalMs }: JsonObject): number {
  if (typeof pollIntervalMs !== "number") return POLL_MS;
  return Math.min(Math.max(pollIntervalMs, SHORTEST_POLL_MS), LONGEST_POLL_MS);
}

function pause(clock: Clock, ms: number, signal: AbortSignal | undefined): Promise<void> {
  return new Promise((resolve) => {
    const done = () => {
      stop();
      signal?.removeEventListener("abort", done);
      resolve();
    };
    const stop = clock.after(ms, done);
    signal?.addEventListener("abort", done, { once: true });
    if (signal?.aborted) done();
  });
}
