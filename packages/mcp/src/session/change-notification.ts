/** Which change a notification tells of, and whom it concerns. */
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

/** A change as a front is told it; `meta` says to which of its subscriptions it belongs. */
export function toNotification(change: Change, meta?: JsonObject): NotificationMessage {
  const changeParams =
    change.type === "resource" ? { uri: change.uri } : change.type === "task" ? change.task : undefined;
  const params = (changeParams ?? meta) && { ...changeParams, ...(meta && { _meta: meta }) };
  return { jsonrpc: "2.0", method: NOTIFICATION_METHODS[change.type], ...(params && { params }) };
}

const NOTIFICATION_METHODS: { readonly [type in Change["type"]]: string } = {
  tools: "notifications/tools/list_changed",
  resources: "notifications/resources/list_changed",
  prompts: "notifications/prompts/list_changed",
  resource: "notifications/resources/updated",
  task: "notifications/tasks",
};

/** An update may be of something below what is watched; what merely begins with the same letters is another thing. */
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
  const next = uri.charAt(watched.length);
  return next === "" || watched.endsWith("/") || "/?#".includes(next);
}
