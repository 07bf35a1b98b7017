/** Tells clients about changes of lists, resources and tasks, and about log entries that belong to no call. */
import { setImmediate } from "node:timers/promises";
import { accountOf, principalIdOf, toHostError } from "@plugboard/contracts";
import type { Caller, LogEntry, LogLevel } from "@plugboard/contracts";
import type { OpenWorkspace } from "@plugboard/host/workspace";
import { NEWEST_REVISION } from "@plugboard/mcp";
import type { Change, ChangeFilter, ChangeSubscription } from "@plugboard/mcp";
import { namedEntry } from "../requests/front-request.ts";
import type { FrontView } from "../profiles/front-view.ts";
import { errorWithUri, unknownResource } from "../requests/peer-failure.ts";
import type { ResourceDirectory } from "../profiles/resource-directory.ts";
import type { TaskOwners } from "../requests/task-owners.ts";
import type { TaskRequests } from "../requests/task-requests.ts";

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
    const pending: Promise<void>[] = [];
    for (const part of ["tools", "resources", "prompts"] as const) {
      if (!filter[part]) continue;
      stops.push(view.onChanged(part, () => onChange({ type: part })));
      if (part !== "tools") pending.push(this.#list(part));
    }
    const watch = new AbortController();
    stops.push(() => watch.abort());
    for (const uri of filter.uris ?? []) pending.push(this.#watchResource(uri, onChange, watch.signal));
    for (const taskId of filter.tasks ?? []) pending.push(this.#watchTask(taskId, caller, onChange, watch.signal));
    const established = allSettled(pending);
    // Prevents an unhandled rejection, because not every client waits for `established`. A modern client does not learn
    // which resources can't be watched.
    established.catch(() => {});
    return { established, stop: () => stops.forEach((stop) => stop()) };
  }

  listenLogs(level: LogLevel, caller: Caller, onLog: (entry: LogEntry) => void): ChangeSubscription {
    const { workspace, view } = this.#options;
    const watch = () =>
      workspace.forwarding.watchLogs(
        { level, principal: principalIdOf(caller) },
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
  async #list(part: "resources" | "prompts"): Promise<void> {
    const { workspace, view } = this.#options;
    // Ignores errors: the client's next list request reports them.
    await workspace.forwarding.list(part, (server) => view.includes(server)).catch(() => {});
  }

  /** Resolves when the server has accepted the subscription. `outward` is the URI that the client uses. */
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

  /** Resolves when the server has accepted or rejected the subscription. If it was rejected, the client polls. */
  async #watchTask(
    outward: string,
    caller: Caller,
    onChange: (change: Change) => void,
    stopped: AbortSignal,
  ): Promise<void> {
    const { workspace, view, tasks, taskOwners } = this.#options;
    const task = taskOwners.find(outward, caller);
    if (!task) return;
    const { server, taskId, client } = task;
    let reported = Promise.resolve();
    const onTaskChange = (change: Change) => {
      if (change.type !== "task" || !view.includes(server)) return;
      // Reports the states one after another, so that the client gets them in order.
      reported = reported.then(async () => {
        // Just before this change, the server may have sent a response that gives the same id to another client's
        // task. Waits until that response has been handled.
        await setImmediate();
        if (!view.includes(server)) return;
        const begunBy = change.begunBy?.();
        const isOfOther = begunBy !== undefined && accountOf(begunBy) !== accountOf(caller);
        if (isOfOther || taskOwners.find(outward, caller)?.client !== client) return watched.stop();
        // Only the newest revision can subscribe to tasks.
        const described = await tasks.outwardTask(server, change.task, { caller, revision: NEWEST_REVISION });
        if (!stopped.aborted) onChange({ type: "task", task: described });
      });
    };
    const watched = workspace.forwarding.watch(server, { tasks: [taskId] }, onTaskChange, { caller, client });
    stopped.addEventListener("abort", () => watched.stop(), { once: true });
    await watched.established?.catch(() => {});
  }
}

/** Waits until all promises have settled. Then rejects with the first error, if there is one. */
async function allSettled(promises: readonly Promise<void>[]): Promise<void> {
  await Promise.allSettled(promises);
  await Promise.all(promises);
}
