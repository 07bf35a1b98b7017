/** Tests which changes of servers reach a client of the gateway, and that no subscription is left when it stops. */
import { HostError, Listeners } from "@plugboard/contracts";
import type { Caller, JsonObject, LogEntry } from "@plugboard/contracts";
import type { Change, ChangeFilter } from "@plugboard/mcp";
import { ChangeSubscriptions } from "#fronts/change-subscriptions.js";
import type { ChangeSubscriptionsOptions } from "#fronts/change-subscriptions.js";
import { describe, expect, it, vi } from "vitest";

const ann: Caller = { kind: "front", id: "ann" };

/** The subscription of the gateway at one server. */
interface Watch {
  readonly server: string;
  readonly filter: ChangeFilter;
  readonly report: (change: Change) => void;
}

/**
 * The servers `s` and `t`, with the resources `s:…` and `t:…`. Clients know `s:a` as `a`, and the task 1 of `s` as `s/1`.
 */
function setUp({ established }: { established?: Promise<void> } = {}) {
  const hidden = new Set<string>();
  const watches = new Set<Watch>();
  const logs = new Set<{ report: (server: string, entry: LogEntry) => void; includes: (server: string) => boolean }>();
  const lists = { tools: new Listeners(), resources: new Listeners(), prompts: new Listeners() };
  const viewChanged = new Listeners();
  const list = vi.fn<(part: string) => Promise<object[]>>(async () => []);
  const watch = (server: string, filter: ChangeFilter, report: Watch["report"]) => {
    const opened = { server, filter, report };
    watches.add(opened);
    return { established: established ?? Promise.resolve(), stop: () => watches.delete(opened) };
  };
  const watchLogs = (_: object, includes: (server: string) => boolean, report: (s: string, e: LogEntry) => void) => {
    const opened = { report, includes };
    logs.add(opened);
    return { stop: () => logs.delete(opened) };
  };
  const options = {
    workspace: { forwarding: { list, watch, watchLogs } },
    view: {
      includes: (server: string) => !hidden.has(server),
      onChanged: (part: keyof typeof lists, listener: () => void) => lists[part].add(listener),
      onViewChanged: (listener: () => void) => viewChanged.add(listener),
    },
    directory: {
      resolve: async (uri: string) => (uri === "a" ? { server: "s", uri: "s:a" } : undefined),
      outward: (server: string, uri: string) => `${server}/${uri}`,
    },
    tasks: { outwardTask: async (_: string, task: JsonObject) => ({ ...task, taskId: "s/1" }) },
    taskOwners: { find: (id: string) => (id === "s/1" ? { server: "s", taskId: "1" } : undefined) },
  } as unknown as ChangeSubscriptionsOptions;
  const changes: Change[] = [];
  const subscriptions = new ChangeSubscriptions(options);
  const listen = (filter: ChangeFilter) => subscriptions.listen(filter, ann, (change) => changes.push(change));
  return { hidden, watches, logs, lists, viewChanged, list, changes, subscriptions, listen };
}

describe("a client that subscribes to lists", () => {
  it("gets the changes of these lists until it stops", () => {
    const { lists, list, changes, listen } = setUp();
    const emitAll = () => Object.values(lists).forEach((listeners) => listeners.emit());
    const { stop } = listen({ tools: true, prompts: true });
    // A server reports changes of its prompts only after they were listed.
    expect(list.mock.calls.map(([part]) => part)).toEqual(["prompts"]);
    emitAll();
    stop();
    emitAll();
    expect(changes).toEqual([{ type: "tools" }, { type: "prompts" }]);
  });

  it("gets changes even if a list can't be read", async () => {
    const { list, lists, changes, listen } = setUp();
    list.mockRejectedValue(new HostError("HOST_CLOSED", {}));
    await listen({ resources: true }).established;
    lists.resources.emit();
    expect(changes).toEqual([{ type: "resources" }]);
  });
});

describe("a client that subscribes to a resource", () => {
  it("gets the changes of it and of its parts, under URIs that the client knows, until it stops", async () => {
    const { hidden, watches, changes, listen } = setUp();
    const { established, stop } = listen({ uris: ["a"] });
    await established;
    const [{ report, ...watch }] = [...watches] as [Watch];
    expect(watch).toEqual({ server: "s", filter: { uris: ["s:a"] } });
    report({ type: "resource", uri: "s:a" });
    report({ type: "resource", uri: "s:a/part" });
    report({ type: "tools" });
    hidden.add("s");
    report({ type: "resource", uri: "s:a" });
    expect(changes).toEqual([
      { type: "resource", uri: "a" },
      { type: "resource", uri: "s/s:a/part" },
    ]);
    stop();
    expect(watches.size).toBe(0);
  });

  it("gets the error for an unknown resource only after the other subscriptions are established", async () => {
    let accept!: () => void;
    const { watches, listen } = setUp({ established: new Promise((resolve) => (accept = resolve)) });
    const { established } = listen({ uris: ["b", "a"] });
    const failed = vi.fn<(thrown: unknown) => void>();
    const settled = established!.catch(failed);
    await new Promise((resolve) => setImmediate(resolve));
    expect([watches.size, failed.mock.calls.length]).toEqual([1, 0]);
    accept();
    await settled;
    expect(failed.mock.calls).toMatchObject([[{ peer: { code: -32602, data: { uri: "b" } } }]]);
  });

  it("causes no unhandled rejection if it does not wait for the subscription", async () => {
    const { watches, listen } = setUp();
    listen({ uris: ["b", "a"] });
    // An unhandled rejection would fail the test run.
    await new Promise((resolve) => setImmediate(resolve));
    expect(watches.size).toBe(1);
  });

  it("gets the error of the server with the URI that the client knows", async () => {
    const cause = { code: -32002, message: "gone" };
    const details = { server: "s", method: "resources/subscribe", ...cause };
    const { listen } = setUp({ established: Promise.reject(new HostError("REQUEST_FAILED", details, { cause })) });
    const peer = { code: -32602, message: "gone", data: { uri: "a" } };
    await expect(listen({ uris: ["a"] }).established).rejects.toMatchObject({ peer });
  });

  it("subscribes at no server if it stops before the server of its resource is found", async () => {
    const { watches, listen } = setUp();
    const { established, stop } = listen({ uris: ["a"] });
    stop();
    await established;
    expect(watches.size).toBe(0);
  });
});

describe("a client that subscribes to a task", () => {
  it("gets the states of the task in order until it stops, even if the server rejects the subscription", async () => {
    const refused = new HostError("HOST_CLOSED", {});
    const { hidden, watches, changes, listen } = setUp({ established: Promise.reject(refused) });
    const { established, stop } = listen({ tasks: ["s/1"] });
    await established;
    const [{ report, ...watch }] = [...watches] as [Watch];
    expect(watch).toEqual({ server: "s", filter: { tasks: ["1"] } });
    report({ type: "tools" });
    report({ type: "task", task: { taskId: "1", status: "working" } });
    report({ type: "task", task: { taskId: "1", status: "completed" } });
    await vi.waitFor(() => expect(changes).toHaveLength(2));
    const statuses = ["working", "completed"];
    expect(changes).toEqual(statuses.map((status) => ({ type: "task", task: { taskId: "s/1", status } })));
    hidden.add("s");
    report({ type: "task", task: { taskId: "1", status: "hidden" } });
    hidden.clear();
    report({ type: "task", task: { taskId: "1", status: "late" } });
    stop();
    await new Promise((resolve) => setImmediate(resolve));
    expect(changes).toHaveLength(2);
    expect(watches.size).toBe(0);
  });

  it("gets nothing about the task of another client", async () => {
    const { watches, listen } = setUp();
    await listen({ tasks: ["s/2"] }).established;
    expect(watches.size).toBe(0);
  });
});

describe("a client that subscribes to logs", () => {
  it("gets the log entries of the servers in its view, also after the view has changed, until it stops", () => {
    const { hidden, logs, viewChanged, subscriptions } = setUp();
    const onLog = vi.fn<(entry: LogEntry) => void>();
    const { stop } = subscriptions.listenLogs("info", ann, onLog);
    const [first] = logs;
    viewChanged.emit();
    expect(logs.size).toBe(1);
    const [second] = logs;
    expect(second).not.toBe(first);
    hidden.add("t");
    expect(["s", "t"].map((server) => second!.includes(server))).toEqual([true, false]);
    second!.report("s", { level: "info", data: "hello" });
    expect(onLog.mock.calls).toEqual([[{ level: "info", data: "hello", logger: "s" }]]);
    stop();
    viewChanged.emit();
    expect(logs.size).toBe(0);
  });
});
