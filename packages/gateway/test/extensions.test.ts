/** Tests extensions of the protocol, tasks and unusual definitions of tools through the gateway. */
import { afterAll, beforeAll, describe, expect, it, onTestFinished, vi } from "vitest";
import { clientKinds, openClient } from "./helpers/official-clients.ts";
import { openSubscription, sendRequest, sendToolCall } from "./helpers/raw-modern-client.ts";
import { startScriptedModern } from "./helpers/scripted-modern.ts";
import type { Answers, ScriptedModern } from "./helpers/scripted-modern.ts";
import { startRunningHost } from "../../daemon/test/helpers/running-host.ts";
import type { RunningHost } from "../../daemon/test/helpers/running-host.ts";

const TASKS = "io.modelcontextprotocol/tasks";
const SKILLS = "io.modelcontextprotocol/skills";
const UI = "io.modelcontextprotocol/ui";
const schema = { type: "object" };
const times = { createdAt: "2026-01-01T00:00:00Z", lastUpdatedAt: "2026-01-01T00:00:00Z", ttlMs: 60_000 };

const icons = [{ src: "https://example.com/a.png", mimeType: "image/png", sizes: ["48x48"] }];
const listed = [
  {
    name: "rich",
    title: "Rich",
    icons,
    execution: { taskSupport: "forbidden" },
    annotations: { readOnlyHint: true, title: "R" },
    inputSchema: { type: "object", properties: { x: { type: "string" } }, "x-unknown": 1 },
    outputSchema: { type: "object", properties: { y: true } },
    _meta: { ui: { resourceUri: "ui://app" }, "example.com/a": 1 },
    unknownField: { kept: true },
  },
  { name: "no_type", inputSchema: { properties: { x: true, y: false }, required: "x" } },
  { name: "bad_fields", inputSchema: schema, icons: "none", _meta: 5, outputSchema: { type: "array" } },
];
const richAnswers: Answers = {
  "tools/list": () => ({ tools: listed }),
  "tools/call": () => ({
    content: [{ type: "text", text: "a" }, { type: "new_type", value: 1 }, { type: "image" }],
    structuredContent: { y: 1 },
    _meta: { "example.com/b": 2, ui: { resourceUri: "ui://app" } },
  }),
  "resources/list": () => ({ resources: [{ uri: "skill://one/SKILL.md", name: "one" }] }),
  "resources/templates/list": () => ({ resourceTemplates: [] }),
  "resources/read": ({ uri }) => ({ contents: [{ uri, text: "<html>", mimeType: "text/html;profile=mcp-app" }] }),
  "skills/list": () => ({ skills: [{ uri: "skill://one/SKILL.md", frontmatter: { name: "one" } }] }),
  "skills/get": ({ uri }) => ({ skill: { uri, files: [{ uri: "skill://one/a.md" }] } }),
  "notes/add": ({ text }) => ({ added: text }),
};
const taskAnswers: Answers = {
  "tools/list": () => ({ tools: [{ name: "long", inputSchema: schema, _meta: { ui: { resourceUri: "ui://app" } } }] }),
  "tools/call": () => ({ resultType: "task", taskId: "t/1", status: "working", pollIntervalMs: 50, ...times }),
  "tasks/get": ({ taskId }) => ({
    taskId,
    status: "completed",
    ...times,
    result: { content: [{ type: "resource_link", uri: "out://1", name: "output" }] },
  }),
  "tasks/update": () => ({}),
  "tasks/cancel": () => ({}),
  "resources/list": () => ({ resources: [] }),
  "resources/templates/list": () => ({ resourceTemplates: [] }),
  "resources/read": ({ uri }) => ({ contents: [{ uri, text: "the output" }] }),
  "skills/list": () => ({ skills: [{ uri: "skill://two/SKILL.md" }] }),
  "skills/get": ({ uri }) => ({ skill: { uri } }),
  "resources/directory/read": ({ uri, cursor }) =>
    cursor === "more"
      ? { resources: [{ uri: `${String(uri)}/b.md`, name: "b.md" }], ttlMs: 0, cacheScope: "private" }
      : {
          resources: [
            { uri: "skill://one/SKILL.md", name: "SKILL.md" },
            { uri: `${String(uri)}/sub`, name: "sub" },
          ],
          nextCursor: "more",
        },
  "notes/add": ({ text }) => ({ added: text }),
};

let rich: ScriptedModern;
let tasked: ScriptedModern;
let host: RunningHost;
beforeAll(async () => {
  rich = await startScriptedModern(
    { tools: {}, resources: {}, extensions: { [UI]: {}, [SKILLS]: {}, "example.com/notes": { max: 3 } } },
    richAnswers,
  );
  tasked = await startScriptedModern(
    { tools: {}, resources: {}, extensions: { [TASKS]: {}, [SKILLS]: { directoryRead: true } } },
    taskAnswers,
  );
  host = await startRunningHost({ rich: { url: rich.url }, tasked: { url: tasked.url } });
});
afterAll(async () => {
  await host.close();
  await Promise.all([rich.close(), tasked.close()]);
});

const withTasks = { capabilities: { extensions: { [TASKS]: {} } } };

describe("a task of a server behind the gateway", () => {
  it("can be polled by a client that knows tasks, under an id that names the server", async () => {
    const { result } = await sendToolCall(host, "tasked__long", {}, withTasks);
    expect(result).toMatchObject({ resultType: "task", taskId: "tasked/t/1", status: "working" });
    const params = { taskId: "tasked/t/1" };
    const { result: task } = await sendRequest(host, "tasks/get", { ...withTasks, params });
    const link = { type: "resource_link", uri: "out://1", name: "output" };
    expect(task).toMatchObject({ resultType: "complete", ...params, status: "completed", result: { content: [link] } });
    expect(tasked.paramsOf("tasks/get").at(-1)).toMatchObject({ taskId: "t/1" });
    const read = await sendRequest(host, "resources/read", { params: { uri: "out://1" } });
    expect(read.result).toMatchObject({ contents: [{ uri: "out://1", text: "the output" }] });
  });

  it("gets the client's answers, and can be cancelled by the client", async () => {
    const inputResponses = { who: { action: "accept", content: { name: "Ann" } } };
    const params = { taskId: "tasked/t/1", inputResponses };
    expect((await sendRequest(host, "tasks/update", { ...withTasks, params })).result).toBeDefined();
    expect(tasked.paramsOf("tasks/update").at(-1)).toMatchObject({ taskId: "t/1", inputResponses });
    const cancel = { ...withTasks, params: { taskId: "tasked/t/1" } };
    expect((await sendRequest(host, "tasks/cancel", cancel)).result).toBeDefined();
    expect(tasked.paramsOf("tasks/cancel").at(-1)).toMatchObject({ taskId: "t/1" });
  });

  it("is polled by the gateway for a client that does not know tasks", async () => {
    const { result } = await sendToolCall(host, "tasked__long");
    expect(result).toMatchObject({ resultType: "complete", content: [{ type: "resource_link", uri: "out://1" }] });
  });

  it("is reported to a client that subscribes to it, under the id that the client knows", async () => {
    const stop = new AbortController();
    onTestFinished(() => stop.abort());
    const taskIds = ["tasked/t/1", "rich/t/1", "nothing"];
    const messages = await openSubscription(host, { taskIds }, { ...withTasks, signal: stop.signal });
    await vi.waitFor(() => expect(tasked.paramsOf("subscriptions/listen")).toHaveLength(1));
    expect(tasked.paramsOf("subscriptions/listen")).toMatchObject([{ notifications: { taskIds: ["t/1"] } }]);
    const link = { type: "resource_link", uri: "out://1", name: "output" };
    tasked.notify("notifications/tasks", { taskId: "t/other", status: "working", ...times });
    tasked.notify("notifications/tasks", { taskId: "t/1", status: "working", ...times });
    tasked.notify("notifications/tasks", { taskId: "t/1", status: "completed", ...times, result: { content: [link] } });
    await vi.waitFor(() => expect(messages).toHaveLength(3));
    const _meta = { "io.modelcontextprotocol/subscriptionId": 7 };
    const method = "notifications/tasks";
    expect(messages).toMatchObject([
      { method: "notifications/subscriptions/acknowledged", params: { _meta } },
      { method, params: { taskId: "tasked/t/1", status: "working", _meta } },
      { method, params: { taskId: "tasked/t/1", status: "completed", result: { content: [link] }, _meta } },
    ]);
  });

  it.each(["nothing", "nobody/1", "rich"])(
    "is unknown under the id %s, which the gateway has not issued",
    async (taskId) => {
      const { error } = await sendRequest(host, "tasks/get", { ...withTasks, params: { taskId } });
      expect(error).toMatchObject({ code: -32602 });
    },
  );
});

describe("an extension of a server behind the gateway", () => {
  it("is declared to clients with its settings", async () => {
    const { result } = await sendRequest(host, "server/discover");
    expect(result).toMatchObject({
      capabilities: {
        extensions: { [TASKS]: {}, [UI]: {}, [SKILLS]: { directoryRead: true }, "example.com/notes": { max: 3 } },
      },
    });
  });

  it("lists the skills of all servers, and gets one from its owner", async () => {
    const { result } = await sendRequest(host, "skills/list");
    const skills = [{ uri: "skill://one/SKILL.md", frontmatter: { name: "one" } }, { uri: "skill://two/SKILL.md" }];
    expect(result).toMatchObject({ skills, cacheScope: "private" });
    const got = await sendRequest(host, "skills/get", { params: { uri: "skill://two/SKILL.md" } });
    expect(got.result).toMatchObject({ skill: { uri: "skill://two/SKILL.md" } });
    expect(tasked.paramsOf("skills/get")).toHaveLength(1);
    const unknown = await sendRequest(host, "skills/get", { params: { uri: "skill://three" } });
    expect(unknown.error).toMatchObject({ code: -32602, data: { uri: "skill://three" } });
  });

  it("reads a folder of a skill from its owner, page by page, and returns URIs that can be read", async () => {
    const method = "resources/directory/read";
    const params = { uri: "skill://two/SKILL.md" };
    const { result } = await sendRequest(host, method, { params });
    // Another server lists the first URI too, so the gateway adds the server that it was read from.
    const resources = [{ uri: "plugboard://tasked/skill://one/SKILL.md" }, { uri: "skill://two/SKILL.md/sub" }];
    expect(result).toMatchObject({ resources, nextCursor: "more" });
    const next = await sendRequest(host, method, { params: { ...params, cursor: "more" } });
    expect(next.result).toMatchObject({ resources: [{ uri: "skill://two/SKILL.md/b.md" }] });
    for (const { uri } of result!["resources"] as { uri: string }[]) {
      const read = await sendRequest(host, "resources/read", { params: { uri } });
      expect(read.result).toMatchObject({ contents: [{ uri, text: "the output" }] });
    }
    expect(rich.paramsOf(method)).toHaveLength(0);
    const unknown = await sendRequest(host, method, { params: { uri: "skill://three" } });
    expect(unknown.error).toMatchObject({ code: -32602, data: { uri: "skill://three" } });
  });

  it("gets requests with methods that the gateway does not know, if only one server declares the extension", async () => {
    const { result } = await sendRequest(host, "notes/add", { params: { text: "hi" } });
    expect(result).toMatchObject({ added: "hi" });
    expect(tasked.paramsOf("notes/add")).toHaveLength(0);
    const unknown = await sendRequest(host, "resources/subscribe", { params: { uri: "a:b" } });
    expect(unknown).toMatchObject({ status: 404, error: { code: -32601 } });
  });

  it("keeps the user interfaces of two servers apart, in URIs with the scheme that clients require", async () => {
    const { result } = await sendRequest(host, "tools/list");
    const tools = result!["tools"] as { name: string; _meta?: { ui?: { resourceUri: string } } }[];
    const uris = ["rich__rich", "tasked__long"].map(
      (name) => tools.find((tool) => tool.name === name)?._meta?.ui?.resourceUri,
    );
    expect(uris).toEqual(["ui://app", "ui://plugboard.tasked/app"]);
    const read = await sendRequest(host, "resources/read", { params: { uri: uris[1] } });
    expect(read.result).toMatchObject({ contents: [{ uri: uris[1], text: "the output" }] });
  });
});

describe("a tool definition behind the gateway", () => {
  it("reaches modern clients with all its fields", async () => {
    const { result } = await sendRequest(host, "tools/list");
    const tools = result!["tools"] as { name: string }[];
    const { name: _, ...fields } = listed[0]!;
    expect(tools.find(({ name }) => name === "rich__rich")).toEqual({ ...fields, name: "rich__rich" });
  });

  it.each(clientKinds)("is repaired for a %s client if the server wrote it incorrectly", async (kind) => {
    const front = await openClient(kind, host, () => ({ action: "cancel" }));
    // The official clients reject the whole list if one tool is invalid.
    const names = await front.listTools();
    await front.close();
    expect(names).toEqual(expect.arrayContaining(["rich__no_type", "rich__bad_fields"]));
  });
});

describe("a request of a client", () => {
  it("passes its _meta on, without the keys that are meant for the gateway", async () => {
    const traceparent = "00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01";
    const _meta = { traceparent, "example.com/c": 3, progressToken: "mine" };
    await sendToolCall(host, "rich__rich", {}, { params: { _meta }, capabilities: { sampling: {} } });
    const sent = rich.paramsOf("tools/call").at(-1)!["_meta"] as unknown as Record<string, unknown>;
    expect(sent).toMatchObject({ traceparent, "example.com/c": 3 });
    expect(sent["progressToken"]).not.toBe("mine");
    expect(sent["io.modelcontextprotocol/clientInfo"]).toMatchObject({ name: "plugboard" });
    expect(sent["io.modelcontextprotocol/clientCapabilities"]).toMatchObject({ sampling: {} });
    expect(sent["io.modelcontextprotocol/clientCapabilities"]).not.toHaveProperty("elicitation");
  });

  it("gets the result with its _meta, and content of unknown types as text", async () => {
    const { result } = await sendToolCall(host, "rich__rich");
    expect(result).toMatchObject({
      content: [
        { type: "text", text: "a" },
        { type: "text", text: '{"type":"new_type","value":1}' },
        { type: "text", text: '{"type":"image"}' },
      ],
      structuredContent: { y: 1 },
      _meta: { "example.com/b": 2, ui: { resourceUri: "ui://app" } },
    });
  });

  it("gets an error without CLI advice and without names of other tools", async () => {
    const { error } = await sendToolCall(host, "rich__ric");
    expect(error).toMatchObject({ code: -32602, message: 'There is no tool "rich__ric".' });
  });
});
