/**
 * The tasks of revision 2025-11-25 that a client of the gateway has begun in its session, and the responses to its
 * requests about tasks.
 */
import { isJsonObject } from "@plugboard/contracts";
import type { Json, JsonObject } from "@plugboard/contracts";
import type { NotificationMessage } from "../../wire/message.ts";
import type { Op, TaskRequest } from "../../session/op.ts";
import type { Change, ChangeFilter, ChangeSubscription } from "../../session/session.ts";
import { toLegacyTask, withRelatedTask } from "./task-form.ts";

export const TASK_CAPABILITY: JsonObject = { list: {}, cancel: {}, requests: { tools: { call: {} } } };

/** The status of further tasks is not reported, so clients have to poll it. */
const MAX_WATCHED = 1000;
const ENDED: ReadonlySet<Json | undefined> = new Set(["completed", "failed", "cancelled"]);

export interface ServedTasksOptions {
  readonly listen: (filter: ChangeFilter, onChange: (change: Change) => void) => ChangeSubscription;
  /** Sends a message that belongs to no request. */
  readonly push: (message: NotificationMessage) => void;
}

export class ServedTasks {
  readonly #options: ServedTasksOptions;
  readonly #watched = new Map<string, ChangeSubscription>();

  constructor(options: ServedTasksOptions) {
    this.#options = options;
  }

  /** Returns the new task for the client, and reports its status from now on. */
  begin(task: JsonObject): JsonObject {
    const { taskId } = task;
    if (typeof taskId === "string" && !ENDED.has(task["status"])) this.#watch(taskId);
    return toLegacyTask(task);
  }

  close(): void {
    for (const subscription of this.#watched.values()) subscription.stop();
    this.#watched.clear();
  }

  #watch(taskId: string): void {
    if (this.#watched.size >= MAX_WATCHED || this.#watched.has(taskId)) return;
    const subscription = this.#options.listen({ tasks: [taskId] }, (change) => {
      if (change.type !== "task" || !this.#watched.has(taskId)) return;
      const params = toLegacyTask(change.task);
      this.#options.push({ jsonrpc: "2.0", method: "notifications/tasks/status", params });
      if (!ENDED.has(params["status"])) return;
      this.#watched.delete(taskId);
      subscription.stop();
    });
    this.#watched.set(taskId, subscription);
  }
}

export function taskRequest(task: Json | undefined): TaskRequest {
  const ttl = isJsonObject(task) ? task["ttl"] : undefined;
  return typeof ttl === "number" ? { ttlMs: ttl } : {};
}

/** Returns the response to a request about tasks. */
export function taskResult(op: Op, result: JsonObject): JsonObject {
  switch (op.method) {
    case "tasks/result":
      return withRelatedTask(withoutType(result), op.params.taskId);
    case "tasks/list": {
      const { tasks = [], ...page } = withoutType(result);
      return { ...page, tasks: (tasks as readonly JsonObject[]).map(toLegacyTask) };
    }
    default:
      return toLegacyTask(result);
  }
}

function withoutType(result: JsonObject): JsonObject {
  const { resultType: _, ...others } = result;
  return others;
}
