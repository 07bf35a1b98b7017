/** Tests the tasks of a legacy server through the gateway, for clients of both eras and for the host's own callers. */
import { fileURLToPath } from "node:url";
import { Client } from "@modelcontextprotocol/sdk/client/index.js";
import { StreamableHTTPClientTransport } from "@modelcontextprotocol/sdk/client/streamableHttp.js";
import { CallToolResultSchema } from "@modelcontextprotocol/sdk/types.js";
import { afterAll, beforeAll, describe, expect, it, onTestFinished, vi } from "vitest";
import { clientKinds, openClient } from "./helpers/official-clients.ts";
import type { ClientKind, OfficialClient } from "./helpers/official-clients.ts";
import { openSubscription, sendRequest, sendToolCall } from "./helpers/raw-modern-client.ts";
import { startRunningHost } from "../../daemon/test/helpers/running-host.ts";
import type { RunningHost } from "../../daemon/test/helpers/running-host.ts";

const script = fileURLToPath(new URL("./helpers/task-server.mjs", import.meta.url));
const RELATED = "io.modelcontextprotocol/related-task";
const withTasks = { capabilities: { elicitation: { form: {} }, extensions: { "io.modelcontextprotocol/tasks": {} } } };
const legacyKinds = clientKinds.filter((kind) => kind.startsWith("legacy"));

interface Task {
  readonly taskId: string;
  readonly status: string;
}

/** A legacy server with a tool that runs only as a task, although it declares no tasks. */
const UNDECLARED = `
  const tools = [{ name: "later", inputSchema: { type: "object" }, execution: { taskSupport: "required" } }];
  const results = {
    initialize: { protocolVersion: "2025-11-25", capabilities: { tools: {} }, serverInfo: { name: "u", version: "1" } },
    "tools/list": { tools },
  };
  require("node:readline").createInterface({ input: process.stdin }).on("line", (line) => {
    const { id, method } = JSON.parse(line);
    const error = { code: -32601, message: "no" };
    const answer = results[method] ? { result: results[method] } : { error };
    if (id !== undefined) console.log(JSON.stringify({ jsonrpc: "2.0", id, ...answer }));
  });`;

let host: RunningHost;
beforeAll(async () => {
  const undeclared = { command: process.execPath, args: ["-e", UNDECLARED] };
  host = await startRunningHost({ t: { command: process.execPath, args: [script] }, undeclared });
});
afterAll(() => host.close());

async function open(kind: ClientKind): Promise<OfficialClient> {
  const front = await openClient(kind, host, () => ({ action: "accept", content: { name: "Ann" } }));
  onTestFinished(() => front.close());
  return front;
}

/** Polls a task as a modern client does. */
function untilStatus(params: { taskId: string }, status: string): Promise<Record<string, unknown>> {
  return vi.waitUntil(async () => {
    const { result } = await sendRequest(host, "tasks/get", { ...withTasks, params });
    return result?.["status"] === status && result;
  });
}

/** Begins a task as a legacy client does. */
async function begin(front: OfficialClient, args: object = {}): Promise<Task> {
  const params = { name: "t__research", arguments: args, task: { ttl: 30_000 } };
  return ((await front.request("tools/call", params)) as { task: Task }).task;
}

describe.each(legacyKinds)("a %s client", (kind) => {
  it("sees which tools run as tasks, and that the gateway declares tasks", async () => {
    const front = await open(kind);
    expect(front.capabilities).toMatchObject({ tasks: { list: {}, cancel: {}, requests: { tools: { call: {} } } } });
    const { tools } = (await front.request("tools/list", {})) as { tools: { name: string; execution?: object }[] };
    const support = Object.fromEntries(tools.map(({ name, execution }) => [name, execution]));
    expect(support).toMatchObject({
      t__research: { taskSupport: "optional" },
      t__maybe: { taskSupport: "optional" },
    });
    expect(Object.keys(support)).toContain("t__plain");
    expect(support["t__plain"]).not.toHaveProperty("taskSupport", "required");
  });

  it("begins a task, gets its status and its result under an id of the gateway", async () => {
    const front = await open(kind);
    const task = await begin(front);
    expect(task).toMatchObject({
      taskId: expect.stringMatching(/^t\//),
      status: "working",
      ttl: 30_000,
      pollInterval: 50,
    });
    const { taskId } = task;
    const result = await front.request("tasks/result", { taskId });
    expect(result).toMatchObject({ content: [{ text: "found by nobody" }], _meta: { [RELATED]: { taskId } } });
    expect(await front.request("tasks/get", { taskId })).toMatchObject({ taskId, status: "completed", ttl: 30_000 });
  });

  it("is asked the question of a task while it waits for the result", async () => {
    const front = await open(kind);
    const { taskId } = await begin(front, { ask: true });
    const result = await front.request("tasks/result", { taskId });
    expect(result).toMatchObject({ content: [{ text: "found by Ann" }] });
    expect(front.asked).toMatchObject([{ message: "Who asks?", _meta: { [RELATED]: { taskId } } }]);
  });

  it("gets the status failed and the error result of a task whose tool fails", async () => {
    const front = await open(kind);
    const { taskId } = await begin(front, { fail: true });
    const result = await front.request("tasks/result", { taskId });
    expect(result).toMatchObject({ content: [{ text: "no sources" }], isError: true });
    expect(await front.request("tasks/get", { taskId })).toMatchObject({ status: "failed" });
  });

  it("lists its own tasks and cancels one, and other clients see none of them", async () => {
    const [front, other] = [await open(kind), await open("legacy over stdio")];
    const { taskId } = await begin(front, { slow: true });
    const { tasks } = (await front.request("tasks/list", {})) as { tasks: Task[] };
    expect(tasks.at(-1)).toMatchObject({ taskId, status: "working" });
    expect(await other.request("tasks/list", {})).toEqual({ tasks: [] });
    await expect(other.request("tasks/get", { taskId })).rejects.toMatchObject({ code: -32602 });
    expect(await front.request("tasks/cancel", { taskId })).toMatchObject({ taskId, status: "cancelled" });
    expect(await front.request("tasks/get", { taskId })).toMatchObject({ status: "cancelled" });
  });

  it("is notified of the status of its task", async () => {
    const front = await open(kind);
    const { taskId } = await begin(front, { ask: true });
    await front.request("tasks/result", { taskId });
    const method = "notifications/tasks/status";
    await vi.waitFor(() =>
      expect(front.notifications.filter((one) => one.method === method).at(-1)).toMatchObject({
        params: { taskId, status: "completed" },
      }),
    );
  });

  it("gets an error with the reason if it calls a tool as a task that runs only without one", async () => {
    const front = await open(kind);
    const calling = front.request("tools/call", { name: "t__plain", arguments: {}, task: {} });
    await expect(calling).rejects.toMatchObject({ code: -32601, message: expect.stringContaining("without") });
  });
});

it("the questions of several tasks at the same time reach their own clients", async () => {
  const names = ["Ann", "Bob", "Cid"];
  const results = await Promise.all(
    names.map(async (name, index) => {
      const kind = legacyKinds[index % legacyKinds.length]!;
      const front = await openClient(kind, host, () => ({ action: "accept", content: { name } }));
      onTestFinished(() => front.close());
      const { taskId } = await begin(front, { ask: true });
      return JSON.stringify(await front.request("tasks/result", { taskId }));
    }),
  );
  expect(results).toEqual(names.map((name) => expect.stringContaining(`found by ${name}`)));
});

it("the official legacy client streams a task to the end", async () => {
  const client = new Client({ name: "front", version: "1.0.0" }, { capabilities: {} });
  const requestInit = { headers: { Authorization: `Bearer ${host.token}` } };
  await client.connect(new StreamableHTTPClientTransport(new URL(host.url), { requestInit }));
  onTestFinished(() => client.close());
  await client.listTools();
  const stream = client.experimental.tasks.callToolStream(
    { name: "t__research", arguments: {} },
    CallToolResultSchema,
    { task: { ttl: 30_000 } },
  );
  const types: string[] = [];
  let last: unknown;
  for await (const message of stream) {
    types.push(message.type);
    last = message;
  }
  expect(types[0]).toBe("taskCreated");
  expect(last).toMatchObject({ type: "result", result: { content: [{ text: "found by nobody" }] } });
});

it("the official legacy client calls a task-only tool without a task", async () => {
  const client = new Client({ name: "front", version: "1.0.0" }, { capabilities: {} });
  const requestInit = { headers: { Authorization: `Bearer ${host.token}` } };
  await client.connect(new StreamableHTTPClientTransport(new URL(host.url), { requestInit }));
  onTestFinished(() => client.close());
  await client.listTools();
  const result = await client.callTool({ name: "t__research", arguments: {} });
  expect(result).toMatchObject({ content: [{ text: "found by nobody" }] });
});

describe("a modern client", () => {
  it("polls the task through the extension, is notified of its status, and answers its question", async () => {
    const { result } = await sendToolCall(host, "t__research", { ask: true }, withTasks);
    expect(result).toMatchObject({ resultType: "task", status: "working", pollIntervalMs: 50, ttlMs: 60_000 });
    const params = { taskId: String(result!["taskId"]) };
    const asking = await untilStatus(params, "input_required");
    const [[key, request]] = Object.entries(asking["inputRequests"] as object) as [[string, { method: string }]];
    expect(request).toMatchObject({ method: "elicitation/create", params: { message: "Who asks?" } });
    const stop = new AbortController();
    onTestFinished(() => stop.abort());
    const taskIds = [params.taskId];
    const messages = await openSubscription(host, { taskIds }, { ...withTasks, signal: stop.signal });
    await vi.waitFor(() => expect(messages).toHaveLength(1));
    const inputResponses = { [key]: { action: "accept", content: { name: "Bob" } } };
    await sendRequest(host, "tasks/update", { ...withTasks, params: { ...params, inputResponses } });
    const ended = await untilStatus(params, "completed");
    expect(ended).toMatchObject({ resultType: "complete", ...params, result: { content: [{ text: "found by Bob" }] } });
    expect(JSON.stringify(ended)).not.toContain(RELATED);
    // The end is not notified: the server reports it without the result, which the extension requires.
    await vi.waitFor(() => expect(messages).toHaveLength(2));
    expect(messages[1]).toMatchObject({ method: "notifications/tasks", params: { ...params, status: "working" } });
  });

  it("gets the status completed with the error result of a tool that fails, and can cancel a task", async () => {
    const { result } = await sendToolCall(host, "t__research", { fail: true }, withTasks);
    const params = { taskId: String(result!["taskId"]) };
    await vi.waitFor(async () =>
      expect((await sendRequest(host, "tasks/get", { ...withTasks, params })).result).toMatchObject({
        status: "completed",
        result: { isError: true },
      }),
    );
    const slow = (await sendToolCall(host, "t__research", { slow: true }, withTasks)).result!;
    const cancel = { ...withTasks, params: { taskId: String(slow["taskId"]) } };
    expect((await sendRequest(host, "tasks/cancel", cancel)).error).toBeUndefined();
    expect((await sendRequest(host, "tasks/get", cancel)).result).toMatchObject({ status: "cancelled" });
  });

  it("can't use the task methods of the legacy era", async () => {
    const request = { ...withTasks, params: { taskId: "t/1" } };
    expect((await sendRequest(host, "tasks/result", request)).error).toMatchObject({ code: -32601 });
    expect((await sendRequest(host, "tasks/list", withTasks)).error).toMatchObject({ code: -32601 });
  });
});

describe("a caller that knows no tasks", () => {
  it.each(clientKinds)("gets the result of a task-only tool: %s", { meta: { covers: ["R2.26"] } }, async (kind) => {
    const front = await open(kind);
    const params = { name: "t__research", arguments: { ask: true } };
    expect(JSON.stringify(await front.request("tools/call", params))).toContain("found by Ann");
  });

  it("gets the result, and the steps as progress, if it calls through a workspace", async () => {
    const steps: (string | undefined)[] = [];
    const result = await host.daemon.workspace.tools.call(
      "t:research",
      {},
      { onProgress: ({ message }) => void steps.push(message) },
    );
    expect(result).toMatchObject({ content: [{ text: "found by nobody" }] });
    expect(steps.length).toBeGreaterThan(0);
  });
});

describe("a tool that runs only as a task of a server without tasks", () => {
  const reason = expect.stringContaining("its server does not declare tasks");

  it("fails with the reason in the host, under both of its names", async () => {
    const { tools } = host.daemon.workspace;
    for (const ref of ["undeclared:later", "mcp__undeclared__later", { server: "undeclared", tool: "later" }])
      await expect(tools.call(ref, {})).rejects.toMatchObject({ code: "TOOL_UNUSABLE", message: reason });
    await expect(tools.call("undeclared:never", {})).rejects.toMatchObject({ code: "TOOL_NOT_FOUND" });
  });

  it.each(clientKinds)("fails with the reason for a %s client", async (kind) => {
    const front = await open(kind);
    const params = { name: "undeclared__later", arguments: {} };
    await expect(front.request("tools/call", params)).rejects.toMatchObject({ message: reason });
  });
});
