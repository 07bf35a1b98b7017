/** Tests the operations on approvals in the process of a command, without a host. */
import { describe, expect, it } from "vitest";
import { operationsInProcess } from "../helpers/operations-in-process.ts";

const SERVERS = { mcpServers: { s: { command: "good" } } };

async function setUp() {
  const made = await operationsInProcess();
  await made.write("shared", SERVERS);
  const pendingIds = async () => (await made.operations.pendingServers()).map(({ id }) => id);
  return { ...made, pendingIds };
}

describe("trustServer", { meta: { covers: ["A1"] } }, () => {
  it("approves the shown definition until it changes", async () => {
    const { operations, write, pendingIds } = await setUp();
    const [shown] = await operations.pendingServers();
    expect(shown).toMatchObject({ id: "s", definition: { command: "good" } });
    await operations.trustServer("s", shown!.hash);
    expect(await pendingIds()).toEqual([]);
    await write("shared", { mcpServers: { s: { command: "other" } } });
    const [changed] = await operations.pendingServers();
    expect(changed!.changes).toEqual([{ path: "command", before: "good", after: "other" }]);
  });

  it("refuses if the definition has changed since it was shown", async () => {
    const { operations, write, pendingIds } = await setUp();
    const [shown] = await operations.pendingServers();
    await write("shared", { mcpServers: { s: { command: "evil" } } });
    await expect(operations.trustServer("s", shown!.hash)).rejects.toMatchObject({ code: "DEFINITION_CHANGED" });
    await expect(operations.trustServer("other", shown!.hash)).rejects.toMatchObject({ code: "NOT_FOUND" });
    expect(await pendingIds()).toEqual(["s"]);
  });
});

describe("trustStates", () => {
  it("says which servers wait, are approved or need no approval", async () => {
    const { operations, write } = await setUp();
    await write("user", { mcpServers: { mine: { command: "x" } } });
    expect(await operations.trustStates(["s", "mine"])).toMatchObject([
      { server: "s", source: "project", state: "pending", pending: { id: "s" } },
      { server: "mine", source: "user", state: "not_needed" },
    ]);
    await operations.trustServer("s", (await operations.pendingServers())[0]!.hash);
    expect(await operations.trustStates(["s"])).toEqual([{ server: "s", source: "project", state: "approved" }]);
  });

  it("throws for an unknown server and for an invalid definition", async () => {
    const { operations, write } = await setUp();
    await write("shared", { mcpServers: { bad: { command: 7 } } });
    await expect(operations.trustStates(["bda"])).rejects.toMatchObject({
      code: "SERVER_UNKNOWN",
      details: { suggestion: "bad" },
    });
    await expect(operations.trustStates(["bad"])).rejects.toMatchObject({ code: "SERVER_INVALID" });
  });
});

describe("distrustServers", () => {
  it("withdraws one approval or all, and says which servers had none", async () => {
    const { operations, write, pendingIds } = await setUp();
    await write("shared", { mcpServers: { a: { command: "x" }, b: { command: "y" }, c: { command: "z" } } });
    const pending = await operations.pendingServers();
    for (const { id, hash } of pending.slice(0, 2)) await operations.trustServer(id, hash);
    expect(await operations.distrustServers(["a", "c"])).toEqual([
      { server: "a", source: "project", withdrawn: true },
      { server: "c", source: "project", withdrawn: false },
    ]);
    const all = await operations.distrustServers();
    expect(all.filter(({ withdrawn }) => withdrawn).map(({ server }) => server)).toEqual(["b"]);
    expect(await pendingIds()).toEqual(["a", "b", "c"]);
  });

  it("withdraws nothing if one server is unknown", async () => {
    const { operations, pendingIds } = await setUp();
    await operations.trustServer("s", (await operations.pendingServers())[0]!.hash);
    await expect(operations.distrustServers(["s", "other"])).rejects.toMatchObject({ code: "SERVER_UNKNOWN" });
    expect(await pendingIds()).toEqual([]);
  });
});
