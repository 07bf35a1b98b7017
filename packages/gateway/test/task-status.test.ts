/** Tests which clients of the gateway get the status of a task. The server gives every task the same id. */
import { expect, it, onTestFinished, vi } from "vitest";
import { openClient } from "./helpers/official-clients.ts";
import { startRunningHost } from "../../daemon/test/helpers/running-host.ts";

/** `work` begins a task for `who`, and `report` sends its status. */
const SERVER = `
  const inputSchema = { type: "object" };
  const tools = [{ name: "work", inputSchema, execution: { taskSupport: "optional" } }, { name: "report", inputSchema }];
  const tasks = { list: {}, cancel: {}, requests: { tools: { call: {} } } };
  const now = new Date().toISOString();
  const task = { taskId: "7", status: "working", ttl: 60000, createdAt: now, lastUpdatedAt: now, pollInterval: 100 };
  const send = (message) => console.log(JSON.stringify({ jsonrpc: "2.0", ...message }));
  const report = () => send({ method: "notifications/tasks/status", params: task });
  require("node:readline").createInterface({ input: process.stdin }).on("line", (line) => {
    const { id, method, params } = JSON.parse(line);
    if (method === "initialize") {
      const serverInfo = { name: "same-id", version: "1" };
      send({ id, result: { protocolVersion: "2025-11-25", capabilities: { tools: {}, tasks }, serverInfo } });
    } else if (method === "tools/list") send({ id, result: { tools } });
    else if (method === "tools/call" && params.task) {
      task.statusMessage = params.arguments.who;
      send({ id, result: { task } });
      if (params.arguments.reportAtOnce) report();
    } else if (method === "tools/call") {
      report();
      send({ id, result: { content: [] } });
    } else if (id !== undefined) send({ id, error: { code: -32601, message: "no" } });
  });`;

async function open(share: "all" | "caller") {
  const host = await startRunningHost({ s: { command: process.execPath, args: ["-e", SERVER], share } });
  onTestFinished(() => host.close());
  const openNamed = async (who: string) => {
    const front = await openClient("legacy over stdio", host, () => ({ action: "decline" }));
    onTestFinished(() => front.close());
    const begin = (args: object = {}) =>
      front.request("tools/call", { name: "s__work", arguments: { who, ...args }, task: { ttl: 30_000 } });
    const report = () => front.request("tools/call", { name: "s__report", arguments: {} });
    const told = () =>
      front.notifications
        .filter(({ method }) => method === "notifications/tasks/status")
        .map(({ params }) => (params as { statusMessage?: string }).statusMessage);
    return { begin, report, told };
  };
  return { ann: await openNamed("ann"), bob: await openNamed("bob") };
}

it("each client gets the status of its own task if each has a connection of its own", async () => {
  const { ann, bob } = await open("caller");
  await ann.begin();
  await bob.begin();
  await ann.report();
  await vi.waitFor(() => expect(ann.told()).toEqual(["ann"]));
  await bob.report();
  await vi.waitFor(() => expect(bob.told()).toContain("bob"));
  expect([ann.told(), bob.told()]).toEqual([["ann"], ["bob"]]);
});

it.each([{}, { reportAtOnce: true }])(
  "a client does not get the status of another client's later task with the same id: %o",
  async (args) => {
    const { ann, bob } = await open("all");
    await ann.begin();
    await ann.report();
    await vi.waitFor(() => expect(ann.told()).toEqual(["ann"]));
    await bob.begin(args);
    await bob.report();
    await vi.waitFor(() => expect(bob.told()).toContain("bob"));
    // A status would have reached ann before the response to this call.
    await ann.report();
    expect(ann.told()).toEqual(["ann"]);
  },
);
