import { ClientConnections } from "#pool/client-connections.js";
import type { Connection } from "@plugboard/mcp";
import { describe, expect, it } from "vitest";
import { ManualClock } from "../../../mcp/test/helpers/manual-clock.ts";

function setup() {
  const clock = new ManualClock();
  const stopped: string[] = [];
  let opened = 0;
  const make = (name: string) => {
    const state = { phase: "ready" };
    return { name, state, stop: async () => void stopped.push(name) };
  };
  const connections = new Map<string, ReturnType<typeof make>>();
  const first = make("first") as unknown as Connection;
  const clients = new ClientConnections(
    first,
    () => {
      const made = make(`own-${++opened}`);
      connections.set(made.name, made);
      return { connection: made as unknown as Connection, unsubscribeCredentials: () => {} };
    },
    clock,
  );
  const get = (client: string) => (clients.get(client) as unknown as { name: string }).name;
  return { clock, clients, stopped, get, idle: (name: string) => (connections.get(name)!.state.phase = "idle") };
}

describe("ClientConnections", () => {
  it("gives the first client the shared connection, and every other client its own", () => {
    const { get } = setup();
    expect(["ann", "bob", "cyd", "bob", "ann"].map(get)).toEqual(["first", "own-1", "own-2", "own-1", "first"]);
  });

  it("forgets a client whose process was stopped because it was not used for five minutes", () => {
    const { get, idle, clock, stopped } = setup();
    ["ann", "bob", "cyd"].map(get);
    clock.advance(5 * 60_000 + 1);
    idle("own-1");
    get("dan");
    expect(stopped).toEqual(["own-1"]);
    expect(get("bob")).toBe("own-4");
  });

  it("keeps a connection that has just been given to its client and is not open yet", () => {
    const { get, idle, stopped } = setup();
    ["ann", "bob"].map(get);
    idle("own-1");
    get("cyd");
    expect(stopped).toEqual([]);
  });

  it("stops the connection of a client that has ended, but not the shared one", async () => {
    const { get, clients, stopped } = setup();
    ["ann", "bob"].map(get);
    await clients.forget("ann");
    await clients.forget("bob");
    await clients.forget("bob");
    expect(stopped).toEqual(["own-1"]);
    ["bob", "cyd"].map(get);
    await clients.stop();
    expect(stopped).toEqual(["own-1", "own-2", "own-3"]);
  });
});
