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

/** A session that emits the changes of the test to all its listeners. */
function session(offers: Partial<ServerCapabilities> = {}) {
  const listening = new Set<{ want: ChangeFilter; on: (change: Change) => void }>();
  const made = {
    serverInfo: { capabilities: { ...EVERYTHING, ...offers } },
    listen: (want: ChangeFilter, on: (change: Change) => void) => {
      const listener = { want, on };
      listening.add(listener);
      return { stop: () => void listening.delete(listener) };
    },
  } as unknown as Session;
  return {
    session: made,
    wanted: () => [...listening].map(({ want }) => want),
    say: (change: Change) => listening.forEach(({ on }) => on(change)),
  };
}

describe("ServerChangeListeners", () => {
  it("subscribes to the current session and to a later one", () => {
    const listeners = new ServerChangeListeners();
    const told: string[] = [];
    listeners.listen({ tools: true }, () => told.push("early"));
    const { session: first, say } = session();
    listeners.sessionOpened(first);
    listeners.listen({ tools: true }, () => told.push("late"));
    say({ type: "tools" });
    expect(told).toEqual(["early", "late"]);
  });

  it("subscribes only to what the session supports", () => {
    const listeners = new ServerChangeListeners();
    const none = { tools: false, resources: false, prompts: false };
    listeners.listen({ tools: true, prompts: true, uris: ["a:1"], tasks: ["t"] }, () => {});
    listeners.listen({ resources: true }, () => {});
    const { session: poor, wanted } = session({
      listChanged: { ...none, prompts: true },
      subscribe: false,
      tasks: false,
    });
    listeners.sessionOpened(poor);
    expect(wanted()).toEqual([{ prompts: true }]);
  });

  it("subscribes to the next session, reports everything as changed, and ignores the old session", () => {
    const listeners = new ServerChangeListeners();
    const told: Change[] = [];
    listeners.listen({ tools: true, resources: true, prompts: true, uris: ["a:1", "a:2"], tasks: ["t"] }, (change) =>
      told.push(change),
    );
    const [first, second] = [session(), session()];
    listeners.sessionOpened(first.session);
    expect(told).toEqual([]);
    listeners.sessionClosed();
    expect(first.wanted()).toEqual([]);
    listeners.sessionOpened(second.session);
    expect(told.splice(0)).toEqual([
      { type: "tools" },
      { type: "resources" },
      { type: "prompts" },
      { type: "resource", uri: "a:1" },
      { type: "resource", uri: "a:2" },
    ]);
    second.say({ type: "prompts" });
    expect(told).toEqual([{ type: "prompts" }]);
  });

  it("stops in the current session and in all later ones", () => {
    const listeners = new ServerChangeListeners();
    const told: Change[] = [];
    const listening = listeners.listen({ tools: true }, (change) => told.push(change));
    const [first, second] = [session(), session()];
    listeners.sessionOpened(first.session);
    listening.stop();
    listening.stop();
    expect(first.wanted()).toEqual([]);
    listeners.sessionClosed();
    listeners.sessionOpened(second.session);
    expect(second.wanted()).toEqual([]);
    expect(told).toEqual([]);
  });
});
