/** Tells clients about changes of lists, resources and tasks, and about log entries that belong to no call. */
import type { LogEntry, LogLevel } from "@plugboard/contracts";
import { parseOutwardTaskId } from "@plugboard/host/internal";
import type { OpenWorkspace } from "@plugboard/host/internal";
import type { Change, ChangeFilter, ChangeSubscription } from "@plugboard/mcp";
import { namedEntry } from "./front-request.ts";
import type { FrontView } from "./front-view.ts";
import type { ResourceDirectory } from "./resource-directory.ts";
import type { TaskRequests } from "./task-requests.ts";

export interface ChangeSubscriptionsOptions {
  readonly workspace: OpenWorkspace;
  readonly view: FrontView;
  readonly directory: ResourceDirectory;
  readonly tasks: TaskRequests;
}

export class ChangeSubscriptions {
  readonly #options: ChangeSubscriptionsOptions;

  constructor(options: ChangeSubscriptionsOptions) {
    this.#options = options;
  }

  listen(filter: ChangeFilter, onChange: (change: Change) => void): ChangeSubscription {
    const { view, workspace } = this.#options;
    const stops: (() => void)[] = [];
    if (filter.tools) stops.push(view.onToolsChanged(() => onChange({ type: "tools" })));
    for (const part of ["resources", "prompts"] as const) {
      if (!filter[part]) continue;
      stops.push(workspace.forwarding.onChanged(part, () => onChange({ type: part })));
      this.#list(part);
    }
    const watch = new AbortController();
    stops.push(() => watch.abort());
    for (const uri of filter.uris ?? []) void this.#watchResource(uri, onChange, watch.signal);
    for (const taskId of filter.tasks ?? []) this.#watchTask(taskId, onChange, watch.signal);
    return { stop: () => stops.forEach((stop) => stop()) };
  }

  listenLogs(level: LogLevel, onLog: (entry: LogEntry) => void): ChangeSubscription {
    const { workspace, view } = this.#options;
    const includes = (server: string) => view.includes(server);
    return workspace.forwarding.watchLogs(level, includes, (server, entry) => onLog(namedEntry(server, entry)));
  }

  /** Servers report changes only of lists that were requested. */
  #list(part: "resources" | "prompts"): void {
    const { workspace, view } = this.#options;
    // The next list has the error of a server that can't be listed.
    workspace.forwarding.list(part, (server) => view.includes(server)).catch(() => {});
  }

  async #watchResource(outward: string, onChange: (change: Change) => void, stopped: AbortSignal): Promise<void> {
    const { workspace, directory } = this.#options;
    // An unknown resource never changes.
    const found = await directory.resolve(outward, stopped).catch(() => undefined);
    if (!found || stopped.aborted) return;
    const { server, uri } = found;
    const watched = workspace.forwarding.watch(server, { uris: [uri] }, (change) => {
      if (change.type !== "resource") return;
      onChange({ type: "resource", uri: change.uri === uri ? outward : directory.outward(server, change.uri) });
    });
    stopped.addEventListener("abort", () => watched.stop(), { once: true });
  }

  #watchTask(outward: string, onChange: (change: Change) => void, stopped: AbortSignal): void {
    const { workspace, view, tasks } = this.#options;
    const task = parseOutwardTaskId(outward);
    if (!task || !view.includes(task.server)) return;
    const { server, taskId } = task;
    const watched = workspace.forwarding.watch(server, { tasks: [taskId] }, (change) => {
      if (change.type === "task") onChange({ type: "task", task: tasks.outwardTask(server, change.task, undefined) });
    });
    stopped.addEventListener("abort", () => watched.stop(), { once: true });
  }
}
