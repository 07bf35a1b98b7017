/** Tests which server gets a request of an extension, with which params, and what the client gets. */
import type { Caller, JsonObject } from "@plugboard/contracts";
import type { Call, ForwardedServer, ToolKey } from "@plugboard/host/forwarding";
import type { FrontContext, Op, Outcome } from "@plugboard/mcp";
import { ExtensionRequests } from "#requests/extension-requests.js";
import type { ExtensionRequestsOptions } from "#requests/extension-requests.js";
import { describe, expect, it } from "vitest";
import { revisionNamed } from "../helpers/revision-named.ts";

const SKILLS = "io.modelcontextprotocol/skills";
const ann: Caller = { kind: "front", id: "ann" };
const ctx: FrontContext = {
  ...{ session: ann, signal: new AbortController().signal, revision: revisionNamed(), tasks: false },
  ...{ elicitation: { form: false, url: false }, sampling: false },
};

type Answer = (server: string, params: JsonObject) => JsonObject | Extract<Outcome, { type: "failed" }>;

/**
 * Makes a server for each id, with the given extensions. Clients know the URI `s:x` as `out:x`, the tool `x` as `s__x`
 * and the task 1 as `s/1`.
 */
function setUp(extensions: { [server: string]: string[] }, answer: Answer = () => ({})) {
  const sent: [server: string, method: string, params: JsonObject][] = [];
  const asked: string[] = [];
  const servers = Object.entries(extensions).map(
    ([id, names]) =>
      ({ id, capabilities: { extensions: Object.fromEntries(names.map((name) => [name, {}])) } }) as never,
  ) as ForwardedServer[];
  const request = async (server: string, { params: { method, params } }: Extract<Op, { method: "extension" }>) => {
    sent.push([server, method, params]);
    const answered = answer(server, params);
    return answered["type"] === "failed" ? answered : { type: "complete", result: answered };
  };
  const requestAbout = async (call: Call, next: () => Promise<Outcome>) => {
    const { server, tool } = call.ref as ToolKey;
    asked.push(`${server}:${tool} ${JSON.stringify(call.arguments)}`);
    return next();
  };
  const tools = ["x", "hidden", "denied"];
  const options = {
    workspace: {
      forwarding: { servers: () => servers, request },
      calls: { requestAbout },
      tools: { find: ({ server, tool }: never) => (tools.includes(tool) ? { server, tool } : undefined) },
    },
    view: {
      includes: (server: string) => server !== "unseen",
      includesTool: ({ tool }: { tool: string }) => tool === "x",
      findTool: (name: string) => (name === "s__x" ? { server: "s", tool: "x" } : undefined),
      policy: () => ({ isAlwaysDenied: ({ tool }: { tool: string }) => tool === "denied" }),
    },
    directory: {
      resolve: async (uri: string) => (uri.startsWith("out:") ? { server: "s", uri: `s:${uri.slice(4)}` } : undefined),
      outwardFrom: () => (uri: string) => uri.replace(/^s:/, "out:"),
    },
    taskOwners: { find: (id: string) => (id === "s/1" ? { server: "s", taskId: "1" } : undefined) },
  } as unknown as ExtensionRequestsOptions;
  const requests = new ExtensionRequests(options);
  const send = (method: string, params: JsonObject = {}) =>
    requests.request({ method, params }, { caller: ann, ctx, sink: { onProgress: undefined, onLog: undefined } });
  return { send, sent, asked };
}

const rpcCode = (code: number) => ({ type: "failed", error: { peer: { code } } });

describe("a request of an extension", () => {
  it.each<[string, { [server: string]: string[] }, string | undefined]>([
    ["the server whose extension is named like the method", { s: ["a/notes"], t: ["a/other"] }, "s"],
    ["the only server with an extension, if none is named like the method", { s: ["a/memo"], t: [] }, "s"],
    ["no server, if several have other extensions", { s: ["a/memo"], t: ["a/other"] }, undefined],
    ["no server, if the only extensions have no such methods", { s: [SKILLS], t: [] }, undefined],
    ["no server that the client does not see", { unseen: ["a/notes"] }, undefined],
    [
      "the only server whose extension may have methods",
      { s: ["a/memo"], t: ["io.modelcontextprotocol/ui"], u: ["io.modelcontextprotocol/tasks"], v: [SKILLS] },
      "s",
    ],
  ])("goes to %s", async (_, extensions, server) => {
    const { send, sent } = setUp(extensions);
    const outcome = await send("notes/add", { text: "hi" });
    expect(sent).toEqual(server === undefined ? [] : [[server, "notes/add", { text: "hi" }]]);
    expect(outcome).toMatchObject(server === undefined ? rpcCode(-32601) : { type: "complete" });
  });

  const two = { s: ["a/notes"], t: ["a/notes"] };

  it.each<[JsonObject, JsonObject]>([
    [{ uri: "out:1" }, { uri: "s:1" }],
    [{ name: "s__x" }, { name: "x" }],
    [
      { tool: "s__x", name: "a note" },
      { tool: "x", name: "a note" },
    ],
    [
      { tool: "s__x", name: "s__x" },
      { tool: "x", name: "s__x" },
    ],
    [{ taskId: "s/1" }, { taskId: "1" }],
  ])("goes to the owner of the resource, tool or task that it names: %j", async (params, expected) => {
    const { send, sent } = setUp(two);
    expect(await send("notes/add", params)).toMatchObject({ type: "complete" });
    expect(sent).toEqual([["s", "notes/add", expected]]);
  });

  it.each<[JsonObject, number]>([
    [{ uri: "a:b" }, -32602],
    [{ taskId: "s/2" }, -32602],
    [{ name: "unknown" }, -32601],
    [{}, -32601],
  ])("of an extension that several servers have fails if none of them owns what it names: %j", async (params, code) => {
    const { send, sent } = setUp(two);
    expect(await send("notes/add", params)).toMatchObject(rpcCode(code));
    expect(sent).toEqual([]);
  });

  it("goes to the only server with the extension, even if another server owns what it names", async () => {
    const { send, sent } = setUp({ s: [], t: ["a/notes"] });
    await send("notes/add", { uri: "out:1" });
    expect(sent).toEqual([["t", "notes/add", { uri: "out:1" }]]);
  });

  it.each<[JsonObject, string]>([
    [{ tool: "x", arguments: { a: 1 } }, 's:x {"a":1}'],
    [{ tool: "x", arguments: "none" }, 's:x {"tool":"x","arguments":"none"}'],
    [{ tool: "x" }, 's:x {"tool":"x"}'],
    [{ text: "denied" }, 's:denied {"text":"denied"}'],
  ])("needs the permission for the tool that it names: %j", async (params, asked) => {
    const one = setUp({ s: ["a/notes"] });
    expect(await one.send("notes/add", params)).toMatchObject({ type: "complete" });
    expect(one.asked).toEqual([asked]);
  });

  it("needs the permission for each of several tools, one after the other", async () => {
    const { send, asked } = setUp({ s: ["a/notes"] });
    await send("notes/add", { tool: "x", text: "denied", arguments: {} });
    expect(asked).toEqual(["s:denied {}", "s:x {}"]);
  });

  it.each<JsonObject>([{ text: "hidden" }, { tool: "x", text: "hidden" }])(
    "fails without a question if it names a tool that the client does not see: %j",
    async (params) => {
      const { send, sent, asked } = setUp({ s: ["a/notes"] });
      expect(await send("notes/add", params)).toMatchObject({ error: { code: "TOOL_NOT_FOUND" } });
      expect([...sent, ...asked]).toEqual([]);
    },
  );

  it("returns links with URIs that the client knows, and other fields unchanged", async () => {
    const content = (uri: string) => ({ content: [{ type: "resource_link", uri, name: "a" }], uri: "s:2" });
    const { send } = setUp({ s: ["a/notes"] }, () => content("s:1"));
    expect(await send("notes/add")).toEqual({ type: "complete", result: content("out:1") });
  });
});

describe("a request about skills", () => {
  it.each(["skills/get", "resources/directory/read"])(
    "(%s) goes to a server with skills, without a question",
    async (method) => {
      const result = { skill: { uri: "s:1", files: [{ uri: "s:2" }, "s:3"] } };
      const { send, sent, asked } = setUp({ s: [SKILLS], t: ["a/skills", "a/resources"] }, () => result);
      const rewritten = { skill: { uri: "out:1", files: [{ uri: "out:2" }, "s:3"] } };
      expect(await send(method, { uri: "out:1", name: "denied" })).toEqual({ type: "complete", result: rewritten });
      expect(sent).toEqual([["s", method, { uri: "s:1", name: "denied" }]]);
      expect(asked).toEqual([]);
    },
  );

  it("returns the skills of all pages of all servers, and skips a server that fails", async () => {
    const failed = { type: "failed", error: new Error("no") } as never;
    const { send, sent } = setUp({ s: [SKILLS], t: [SKILLS], u: [SKILLS] }, (server, { cursor }) => {
      if (server === "t") return failed;
      if (server === "u") return { skills: "none" };
      return cursor === undefined ? { skills: [{ uri: "s:1" }], nextCursor: "2" } : { skills: [{ uri: "s:2" }] };
    });
    const skills = [{ uri: "out:1" }, { uri: "out:2" }];
    expect(await send("skills/list")).toEqual({
      type: "complete",
      result: { skills, ttlMs: 0, cacheScope: "private" },
    });
    expect(sent.filter(([server]) => server === "s")).toEqual([
      ["s", "skills/list", {}],
      ["s", "skills/list", { cursor: "2" }],
    ]);
  });

  it("fails if no server can list its skills", async () => {
    const { send } = setUp({ s: [SKILLS], t: [SKILLS] }, () => ({ type: "failed", error: {} }));
    expect(await send("skills/list")).toMatchObject({ type: "failed" });
  });

  it.each([
    ["", 1],
    ["again", 100],
  ])("reads at most 100 pages of a server whose next cursor is %j", async (nextCursor, pages) => {
    const { send, sent } = setUp({ s: [SKILLS] }, () => ({ skills: [], nextCursor }));
    await send("skills/list");
    expect(sent).toHaveLength(pages);
  });
});
