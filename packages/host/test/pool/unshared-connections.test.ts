import { UnsharedConnections } from "#pool/unshared-connections.js";
import type { Connection } from "@plugboard/mcp";
import { describe, expect, it } from "vitest";
import { ManualClock } from "../../../contracts/test/helpers/manual-clock.ts";

function setup() {
  const clock = new ManualClock();
  const stopped: string[] = [];
  let opened = 0;
  const make = (name: string) => {
    const state = { phase: "ready" };
    return { name, state, inUse: false, stop: async () => void stopped.push(name) };
  };
  const connections = new Map<string, ReturnType<typeof make>>();
  const first = make("first") as unknown as Connection;
  const clients = new UnsharedConnections(
    "s",
    first,
    () => {
      const made = make(`own-${++opened}`);
      connections.set(made.name, made);
      return { connection: made as unknown as Connection, unsubscribeCredentials: () => {} };
    },
    clock,
  );
  const get = (id: string, principal = id) =>
    (clients.get({ id, principal, countsFor: principal }) as unknown as { name: string }).name;
  const use = (name: string) => (connections.get(name)!.inUse = true);
  return { clock, clients, stopped, get, use, idle: (name: string) => (connections.get(name)!.state.phase = "idle") };
}

describe("UnsharedConnections", () => {
  it("gives the first client the shared connection, and every other client its own", () => {
    const { get } = setup();
    expect(["ann", "bob", "cyd", "bob", "ann"].map((id) => get(id))).toEqual([
      "first",
      "own-1",
      "own-2",
      "own-1",
      "first",
    ]);
  });

  it("keeps the roots of a client for a request with `keepsRoots`", () => {
    let changes = 0;
    let current: unknown;
    const connection = { notifyRootsChanged: () => (changes += 1) } as unknown as Connection;
    const open = (roots: () => unknown) => {
      current = roots;
      return { connection, unsubscribeCredentials: () => {} };
    };
    const clients = new UnsharedConnections("s", connection, open, new ManualClock());
    const ann = { id: "ann", principal: "ann", countsFor: "ann" };
    const roots = [{ uri: "file:///a" }];
    clients.get(ann, roots);
    clients.get({ ...ann, keepsRoots: true });
    expect([changes, (current as () => unknown)()]).toEqual([0, roots]);
    clients.get(ann);
    expect([changes, (current as () => unknown)()]).toEqual([1, undefined]);
  });

  it("forgets a client that was idle for five minutes, and whose process was stopped", () => {
    const { get, idle, clock, stopped } = setup();
    ["ann", "bob", "cyd"].map((id) => get(id));
    clock.advance(5 * 60_000 + 1);
    idle("own-1");
    get("dan");
    expect(stopped).toEqual(["own-1"]);
    expect(get("bob")).toBe("own-4");
  });

  it("keeps a new connection of a client that is not open yet", () => {
    const { get, idle, stopped } = setup();
    ["ann", "bob"].map((id) => get(id));
    idle("own-1");
    get("cyd");
    expect(stopped).toEqual([]);
  });

  it("stops the own connection of a client that has ended, but not the shared connection", async () => {
    const { get, clients, stopped } = setup();
    ["ann", "bob"].map((id) => get(id));
    await clients.forget("ann");
    await clients.forget("bob");
    await clients.forget("bob");
    expect(stopped).toEqual(["own-1"]);
    ["bob", "cyd"].map((id) => get(id));
    await clients.stop();
    expect(stopped).toEqual(["own-1", "own-2", "own-3"]);
  });

  it("limits the connections of one principal, and leaves room for others", { meta: { covers: ["S23"] } }, () => {
    const { get } = setup();
    get("first");
    for (let n = 1; n <= 8; n++) expect(get(`a${n}`, "a")).toBe(`own-${n}`);
    const details = { server: "s", limit: 8, byCaller: true };
    expect(() => get("a9", "a")).toThrow(expect.objectContaining({ code: "TOO_MANY_CLIENTS", details }));
    expect(get("a1", "a")).toBe("own-1");
    expect(get("b1", "b")).toBe("own-9");
  });

  it("replaces, at the limit of a principal, the connection that was unused for the longest time", () => {
    const { get, use, clock, stopped } = setup();
    get("first");
    get("b1", "b");
    for (let n = 2; n <= 9; n++) get(`a${n}`, "a");
    use("own-2");
    clock.advance(1000);
    get("a3", "a");
    clock.advance(1000);
    expect(get("a10", "a")).toBe("own-10");
    expect(stopped).toEqual(["own-4"]);
  });

  it(
    "replaces a connection of the principal with most, an unused one first, for the owner or a new principal",
    { meta: { covers: ["S33"] } },
    () => {
      const { get, use, clock, stopped } = setup();
      get("first");
      for (const principal of ["a", "b", "c", "d"]) for (let n = 1; n <= 8; n++) get(`${principal}${n}`, principal);
      clock.advance(2000);
      expect(get("new")).toBe("own-33");
      for (let n = 1; n <= 32; n++) if (n !== 12) use(`own-${n}`);
      expect(get("stdio", "owner")).toBe("own-34");
      expect(get("other")).toBe("own-35");
      expect(stopped).toEqual(["own-1", "own-12", "own-17"]);
      const details = { server: "s", limit: 32 };
      expect(() => get("a9", "a")).toThrow(expect.objectContaining({ code: "TOO_MANY_CLIENTS", details }));
    },
  );

  it("limits the connections of all principals", () => {
    const { get } = setup();
    get("first");
    for (let n = 1; n <= 32; n++) get(`p${n}`);
    const details = { server: "s", limit: 32 };
    expect(() => get("p33")).toThrow(expect.objectContaining({ code: "TOO_MANY_CLIENTS", details }));
  });
});
