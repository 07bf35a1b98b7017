/** Tests which server gets a request about a prompt, resource, template or task, and in which names and URIs. */
import type { Caller, JsonObject } from "@plugboard/contracts";
import type { HostOutputs } from "@plugboard/host/forwarding";
import type { FrontContext, Op, Outcome, TaskOutcome } from "@plugboard/mcp";
import { FrontHandler } from "#fronts/front-handler.js";
import { describe, expect, it } from "vitest";
import { emptyWorkspace, noOutputs } from "../helpers/empty-workspace.ts";
import { revisionNamed } from "../helpers/revision-named.ts";

const ann: Caller = { kind: "front", id: "ann" };
const ctx: FrontContext = {
  ...{ session: ann, signal: new AbortController().signal, revision: revisionNamed(), tasks: true },
  ...{ elicitation: { form: false, url: false }, sampling: false },
};

interface Script {
  readonly resources?: readonly JsonObject[];
  readonly templates?: readonly JsonObject[];
  readonly prompts?: readonly JsonObject[];
  /** The capabilities of the servers `s` and `t`. By default both have resources. */
  readonly capabilities?: { readonly [server: string]: object };
  /** The result of each request. */
  readonly result?: JsonObject;
  /** The outcome of each call of the tool `s__x`. */
  readonly called?: Outcome;
  readonly profile?: object;
  readonly outputs?: HostOutputs;
}

function setUp({ result = {}, called, profile, outputs = noOutputs, ...script }: Script) {
  const { capabilities = { s: { resources: true }, t: { resources: true } } } = script;
  const hidden = new Set<string>();
  const gone = new Set<string>();
  const listed: string[] = [];
  const sent: [server: string, op: object][] = [];
  const forwarding = {
    servers: () => ["s", "t"].filter((id) => !gone.has(id)).map((id) => ({ id, capabilities: capabilities[id] })),
    list: async (kind: "resources" | "templates" | "prompts", includes: (server: string) => boolean) => {
      listed.push(kind);
      return (script[kind] ?? []).filter(({ server }) => includes(server as string));
    },
    request: async (server: string, { method, params }: Op): Promise<Outcome> => {
      sent.push([server, { method, ...params }]);
      return { type: "complete", result };
    },
  };
  const policy = { rules: [], findServerDenial: (id: string) => hidden.has(id), isAlwaysDenied: () => false };
  const parts = {
    ...{ forwarding, policyWith: () => policy, profile: () => profile },
    tools: { view: () => ({ list: () => [], find: () => ({ server: "s", tool: "x" }) }), refresh: () => {} },
    calls: { request: async () => called },
  };
  const workspace = emptyWorkspace(Promise.resolve(), parts);
  const identity = { name: "tested", version: "0" };
  const handler = new FrontHandler({ workspace, outputs, identity, profile: profile && "work" });
  const send = (method: Op["method"], params: object = {}) => handler.request({ method, params } as Op, ann, ctx);
  return { hidden, gone, listed, sent, send, handler };
}

const complete = (result: object) => ({ type: "complete", result });
const invalid = (method: string) => ({ type: "failed", error: { details: { method }, peer: { code: -32602 } } });

describe("a list of all servers", () => {
  it.each(["tools/list", "resources/list", "resources/templates/list", "prompts/list"] as const)(
    "fails for an invalid cursor (%s)",
    async (method) => {
      expect(await setUp({}).send(method, { cursor: "no cursor" })).toMatchObject(invalid(method));
    },
  );

  it("leaves out invalid fields, and names prompts by their server", async () => {
    const { send } = setUp({
      prompts: [
        { server: "s", name: "p", title: 5, arguments: [{ name: "a", title: 1 }, 3] },
        { server: "t", name: "p", title: "P", arguments: "none" },
      ],
      resources: [{ server: "s", uri: "a:1", name: "a", size: "1" }],
      templates: [{ server: "s", uriTemplate: "a:{x}", name: "a", title: 1 }],
    });
    const prompts = [
      { name: "s__p", arguments: [{ name: "a" }, 3] },
      { name: "t__p", title: "P" },
    ];
    expect(await send("prompts/list")).toEqual(complete({ prompts }));
    expect(await send("resources/list")).toEqual(complete({ resources: [{ uri: "a:1", name: "a" }] }));
    const resourceTemplates = [{ uriTemplate: "a:{x}", name: "a" }];
    expect(await send("resources/templates/list")).toEqual(complete({ resourceTemplates }));
  });
});

describe("a request for a prompt", () => {
  const prompts = [{ server: "s", name: "p" }];

  it("goes to its server, and lists the prompts first only if the name is unknown", async () => {
    const { send, sent, listed } = setUp({ prompts, result: { messages: [] } });
    expect(await send("prompts/get", { name: "s__p", arguments: { a: "1" } })).toEqual(complete({ messages: [] }));
    await send("prompts/get", { name: "s__p" });
    expect(sent).toEqual([
      ["s", { method: "prompts/get", name: "p", arguments: { a: "1" } }],
      ["s", { method: "prompts/get", name: "p" }],
    ]);
    expect(listed).toEqual(["prompts"]);
  });

  it("fails if the prompt does not exist, or if its server has been hidden since", async () => {
    const { send, sent, hidden } = setUp({ prompts });
    await send("prompts/list");
    hidden.add("s");
    for (const name of ["s__q", "s__p"])
      expect(await send("prompts/get", { name })).toMatchObject(invalid("prompts/get"));
    expect(sent).toEqual([]);
  });
});

describe("a request for a completion", () => {
  const argument = { name: "a", value: "x" };
  const script = {
    prompts: [{ server: "s", name: "p" }],
    templates: [{ server: "t", uriTemplate: "b:{x}" }],
    result: { completion: { values: ["xy"] } },
  };

  it.each([
    ["s", { type: "ref/prompt", name: "s__p" }, { type: "ref/prompt", name: "p" }],
    ["t", { type: "ref/resource", uri: "b:{x}" }, { type: "ref/resource", uri: "b:{x}" }],
  ])("goes to the server %s, which owns the prompt or template", async (server, ref, own) => {
    const { send, sent } = setUp({ ...script, capabilities: { s: { completion: true }, t: {} } });
    expect(await send("completion/complete", { ref, argument })).toEqual(complete(script.result));
    expect(sent).toEqual([[server, { method: "completion/complete", ref: own, argument }]]);
  });

  it("returns no values, and sends no request, if the server does not support completions", async () => {
    const { send, sent } = setUp({ ...script, capabilities: { s: { completion: false }, t: {} } });
    const ref = { type: "ref/prompt", name: "s__p" };
    expect(await send("completion/complete", { ref, argument })).toEqual(complete({ completion: { values: [] } }));
    expect(sent).toEqual([]);
  });

  it("fails if there is no such prompt", async () => {
    const ref = { type: "ref/prompt", name: "other" };
    const outcome = await setUp(script).send("completion/complete", { ref, argument });
    expect(outcome).toMatchObject(invalid("completion/complete"));
  });
});

describe("a read of a resource", () => {
  const both = [
    { server: "s", uri: "a:1" },
    { server: "t", uri: "a:1" },
    { server: "t", uri: "b:1" },
  ];

  it.each([
    ["b:1", "t", "b:1"],
    ["plugboard://s/a:1", "s", "a:1"],
    ["plugboard://t/a:1", "t", "a:1"],
  ])("(%s) goes to its owner, and the result has the URI that the client has used", async (uri, server, own) => {
    const result = { contents: [{ uri: own, text: "x" }, { uri: `${own}/part`, text: "y" }, "broken"] };
    const { send, sent } = setUp({ resources: both, result });
    const contents = [
      { uri, text: "x" },
      { uri: `${own}/part`, text: "y" },
    ];
    expect(await send("resources/read", { uri })).toEqual(complete({ contents }));
    expect(sent).toEqual([[server, { method: "resources/read", uri: own }]]);
  });

  it("lists the resources and templates again only if the URI was not listed", async () => {
    const { send, listed } = setUp({ resources: both });
    await send("resources/list");
    expect(await send("resources/read", { uri: "b:1" })).toEqual(complete({ contents: [] }));
    expect(listed).toEqual(["resources"]);
    await send("resources/read", { uri: "b:2" });
    expect(listed).toEqual(["resources", "resources", "templates"]);
  });

  it.each<[string, string | undefined, NonNullable<Script["capabilities"]>]>([
    ["goes to the only server with resources", "t", { s: { resources: false }, t: { resources: true } }],
    ["fails if two servers have resources", undefined, { s: { resources: true }, t: { resources: true } }],
    ["fails if no server has resources", undefined, { s: {}, t: {} }],
  ])("that no server lists %s", async (_, server, capabilities) => {
    const { send, sent } = setUp({ capabilities });
    const outcome = await send("resources/read", { uri: "c:1" });
    expect(outcome).toMatchObject(server === undefined ? invalid("resources/read") : { type: "complete" });
    expect(sent.map(([id]) => id)).toEqual(server === undefined ? [] : [server]);
  });

  it.each(["hidden", "gone"] as const)("fails if its server is %s", async (state) => {
    const servers = setUp({ resources: both });
    await servers.send("resources/list");
    servers[state].add("t");
    expect(await servers.send("resources/read", { uri: "b:1" })).toMatchObject(invalid("resources/read"));
    expect(servers.sent).toEqual([]);
  });

  it("is cut for a client over stdio, with a note that names the resources of the whole text", async () => {
    const id = "0123456789abcdef0123456789abcdef";
    const whole = "x".repeat(1_500_000);
    const outputs: HostOutputs = {
      save: async () => id,
      read: async (_, { offset, limit }) => ({
        text: whole.slice(offset, offset + limit),
        offset,
        total: whole.length,
      }),
    };
    const contents = [{ uri: "a:1", mimeType: "text/markdown", text: whole }];
    const resources = [{ server: "s", uri: "a:1" }];
    const { send, handler } = setUp({ resources, result: { contents }, outputs });
    const uri = `plugboard://output/${id}`;
    const outcome = await send("resources/read", { uri: "a:1" });
    const { result } = outcome as Extract<Outcome, { type: "complete" }>;
    const [shown, note] = result["contents"] as JsonObject[];
    expect(shown).toEqual({ uri: "a:1", mimeType: "text/markdown", text: "x".repeat(1024 * 1024 - 300) });
    expect(note).toEqual({
      uri: "a:1",
      mimeType: "text/plain",
      text: `[cut: the result has 1500000 bytes of text; the whole text is in 2 resources, from ${uri} to ${uri}?part=2]`,
    });
    expect(await send("resources/read", { uri: `${uri}?part=2` })).toEqual(
      complete({ contents: [{ uri: `${uri}?part=2`, mimeType: "text/plain", text: whole.slice(1024 * 1024) }] }),
    );
    const bob: Caller = { kind: "front", id: "bob", principal: { id: "b", name: "bob", mayApprove: false } };
    const overHttp = await handler.request({ method: "resources/read", params: { uri: "a:1" } }, bob, ctx);
    expect(overHttp).toEqual(complete({ contents }));
  });

  it("of the link in a cut result returns the whole text", async () => {
    const text = "x".repeat(2000);
    const id = "0123456789abcdef0123456789abcdef";
    const outputs: HostOutputs = { save: async () => id, read: async () => ({ text, offset: 0, total: 2000 }) };
    const called: Outcome = { type: "complete", result: { content: [{ type: "text", text }] } };
    const { send } = setUp({ called, outputs, profile: { max_result_bytes: 1000 } });
    const uri = `plugboard://output/${id}`;
    expect(await send("tools/call", { name: "s__x", arguments: {} })).toMatchObject(
      complete({ content: [{}, {}, { type: "resource_link", uri }] }),
    );
    const contents = [{ uri, mimeType: "text/plain", text }];
    expect(await send("resources/read", { uri })).toEqual(complete({ contents }));
  });
});

it.each<[Op["method"], JsonObject]>([
  ["prompts/get", { name: "s__p" }],
  ["resources/read", { uri: "a:1" }],
])("a request with answers (%s) passes them on to the server", async (method, params) => {
  const { handler, sent } = setUp({
    prompts: [{ server: "s", name: "p" }],
    resources: [{ server: "s", uri: "a:1" }],
  });
  const answers = { a: { action: "decline" } } as const;
  await handler.resume(undefined, answers, { method, params } as Op, ann, ctx);
  expect(sent).toMatchObject([["s", { method, resumed: { answers, round: 0 } }]]);
});

describe("a task", () => {
  const task: TaskOutcome = {
    ...{ type: "task", task: { taskId: "1", status: "working" } },
    ...{ follow: () => Promise.reject(new Error("unused")), cancel: async () => {} },
  };

  it("can be requested by the client that has begun it, and the request goes to its server", async () => {
    const content = [{ type: "new_type" }];
    const result = { taskId: "1", status: "completed", result: { content } };
    const { send, sent } = setUp({ called: task, result });
    expect(await send("tools/call", { name: "s__x", arguments: {} })).toMatchObject({
      type: "task",
      task: { taskId: "s/1", status: "working" },
    });
    const strict = { content: [{ type: "text", text: '{"type":"new_type"}' }] };
    expect(await send("tasks/get", { taskId: "s/1" })).toEqual(complete({ ...result, taskId: "s/1", result: strict }));
    expect(sent).toEqual([["s", { method: "tasks/get", taskId: "1" }]]);
  });

  it.each(["tasks/get", "tasks/update", "tasks/cancel"] as const)(
    "is unknown to a client that has not begun it (%s)",
    async (method) => {
      const { send, sent } = setUp({});
      expect(await send(method, { taskId: "s/1" })).toMatchObject(invalid(method));
      expect(sent).toEqual([]);
    },
  );

  it("may have a state without an id and without a result", async () => {
    const { send } = setUp({ called: task, result: { status: "cancelled" } });
    await send("tools/call", { name: "s__x", arguments: {} });
    expect(await send("tasks/cancel", { taskId: "s/1" })).toEqual(complete({ status: "cancelled" }));
  });
});
