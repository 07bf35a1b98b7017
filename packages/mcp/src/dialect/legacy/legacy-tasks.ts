/**
 * The tasks of revision 2025-11-25 at one server, in the form of the extension: `tasks/get` returns the result of an
 * ended task, and the questions of a task that waits for answers. `tasks/update` answers them. The server sends its
 * questions only while a `tasks/result` request is open.
 */
import { isJsonObject } from "@plugboard/contracts";
import type { Caller, JsonObject, Tool, Clock } from "@plugboard/contracts";
import { settlesInTime } from "../../lib/settles-in-time.ts";
import type { Op, OpOf, TaskRequest } from "../../session/op.ts";
import type { Outcome } from "../../session/outcome.ts";
import type { CallContext, CallInFlight, SessionPorts } from "../../session/session.ts";
import { followTask, parseTask } from "../../session/task.ts";
import type { TaskContext } from "../../session/task.ts";
import { inputRequestsOf, OpenResults } from "./open-results.ts";
import { OpenTasks } from "./open-tasks.ts";
import { fromLegacyTask, withoutRelatedTask } from "./task-form.ts";

export interface LegacyTasksOptions {
  readonly server: string;
  readonly clock: Clock;
  readonly ports: SessionPorts;
  /** Sends the request as it is. */
  readonly send: (op: Op, ctx: CallContext) => Promise<Outcome>;
}

type CallOp = OpOf<"tools/call">;

/** How long a task that needs an answer may take to send its question. */
const QUESTION_MS = 1000;

export class LegacyTasks {
  readonly #options: LegacyTasksOptions;
  readonly #taskTools = new Set<string>();
  readonly #results: OpenResults;
  readonly #open: OpenTasks;

  constructor(options: LegacyTasksOptions) {
    this.#options = options;
    this.#results = new OpenResults(options.send);
    this.#open = new OpenTasks(options.clock);
  }

  /** The tasks that may still run. */
  get open(): readonly CallInFlight[] {
    return this.#open.all;
  }

  /**
   * Called when the server reports the status of a task. Returns a function that finds the caller of the task, to be
   * called a little later: a response that was received just before may give the id to another caller.
   */
  onStatus(task: JsonObject): () => Caller | undefined {
    const { taskId } = task;
    const caller = typeof taskId === "string" ? this.#open.callerOf(taskId) : undefined;
    this.#open.onStatus(task);
    return () => (typeof taskId === "string" ? this.#open.callerOf(taskId) : undefined) ?? caller;
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
    const expected = this.#open.expect(ctx);
    try {
      return this.#toTask(await this.#options.send({ ...op, params: { ...op.params, task } }, ctx), op, ctx);
    } finally {
      this.#open.forget(expected);
    }
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
    const begun = fromLegacyTask(task);
    this.#open.begin(begun, ctx);
    return parseTask({ resultType: "task", ...begun }, this.#taskContext(op, ctx));
  }

  #taskContext(op: Op, ctx: CallContext): TaskContext {
    const { server, clock, ports } = this.#options;
    const { caller, client, timeoutMs, elicitation, sampling = false, roots: callerHasRoots = false, onProgress } = ctx;
    return {
      server,
      op,
      clock,
      inputSources: { sampling, roots: ports.roots, callerHasRoots },
      onProgress,
      // Each poll is a request of its own, with its own timeout.
      request: (poll, signal) => {
        const pollCtx: CallContext = { caller, client, signal, timeoutMs, maxMs: timeoutMs, elicitation, sampling };
        return this.request(poll, pollCtx) ?? this.#options.send(poll, pollCtx);
      },
    };
  }

  async #get(taskId: string, ctx: CallContext): Promise<Outcome> {
    const outcome = await this.#options.send({ method: "tasks/get", params: { taskId } }, ctx);
    if (outcome.type !== "complete") return outcome;
    const task = fromLegacyTask(outcome.result);
    this.#open.onStatus(task);
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
    const open = this.#results.take(taskId);
    if (!open) return undefined;
    await settlesInTime(open.next, ctx, this.#options.clock);
    const { outcome } = open;
    if (outcome && outcome.type !== "asks") return outcome;
    open.closing.abort();
    return undefined;
  }

  /** Reports the task as working until its questions have arrived. */
  async #withQuestions(taskId: string, task: JsonObject, ctx: CallContext): Promise<JsonObject> {
    const open = this.#results.get(taskId) ?? this.#results.open(taskId, task, ctx);
    if (!open) return { ...task, status: "working" };
    await settlesInTime(open.next, { signal: ctx.signal, timeoutMs: QUESTION_MS }, this.#options.clock);
    const inputRequests = inputRequestsOf(open);
    return inputRequests ? { ...task, inputRequests } : { ...task, status: "working" };
  }

  async #update({ taskId, inputResponses }: OpOf<"tasks/update">["params"]): Promise<Outcome> {
    this.#results.answer(taskId, inputResponses);
    return { type: "complete", result: {} };
  }

  async #cancel(op: OpOf<"tasks/cancel">, ctx: CallContext): Promise<Outcome> {
    const outcome = await this.#options.send(op, ctx);
    this.#results.take(op.params.taskId)?.closing.abort();
    if (outcome.type !== "complete") return outcome;
    this.#open.onStatus({ taskId: op.params.taskId, status: "cancelled" });
    return { type: "complete", result: {} };
  }
}
