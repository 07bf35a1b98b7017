import { ServerChangeListeners } from "#connection/server-change-listeners.js";
import type { Change, ChangeFilter, ServerCapabilities, Session } from "@plugboard/mcp";
import { describe, expect, it } from "vitest";

const EVERYTHING: ServerCapabilities = {
  tools: true,
  resources: true,
  prompts: true,
  completion: true,
  logging: true,
  tasks: true,
  subscribe: true,
  listChanged: { tools: true, resources: true, prompts: true },
};

/** A session that emits the changes of the test to all its listeners. `reject` rejects the next subscriptions. */
function session(offers: Partial<ServerCapabilities> = {}) {
  let rejection: Error | undefined;
  const listening = new Set<{ filter: ChangeFilter; on: (change: Change) => void }>();
  const made = {
    serverInfo: { capabilities: { ...EVERYTHING, ...offers } },
    listen: (filter: ChangeFilter, on: (change: Change) => void) => {
      const listener = { filter, on };
      listening.add(listener);
      const established = rejection ? Promise.reject(rejection) : Promise.resolve();
      return { established, stop: () => void listening.delete(listener) };
    },
  } as unknown as Session;
  return {
    session: made,
    filters: () => [...listening].map(({ filter }) => filter),
    reject: (error: Error | undefined) => (rejection = error),
    emit: (change: Change) => listening.forEach(({ on }) => on(change)),
  };
}

describe("ServerChangeListeners", () => {
  it("subscribes to the current session and to a later one", () => {
    const listeners = new ServerChangeListeners();
    const changes: string[] = [];
    listeners.listen({ tools: true }, () => changes.push("early"));
    const { session: first, emit } = session();
    listeners.sessionOpened(first);
    listeners.listen({ tools: true }, () => changes.push("late"));
    emit({ type: "tools" });
    expect(changes).toEqual(["early", "late"]);
  });

  it("subscribes to a session that is already open when it is created", () => {
    const { session: open, emit } = session();
    const changes: string[] = [];
    new ServerChangeListeners(open).listen({ tools: true }, ({ type }) => changes.push(type));
    emit({ type: "tools" });
    expect(changes).toEqual(["tools"]);
  });

  it.each([
    { before: "another session", hadSession: true, changes: ["tools"] },
    { before: "no session", hadSession: false, changes: [] },
  ])("reports $changes as changed when a session opens after $before", ({ hadSession, changes }) => {
    const listeners = new ServerChangeListeners(undefined, hadSession);
    const reported: string[] = [];
    listeners.listen({ tools: true }, ({ type }) => reported.push(type));
    listeners.sessionOpened(session().session);
    expect(reported).toEqual(changes);
  });

  it("subscribes only to changes that the session supports", () => {
    const listeners = new ServerChangeListeners();
    const none = { tools: false, resources: false, prompts: false };
    listeners.listen({ tools: true, prompts: true, uris: ["a:1"], tasks: ["t"] }, () => {});
    listeners.listen({ resources: true }, () => {});
    const { session: poor, filters } = session({
      listChanged: { ...none, prompts: true },
      subscribe: false,
      tasks: false,
    });
    listeners.sessionOpened(poor);
    expect(filters()).toEqual([{ prompts: true }]);
  });

  it("subscribes to the next session, reports everything as changed, and ignores the old session", () => {
    const listeners = new ServerChangeListeners();
    const changes: Change[] = [];
    listeners.listen({ tools: true, resources: true, prompts: true, uris: ["a:1", "a:2"], tasks: ["t"] }, (change) =>
      changes.push(change),
    );
    const [first, second] = [session(), session()];
    listeners.sessionOpened(first.session);
    expect(changes).toEqual([]);
    listeners.sessionClosed();
    expect(first.filters()).toEqual([]);
    listeners.sessionOpened(second.session);
    expect(changes.splice(0)).toEqual([
      { type: "tools" },
      { type: "resources" },
      { type: "prompts" },
      { type: "resource", uri: "a:1" },
      { type: "resource", uri: "a:2" },
    ]);
    second.emit({ type: "prompts" });
    expect(changes).toEqual([{ type: "prompts" }]);
  });

  it("ends a subscription in the current session and in all later ones", () => {
    const listeners = new ServerChangeListeners();
    const changes: Change[] = [];
    const listening = listeners.listen({ tools: true }, (change) => changes.push(change));
    const [first, second] = [session(), session()];
    listeners.sessionOpened(first.session);
    listening.stop();
    listening.stop();
    expect(first.filters()).toEqual([]);
    listeners.sessionClosed();
    listeners.sessionOpened(second.session);
    expect(second.filters()).toEqual([]);
    expect(changes).toEqual([]);
  });

  it("shares one subscription between listeners with equal filters, until the last one stops", () => {
    const listeners = new ServerChangeListeners();
    const changes: string[] = [];
    const { session: open, filters, emit } = session();
    listeners.sessionOpened(open);
    const [first, second] = ["first", "second"].map((name) =>
      listeners.listen({ uris: ["a:1"] }, () => changes.push(name)),
    );
    listeners.listen({ uris: ["a:2"] }, () => {});
    expect(filters()).toEqual([{ uris: ["a:1"] }, { uris: ["a:2"] }]);
    emit({ type: "resource", uri: "a:1" });
    expect(changes.splice(0)).toEqual(["first", "second"]);
    first!.stop();
    first!.stop();
    emit({ type: "resource", uri: "a:1" });
    expect(changes).toEqual(["second"]);
    expect(listeners.watchesResources).toBe(true);
    second!.stop();
    expect(filters()).toEqual([{ uris: ["a:2"] }]);
  });

  it("subscribes again for a new listener if the server has rejected the subscription", async () => {
    const listeners = new ServerChangeListeners();
    const { session: open, filters, reject } = session();
    listeners.sessionOpened(open);
    reject(new Error("not now"));
    await expect(listeners.listen({ uris: ["a:1"] }, () => {}).established).rejects.toThrow("not now");
    reject(undefined);
    await listeners.listen({ uris: ["a:1"] }, () => {}).established;
    expect(filters()).toEqual([{ uris: ["a:1"] }]);
  });
});
