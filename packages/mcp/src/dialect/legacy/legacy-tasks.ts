/**
 * The tasks of 2025-11-25 at one server. Answers `tasks/get` and `tasks/update` as the extension does: with the result of
 * an ended task, and with the questions of one that waits. The server sends those only while `tasks/result` is open.
 */
import { isJsonObject } from "@plugboard/contracts";
import type { JsonObject, Tool } from "@plugboard/contracts";
import type { Clock } from "../../lib/clock.ts";
import { settlesInTime } from "../../lib/settles-in-time.ts";
import type { AskAnswer } from "../../session/ask.ts";
import type { Op, OpOf, TaskRequest } from "../../session/op.ts";
import type { Outcome } from "../../session/outcome.ts";
import { askMethod, parseAskAnswer } from "../../session/parse-ask.ts";
import type { CallContext, SessionPorts } from "../../session/session.ts";
import { followTask, parseTask } from "../../session/task.ts";
import type { TaskContext } from "../../session/task.ts";
import { fromLegacyTask, withoutRelatedTask } from "./task-form.ts";

export interface LegacyTasksOptions {
  readonly server: string;
  readonly clock: Clock;
  readonly ports: SessionPorts;
  /** Sends the request as it is. */
  readonly send: (op: Op, ctx: CallContext) => Promise<Outcome>;
}

/** An open `tasks/result` request: its end, or the questions that it waits for. */
interface OpenResult {
  next: Promise<Outcome>;
  /** Undefined until `next` has settled. */
  outcome: Outcome | undefined;
  /** Counts the rounds of questions, because each needs keys of its own. */
  round: number;
  /** The answers of this round so far. */
  answers: { [key: string]: AskAnswer };
}

type CallOp = OpOf<"tools/call">;

/** The longest time that a task may wait for its answers and its end. Its server forgets it earlier. */
const MAX_RESULT_MS = 24 * 60 * 60 * 1000;
/** How long a task that needs an answer may take to send its question. */
const QUESTION_MS = 1000;

export class LegacyTasks {
  readonly #options: LegacyTasksOptions;
  readonly #taskTools = new Set<string>();
  readonly #results = new Map<string, OpenResult>();

  constructor(options: LegacyTasksOptions) {
    this.#options = options;
  }

  /** Remembers which tools run only as tasks. */
  observe({ name, taskOnly }: Tool): void {
    if (taskOnly) this.#taskTools.add(name);
    else this.#taskTools.delete(name);
  }

  /** Returns undefined for a request that has nothing to do with tasks. */
  request(op: Op, ctx: CallContext): Promise<Outcome> | undefined {
    switch (op.method) {
      case "tools/call": {
        const task = typeof ctx.tasks === "object" ? ctx.tasks : this.#taskTools.has(op.params.name) ? {} : undefined;
        return task && this.#call(op, task, ctx);
      }
      case "tasks/get":
        return this.#get(op.params.taskId, ctx);
      case "tasks/update":
        return this.#update(op.params);
      case "tasks/cancel":
        return this.#cancel(op, ctx);
      case "tasks/result":
        return followTask(op.params.taskId, this.#taskContext(op, ctx), ctx);
      default:
        return undefined;
    }
  }

  async #call(op: CallOp, task: TaskRequest, ctx: CallContext): Promise<Outcome> {
    return this.#toTask(await this.#options.send({ ...op, params: { ...op.params, task } }, ctx), op, ctx);
  }

  /** A server may ask before it begins the task, and may also answer with the result at once. */
  #toTask(outcome: Outcome, op: CallOp, ctx: CallContext): Outcome {
    if (outcome.type === "asks") {
      const resume: typeof outcome.resume = async (answers, resumed) =>
        this.#toTask(await outcome.resume(answers, resumed), op, ctx);
      return { ...outcome, resume };
    }
    const task = outcome.type === "complete" ? outcome.result["task"] : undefined;
    if (!isJsonObject(task)) return outcome;
    return parseTask({ resultType: "task", ...fromLegacyTask(task) }, this.#taskContext(op, ctx));
  }

  #taskContext(op: Op, ctx: CallContext): TaskContext {
    const { server, clock, ports } = this.#options;
    const { caller, timeoutMs, elicitation, sampling = false, roots: callerHasRoots = false, onProgress } = ctx;
    return {
      server,
      op,
      clock,
      inputSources: { sampling, roots: ports.roots, callerHasRoots },
      onProgress,
      // Each poll is a request of its own, with its own timeout.
      request: (poll, signal) => {
        const pollCtx: CallContext = { caller, signal, timeoutMs, maxMs: timeoutMs, elicitation, sampling };
        return this.request(poll, pollCtx) ?? this.#options.send(poll, pollCtx);
      },
    };
  }

  async #get(taskId: string, ctx: CallContext): Promise<Outcome> {
    const outcome = await this.#options.send({ method: "tasks/get", params: { taskId } }, ctx);
    if (outcome.type !== "complete") return outcome;
    const task = fromLegacyTask(outcome.result);
    switch (task["status"]) {
      case "completed":
      case "failed":
        return this.#withResult(taskId, task, ctx);
      case "input_required":
        return { type: "complete", result: await this.#withQuestions(taskId, task, ctx) };
      default:
        return { type: "complete", result: task };
    }
  }

  /** The extension calls a task completed if its tool has a result, even one that is an error. */
  async #withResult(taskId: string, task: JsonObject, ctx: CallContext): Promise<Outcome> {
    const outcome =
      (await this.#takeOpenResult(taskId, ctx)) ??
      (await this.#options.send({ method: "tasks/result", params: { taskId } }, ctx));
    if (outcome.type === "complete")
      return { type: "complete", result: { ...task, status: "completed", result: withoutRelatedTask(outcome.result) } };
    const error = outcome.type === "failed" ? outcome.error.peer : undefined;
    return error ? { type: "complete", result: { ...task, status: "failed", error: { ...error } } } : outcome;
  }

  /** Returns undefined if there is no open request, or if it does not end with the task. */
  async #takeOpenResult(taskId: string, ctx: CallContext): Promise<Outcome | undefined> {
    const open = this.#results.get(taskId);
    if (!open) return undefined;
    this.#results.delete(taskId);
    await settlesInTime(open.next, ctx, this.#options.clock);
    if (open.outcome?.type !== "asks") return open.outcome;
    open.outcome.abandon("the task has ended");
    return undefined;
  }

  /** Reports the task as working until its questions are there. */
  async #withQuestions(taskId: string, task: JsonObject, ctx: CallContext): Promise<JsonObject> {
    const { clock } = this.#options;
    const open = this.#results.get(taskId) ?? this.#openResult(taskId, ctx);
    await settlesInTime(open.next, { signal: ctx.signal, timeoutMs: QUESTION_MS }, clock);
    const { outcome, round } = open;
    if (outcome?.type !== "asks") return { ...task, status: "working" };
    const inputRequests = Object.entries(outcome.asks).map(([key, ask]) => [
      keyInRound(key, round),
      { method: askMethod(ask), params: ask.rawParams },
    ]);
    return { ...task, inputRequests: Object.fromEntries(inputRequests) as JsonObject };
  }

  #openResult(taskId: string, { caller, elicitation, sampling }: CallContext): OpenResult {
    const ctx: CallContext = { caller, elicitation, sampling, timeoutMs: MAX_RESULT_MS, maxMs: MAX_RESULT_MS };
    const next = this.#options.send({ method: "tasks/result", params: { taskId } }, ctx);
    const open: OpenResult = { next, outcome: undefined, round: 0, answers: {} };
    this.#results.set(taskId, open);
    this.#await(taskId, open);
    return open;
  }

  #await(taskId: string, open: OpenResult): void {
    const { next } = open;
    void next.then((outcome) => {
      open.outcome = outcome;
      // The next poll asks again.
      if (outcome.type === "failed" && !outcome.error.peer && this.#results.get(taskId) === open)
        this.#results.delete(taskId);
    });
  }

  /** Sends the answers when all questions of the round have one. Ignores answers to other questions. */
  async #update({ taskId, inputResponses }: OpOf<"tasks/update">["params"]): Promise<Outcome> {
    const open = this.#results.get(taskId);
    const suspended = open?.outcome;
    if (open && suspended?.type === "asks") {
      const keys = Object.keys(suspended.asks);
      for (const key of keys) {
        const response = inputResponses[keyInRound(key, open.round)];
        if (isJsonObject(response)) open.answers[key] = parseAskAnswer(response);
      }
      if (keys.every((key) => open.answers[key])) {
        open.next = suspended.resume(open.answers, {});
        Object.assign(open, { outcome: undefined, round: open.round + 1, answers: {} });
        this.#await(taskId, open);
      }
    }
    return { type: "complete", result: {} };
  }

  async #cancel(op: OpOf<"tasks/cancel">, ctx: CallContext): Promise<Outcome> {
    const outcome = await this.#options.send(op, ctx);
    const open = this.#results.get(op.params.taskId);
    this.#results.delete(op.params.taskId);
    if (open?.outcome?.type === "asks") open.outcome.abandon("the task was cancelled");
    return outcome.type === "complete" ? { type: "complete", result: {} } : outcome;
  }
}

function keyInRound(key: string, round: number): string {
  return `${key}-${round + 1}`;
}
