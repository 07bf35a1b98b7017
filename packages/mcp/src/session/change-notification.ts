/** Converts between change notifications and `Change` values, and matches them with filters. */
import type { JsonObject } from "@plugboard/contracts";
import type { NotificationMessage } from "../wire/message.ts";
import type { Change, ChangeFilter } from "./session.ts";

export function parseChange(method: string, params: JsonObject = {}): Change | undefined {
  switch (method) {
    case "notifications/tools/list_changed":
      return { type: "tools" };
    case "notifications/resources/list_changed":
      return { type: "resources" };
    case "notifications/prompts/list_changed":
      return { type: "prompts" };
    case "notifications/resources/updated":
      return typeof params["uri"] === "string" ? { type: "resource", uri: params["uri"] } : undefined;
    case "notifications/tasks":
      return { type: "task", task: params };
    default:
      return undefined;
  }
}

/** Returns the notification for a gateway client. `meta` names the subscription it belongs to. */
export function toNotification(change: Change, meta?: JsonObject): NotificationMessage {
  const method = NOTIFICATION_METHODS[change.type];
  const params = changeParams(change);
  if (!params && !meta) return { jsonrpc: "2.0", method };
  return { jsonrpc: "2.0", method, params: { ...params, ...(meta && { _meta: meta }) } };
}

function changeParams(change: Change): JsonObject | undefined {
  if (change.type === "resource") return { uri: change.uri };
  return change.type === "task" ? change.task : undefined;
}

const NOTIFICATION_METHODS: { readonly [type in Change["type"]]: string } = {
  tools: "notifications/tools/list_changed",
  resources: "notifications/resources/list_changed",
  prompts: "notifications/prompts/list_changed",
  resource: "notifications/resources/updated",
  task: "notifications/tasks",
};

/** A watched URI also matches updates of resources below it, but not other URIs with the same prefix. */
export function matchesFilter(change: Change, filter: ChangeFilter): boolean {
  switch (change.type) {
    case "resource":
      return filter.uris?.some((uri) => isWithin(change.uri, uri)) ?? false;
    case "task":
      return filter.tasks?.some((id) => id === change.task["taskId"]) ?? false;
    default:
      return filter[change.type] === true;
  }
}

function isWithin(uri: string, watched: string): boolean {
  if (!uri.startsWith(watched)) return false;
  const nextChar = uri.charAt(watched.length);
  return nextChar === "" || watched.endsWith("/") || "/?#".includes(nextChar);
}
