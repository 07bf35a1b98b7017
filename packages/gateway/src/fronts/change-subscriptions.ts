/** Tells clients about changes of lists, resources and tasks, and about log entries that belong to no call. */
import { toHostError } from "@plugboard/contracts";
import type { Caller, LogEntry, LogLevel } from "@plugboard/contracts";
import type { OpenWorkspace } from "@plugboard/host/internal";
import type { Change, ChangeFilter, ChangeSubscription } from "@plugboard/mcp";
import { namedEntry } from "./front-request.ts";
import type { FrontView } from "./front-view.ts";
import { errorWithUri, unknownResource } from "./peer-failure.ts";
import type { ResourceDirectory } from "./resource-directory.ts";
import type { TaskOwners } from "./task-owners.ts";
import type { TaskRequests } from "./task-requests.ts";

export interface ChangeSubscriptionsOptions {
  readonly workspace: OpenWorkspace;
  readonly view: FrontView;
  readonly directory: ResourceDirectory;
  readonly tasks: TaskRequests;
  readonly taskOwners: TaskOwners;
}

export class ChangeSubscriptions {
  readonly #options: ChangeSubscriptionsOptions;

  constructor(options: ChangeSubscriptionsOptions) {
    this.#options = options;
  }

  listen(filter: ChangeFilter, caller: Caller, onChange: (change: Change) => void): ChangeSubscription {
    const { view } = this.#options;
    const stops: (() => void)[] = [];
    for (const part of ["tools", "resources", "prompts"] as const) {
      if (!filter[part]) continue;
      stops.push(view.onChanged(part, () => onChange({ type: part })));
      if (part !== "tools") this.#list(part);
    }
    const watch = new AbortController();
    stops.push(() => watch.abort());
    const watched = (filter.uris ?? []).map((uri) => this.#watchResource(uri, onChange, watch.signal));
    const established = Promise.all(watched).then(() => {});
    // A modern client is not told about resources that can't be watched.
    established.catch(() => {});
    for (const taskId of filter.tasks ?? []) this.#watchTask(taskId, caller, onChange, watch.signal);
    return { established, stop: () => stops.forEach((stop) => stop()) };
  }

  listenLogs(level: LogLevel, onLog: (entry: LogEntry) => void): ChangeSubscription {
    const { workspace, view } = this.#options;
    const watch = () =>
      workspace.forwarding.watchLogs(
        level,
        (server) => view.includes(server),
        (server, entry) => onLog(namedEntry(server, entry)),
      );
    let watched = watch();
    const stopListening = view.onViewChanged(() => {
      watched.stop();
      watched = watch();
    });
    return {
      stop: () => {
        stopListening();
        watched.stop();
      },
    };
  }

  /** Servers report changes only of lists that were requested. */
  #list(part: "resources" | "prompts"): void {
    const { workspace, view } = this.#options;
    // The next list has the error of a server that can't be listed.
    workspace.forwarding.list(part, (server) => view.includes(server)).catch(() => {});
  }

  /** Resolves when the server has accepted the subscription. */
  async #watchResource(outward: string, onChange: (change: Change) => void, stopped: AbortSignal): Promise<void> {
    const { workspace, directory, view } = this.#options;
    const found = await directory.resolve(outward, stopped);
    if (stopped.aborted) return;
    if (!found) throw unknownResource("resources/subscribe", outward);
    const { server, uri } = found;
    const watched = workspace.forwarding.watch(server, { uris: [uri] }, (change) => {
      if (change.type !== "resource" || !view.includes(server)) return;
      onChange({ type: "resource", uri: change.uri === uri ? outward : directory.outward(server, change.uri) });
    });
    stopped.addEventListener("abort", () => watched.stop(), { once: true });
    try {
      await watched.established;
    } catch (thrown) {
      throw errorWithUri(toHostError(thrown), "resources/subscribe", outward);
    }
  }

  #watchTask(outward: string, caller: Caller, onChange: (change: Change) => void, stopped: AbortSignal): void {
    const { workspace, view, tasks, taskOwners } = this.#options;
    const task = taskOwners.find(outward, caller);
    if (!task) return;
    const { server, taskId } = task;
    let reported = Promise.resolve();
    const watched = workspace.forwarding.watch(server, { tasks: [taskId] }, (change) => {
      if (change.type !== "task" || !view.includes(server)) return;
      // One after another, so that the client gets the states in order.
      reported = reported.then(async () => {
        const described = await tasks.outwardTask(server, change.task, { caller });
        if (!stopped.aborted) onChange({ type: "task", task: described });
      });
    });
    stopped.addEventListener("abort", () => watched.stop(), { once: true });
  }
}
