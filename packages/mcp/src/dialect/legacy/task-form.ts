/** Converts between the tasks of 2025-11-25 and the form of the extension, which the rest of the program uses. */
import { isJsonObject } from "@plugboard/contracts";
import type { Json, JsonObject } from "@plugboard/contracts";
import { RELATED_TASK_KEY } from "../../wire/meta-keys.ts";

/** Fills in the times that a server has left out, because they are required. */
export function fromLegacyTask(task: JsonObject): JsonObject {
  const { taskId, status, statusMessage, ttl, pollInterval } = task;
  const { createdAt = new Date().toISOString(), lastUpdatedAt = createdAt } = task;
  return {
    ...(taskId !== undefined && { taskId }),
    ...(status !== undefined && { status }),
    ...(typeof statusMessage === "string" && { statusMessage }),
    createdAt,
    lastUpdatedAt,
    ttlMs: typeof ttl === "number" ? ttl : null,
    ...(typeof pollInterval === "number" && { pollIntervalMs: pollInterval }),
  };
}

/** In the legacy revision, a task whose tool returned an error has failed too. */
export function toLegacyTask(task: JsonObject): JsonObject {
  const { taskId, status, statusMessage, createdAt, lastUpdatedAt, ttlMs = null, pollIntervalMs, result } = task;
  const hasFailed = status === "completed" && isJsonObject(result) && result["isError"] === true;
  return {
    taskId: taskId ?? "",
    status: hasFailed ? "failed" : (status ?? "working"),
    ...(statusMessage !== undefined && { statusMessage }),
    ...(createdAt !== undefined && { createdAt }),
    ...(lastUpdatedAt !== undefined && { lastUpdatedAt }),
    ttl: ttlMs,
    ...(pollIntervalMs !== undefined && { pollInterval: pollIntervalMs }),
  };
}

/** Returns the id of the task that a message belongs to. */
export function relatedTask({ _meta }: JsonObject): string | undefined {
  const related = isJsonObject(_meta) ? _meta[RELATED_TASK_KEY] : undefined;
  return isJsonObject(related) && typeof related["taskId"] === "string" ? related["taskId"] : undefined;
}

export function withRelatedTask(message: JsonObject, taskId: string): JsonObject {
  return { ...message, _meta: { ...metaOf(message), [RELATED_TASK_KEY]: { taskId } } };
}

export function withoutRelatedTask(message: JsonObject): JsonObject {
  if (relatedTask(message) === undefined) return message;
  const { _meta, ...rest } = message;
  const { [RELATED_TASK_KEY]: _, ...meta } = metaOf(message);
  return Object.keys(meta).length > 0 ? { ...rest, _meta: meta } : rest;
}

function metaOf({ _meta }: { readonly _meta?: Json }): JsonObject {
  return isJsonObject(_meta) ? _meta : {};
}
