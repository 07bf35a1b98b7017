/**
 * The tasks that were begun in a legacy session and may still run. The server may ask something for each of them, so
 * each counts as a request of its caller, though none is in flight. Forgets a task at the end of its `ttl`.
 */
import type { Caller, Json, JsonObject, Clock } from "@plugboard/contracts";
import { steadyNow } from "@plugboard/contracts";
import type { CallContext, CallInFlight } from "../../session/session.ts";

interface OpenTask extends CallInFlight {
  readonly expiresAt: number;
}

/** The longest time that a task is remembered. Its `ttl` may be shorter. */
const MAX_TASK_MS = 24 * 60 * 60 * 1000;
const MAX_TASKS = 10_000;
const ENDED: ReadonlySet<Json | undefined> = new Set(["completed", "failed", "cancelled"]);

export class OpenTasks {
  readonly #clock: Clock;
  /** By task id, oldest first. The key of a call that may begin a task is a symbol until the task has an id. */
  readonly #tasks = new Map<string | symbol, OpenTask>();

  constructor(clock: Clock) {
    this.#clock = clock;
  }

  /** Counts a call as a task from now on, because a question may come together with the id of its task. */
  expect(ctx: CallContext): symbol {
    const key = Symbol("task");
    this.#add(key, "", MAX_TASK_MS, ctx);
    return key;
  }

  forget(key: symbol): void {
    this.#tasks.delete(key);
  }

  /** Adds a task that the server has begun, in the form of the extension. */
  begin({ taskId, ttlMs, status }: JsonObject, ctx: CallContext): void {
    if (typeof taskId === "string" && !ENDED.has(status)) this.#add(taskId, taskId, taskLifetime(ttlMs), ctx);
  }

  /** Forgets the task if it has ended. */
  onStatus({ taskId, status }: JsonObject): void {
    if (typeof taskId === "string" && ENDED.has(status)) this.#tasks.delete(taskId);
  }

  callerOf(taskId: string): Caller | undefined {
    return this.#tasks.get(taskId)?.caller;
  }

  get all(): readonly CallInFlight[] {
    const now = steadyNow(this.#clock);
    for (const [key, { expiresAt }] of this.#tasks) if (expiresAt <= now) this.#tasks.delete(key);
    return [...this.#tasks.values()];
  }

  #add(key: string | symbol, taskId: string, lifetimeMs: number, { caller, client }: CallContext): void {
    const expiresAt = steadyNow(this.#clock) + lifetimeMs;
    const op = { method: "tasks/result", params: { taskId } } as const;
    this.#tasks.delete(key);
    this.#tasks.set(key, { caller, client, op, active: false, expiresAt });
    const [oldest] = this.#tasks.keys();
    if (this.#tasks.size > MAX_TASKS) this.#tasks.delete(oldest!);
  }
}

export function taskLifetime(ttlMs: Json | undefined): number {
  return typeof ttlMs === "number" && ttlMs >= 0 ? Math.min(ttlMs, MAX_TASK_MS) : MAX_TASK_MS;
}
