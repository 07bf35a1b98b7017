/** Tests that a client of the gateway can't use, answer or redirect anything that belongs to another client. */
import type { HostEvent } from "@plugboard/contracts";
import { afterAll, beforeAll, describe, expect, it, onTestFinished, vi } from "vitest";
import { openSubscription, sendRequest, sendToolCall } from "./helpers/raw-modern-client.ts";
import { startScriptedModern } from "./helpers/scripted-modern.ts";
import type { ScriptedModern } from "./helpers/scripted-modern.ts";
import { addNamedToken, startRunningHost } from "../../daemon/test/helpers/running-host.ts";
import type { RunningHost } from "../../daemon/test/helpers/running-host.ts";

const TASKS = "io.modelcontextprotocol/tasks";
const withTasks = { capabilities: { extensions: { [TASKS]: {} } } };
const times = { createdAt: "2026-01-01T00:00:00Z", lastUpdatedAt: "2026-01-01T00:00:00Z", ttlMs: 60_000 };
const tool = (name: string) => ({ name, inputSchema: { type: "object" } });

let alpha: ScriptedModern;
let beta: ScriptedModern;
let host: RunningHost;
let ann: RunningHost;
let bob: RunningHost;
beforeAll(async () => {
  let tasks = 0;
  alpha = await startScriptedModern(
    { tools: {}, resources: {}, extensions: { [TASKS]: {}, "example.com/jobs": {} } },
    {
      "tools/list": () => ({ tools: [tool("job"), tool("secret"), tool("asked")] }),
      "tools/call": () => ({ resultType: "task", taskId: `t${++tasks}`, status: "working", ...times }),
      "tasks/get": ({ taskId }) => ({ taskId, status: "working", statusMessage: "secret of Ann", ...times }),
      "tasks/update": () => ({}),
      "tasks/cancel": () => ({}),
      "jobs/show": () => ({ shown: true }),
      "resources/list": () => ({ resources: [] }),
      "resources/templates/list": () => ({ resourceTemplates: [{ uriTemplate: "note:///{id}", name: "note" }] }),
      "resources/read": ({ uri }) => ({ contents: [{ uri, text: "alpha" }] }),
    },
  );
  beta = await startScriptedModern(
    { tools: {}, resources: {} },
    {
      "tools/list": () => ({ tools: [tool("mention")] }),
      "tools/call": () => ({ content: [{ type: "resource_link", uri: "note:///1", name: "note" }] }),
      "resources/list": () => ({ resources: [] }),
      "resources/templates/list": () => ({ resourceTemplates: [] }),
      "resources/read": ({ uri }) => ({ contents: [{ uri, text: "beta" }] }),
    },
  );
  const servers = { alpha: { url: alpha.url }, beta: { url: beta.url } };
  const rules = { allow: ["alpha:job", "beta:*"], deny: ["*:secret"] };
  host = await startRunningHost(servers, {}, rules);
  const client = async (name: string) => ({
    ...host,
    token: await addNamedToken(host.env, { name, mayApprove: false, now: Date.now() }),
  });
  [ann, bob] = [await client("ann"), await client("bob")];
});
afterAll(async () => {
  await host.close();
  await Promise.all([alpha.close(), beta.close()]);
});

describe("a task of a client", () => {
  const newTask = async () => {
    const { result } = await sendToolCall(ann, "alpha__job", {}, withTasks);
    return result!["taskId"] as string;
  };

  it.each(["tasks/get", "tasks/update", "tasks/cancel", "jobs/show"])(
    "does not exist for a %s request of another client",
    { meta: { covers: ["S19"] } },
    async (method) => {
      const taskId = await newTask();
      const request = { ...withTasks, params: { taskId, inputResponses: {} } };
      const before = alpha.paramsOf(method).length;
      const { error } = await sendRequest(bob, method, request);
      expect(error).toMatchObject({
        code: -32602,
        message: expect.stringMatching(/There is no task.*end with the host/) as string,
      });
      expect(alpha.paramsOf(method)).toHaveLength(before);
      expect((await sendRequest(ann, method, request)).result).toBeDefined();
      expect(alpha.paramsOf(method)).toHaveLength(before + 1);
    },
  );

  it("is not reported to another client that subscribes to it", { meta: { covers: ["S19"] } }, async () => {
    const taskId = await newTask();
    const stop = new AbortController();
    onTestFinished(() => stop.abort());
    const listen = (client: RunningHost) =>
      openSubscription(client, { taskIds: [taskId] }, { ...withTasks, signal: stop.signal });
    const messagesOfBob = await listen(bob);
    const messages = await listen(ann);
    await vi.waitFor(() => expect(alpha.paramsOf("subscriptions/listen")).not.toEqual([]));
    alpha.notify("notifications/tasks", { taskId: taskId.replace("alpha/", ""), status: "working", ...times });
    const update = { method: "notifications/tasks", params: { taskId } };
    await vi.waitFor(() => expect(messages).toContainEqual(expect.objectContaining({ method: update.method })));
    expect(messages.at(-1)).toMatchObject(update);
    expect(JSON.stringify(messagesOfBob)).not.toContain("notifications/tasks");
    expect(alpha.paramsOf("subscriptions/listen")).toHaveLength(1);
  });

  it("is unknown if this host has not given it to a client", async () => {
    const { error } = await sendRequest(ann, "tasks/get", { ...withTasks, params: { taskId: "alpha/t999" } });
    expect(error).toMatchObject({ code: -32602 });
  });
});

describe("a URI that matches the template of one server", () => {
  const read = async (client: RunningHost, uri: string) => {
    const { result } = await sendRequest(client, "resources/read", { params: { uri } });
    return (result!["contents"] as { uri: string; text: string }[])[0];
  };

  it("is read from that server even after another server has mentioned it", { meta: { covers: ["A6"] } }, async () => {
    const { result } = await sendToolCall(bob, "beta__mention");
    expect(result).toBeDefined();
    expect(await read(ann, "note:///1")).toEqual({ uri: "note:///1", text: "alpha" });
  });

  it(
    "is read from that server even after a client has read it from another server",
    { meta: { covers: ["A6"] } },
    async () => {
      const uri = "plugboard://beta/note:///2";
      expect(await read(bob, uri)).toEqual({ uri, text: "beta" });
      expect(await read(ann, "note:///2")).toEqual({ uri: "note:///2", text: "alpha" });
    },
  );
});

describe("a request of an extension", () => {
  it.each([
    { name: "alpha__secret" },
    { tool: "alpha__secret" },
    { name: "secret" },
    { name: "alpha__job", tool: "secret" },
    { calls: [{ toolName: "secret" }] },
  ])("with %j does not reach a tool that is denied", async (params) => {
    const before = alpha.paramsOf("jobs/show").length;
    const { error } = await sendRequest(bob, "jobs/show", { params });
    expect(error).toMatchObject({ message: expect.stringContaining("denied") as string });
    expect(alpha.paramsOf("jobs/show")).toHaveLength(before);
  });

  it("needs the permission of a tool that it names", async () => {
    const before = alpha.paramsOf("jobs/show").length;
    expect((await sendRequest(bob, "jobs/show", { params: { name: "alpha__asked" } })).error).toBeDefined();
    expect(alpha.paramsOf("jobs/show")).toHaveLength(before);
    expect((await sendRequest(bob, "jobs/show", { params: { name: "alpha__job" } })).result).toBeDefined();
    expect(alpha.paramsOf("jobs/show").at(-1)).toMatchObject({ name: "job" });
  });

  it("is reported like a call if it names a tool", async () => {
    const api = host.daemon.connect("cli", { attended: false });
    const stop = new AbortController();
    onTestFinished(() => stop.abort());
    const { seq } = await host.daemon.workspace.snapshot();
    const events = api.events(seq, stop.signal)[Symbol.asyncIterator]();
    await sendRequest(bob, "jobs/show", { params: { name: "alpha__secret" } });
    const types: string[] = [];
    for (;;) {
      const { value: event } = (await events.next()) as { value: HostEvent };
      types.push(event.type);
      if (event.type !== "call.ended") continue;
      expect(event).toMatchObject({ server: "alpha", tool: "secret", outcome: "failed", code: "TOOL_DENIED" });
      break;
    }
    expect(types).toContain("decision.made");
  });

  it.each(["Tools/call", "TOOLS/CALL", "tools/execute", "tools /call", "Tasks/get", "__proto__", "jobs/show!"])(
    "is refused if its method %j is invalid or resembles a method of the protocol",
    { meta: { covers: ["A14"] } },
    async (method) => {
      const sent = alpha.requests.length;
      const { error } = await sendRequest(bob, method, { params: { name: "alpha__job", arguments: {} } });
      expect(error).toMatchObject({ code: -32601 });
      expect(alpha.requests).toHaveLength(sent);
    },
  );
});
