/** Tests the official server package in the modern era, with all features. */
import type { Target } from "@plugboard/mcp";
import type { JsonObject, LogEntry, LogLevel, Progress, Root } from "@plugboard/contracts";
import { modernStdio, startModernHttp } from "@plugboard/testkit/start-server";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { toolCallOp, completed, expectOneRequest, openThirdParty, contentText } from "./open-third-party.ts";
import type { ThirdPartyServer } from "./open-third-party.ts";

interface Reached {
  readonly target: Target;
  /** The stderr output of the server. */
  stderr(foreign: ThirdPartyServer): string;
  close(): Promise<void>;
}

async function overStdio(): Promise<Reached> {
  return {
    target: { transport: "stdio", ...modernStdio(), cwd: process.cwd(), env: {} },
    stderr: ({ connection }) => connection.stderrTail,
    close: async () => {},
  };
}

async function overHttp(): Promise<Reached> {
  const server = await startModernHttp();
  return {
    target: { transport: "http", url: server.url, headers: {} },
    stderr: () => server.stderr(),
    close: () => server.close(),
  };
}

const HERE: Root = { uri: "file:///here", name: "here" };
const THERE: Root = { uri: "file:///there", name: "there" };

describe.each([
  { name: "stdio", reach: overStdio },
  { name: "http", reach: overHttp },
])("the official server package over $name", ({ reach }) => {
  let reached: Reached;
  let server: ThirdPartyServer;
  let roots: readonly Root[] = [HERE];
  beforeAll(async () => {
    reached = await reach();
    server = await openThirdParty(reached.target, { roots: () => roots, sampling: true });
  });
  afterAll(async () => {
    await server.close();
    await reached.close();
  });

  const call = (name: string, args: JsonObject = {}) => server.result(toolCallOp(name, args));
  const names = (listed: unknown) => (listed as { readonly name: string }[]).map(({ name }) => name);

  it("is detected as modern", () => {
    expect(server.session).toMatchObject({ era: "modern", version: "2026-07-28", turns: "never" });
    expect(server.session.serverInfo).toMatchObject({
      name: "modern-fixture",
      instructions: "Good for trying out",
      capabilities: {
        tools: true,
        resources: true,
        prompts: true,
        completion: true,
        logging: true,
        subscribe: true,
        listChanged: { tools: true, resources: true, prompts: true },
      },
    });
  });

  it("answers a ping", async () => {
    await server.session.ping(AbortSignal.timeout(10_000));
  });

  it("lists its tools", () => {
    const { tools, dropped } = server.connection.catalog;
    expect(dropped).toEqual([]);
    expect(names(tools)).toEqual(expect.arrayContaining(["echo", "slow", "measure", "region", "ask_name"]));
    expect(tools.find(({ name }) => name === "measure")).toMatchObject({
      inputSchema: { required: ["place"] },
      outputSchema: { required: ["celsius", "place"] },
    });
  });

  it("answers each of many concurrent calls with its own result", async () => {
    const texts = Array.from({ length: 20 }, (_, at) => `message ${at} 🔌`);
    const results = await Promise.all(texts.map((text) => call("echo", { text })));
    expect(results.map(contentText)).toEqual(texts);
  });

  it("returns every kind of content", async () => {
    const { content } = await call("all_content");
    expect(content).toMatchObject([
      { type: "text", annotations: { audience: ["user"], priority: 0.5 } },
      { type: "image", mimeType: "image/png", data: expect.stringMatching(/^iVBOR/) },
      { type: "audio", mimeType: "audio/wav" },
      { type: "resource_link", uri: "note://welcome" },
      { type: "resource", resource: { uri: "note://embedded", text: "inside" } },
    ]);
  });

  it("returns structured content", async () => {
    expect(await call("measure", { place: "here" })).toMatchObject({
      structuredContent: { celsius: 21.5, place: "here" },
    });
  });

  it.each([
    ["eu-west", "eu-west"],
    ["Zürich 🔌", inBase64("Zürich 🔌")],
    [" padded ", inBase64(" padded ")],
    ["=?base64?eA==?=", inBase64("=?base64?eA==?=")],
  ])("also gets the argument %j in a header, if the transport has headers", async (region, header) => {
    const seen: unknown = JSON.parse(contentText(await call("region", { region })));
    expect(seen).toEqual({ region, header: reached.target.transport === "http" ? header : null });
  });

  it("distinguishes an error result from an error response", { meta: { covers: ["R0.68", "R3.37"] } }, async () => {
    expect(await call("fail")).toMatchObject({ isError: true });
    const thrown = await server.failure(toolCallOp("throw"));
    expect(thrown).toMatchObject({ code: "TOOL_EXECUTION_FAILED", cause: { code: -32603 } });
    expect(await server.failure(toolCallOp("missing"))).toMatchObject({ cause: { code: -32602 } });
    expect(await server.failure(toolCallOp("echo", { text: 1 }))).toMatchObject({ cause: { code: -32602 } });
  });

  it("reports the progress of a long call", async () => {
    const seen: Progress[] = [];
    const op = toolCallOp("slow", { ms: 100, steps: 4 });
    expect(contentText(await server.result(op, { onProgress: (progress) => seen.push(progress) }))).toBe(
      "done in 4 steps",
    );
    expect(seen).toMatchObject([1, 2, 3, 4].map((progress) => ({ progress, total: 4 })));
  });

  it("stops a cancelled call, and serves the next", async () => {
    const cancel = new AbortController();
    const op = toolCallOp("slow", { ms: 600_000, steps: 6000 });
    const error = await server.failure(op, { signal: cancel.signal, onProgress: () => cancel.abort() });
    expect(error.code).toBe("CANCELLED");
    await expect.poll(() => reached.stderr(server), { timeout: 10_000 }).toContain("slow aborted");
    expect(contentText(await call("echo", { text: "still here" }))).toBe("still here");
  });

  it.each([
    ["debug", ["a detail", { what: "a fact" }, "a fault"]],
    ["error", ["a fault"]],
    [undefined, []],
  ] as [LogLevel | undefined, unknown[]][])(
    "sends log entries of level %s and above to the call",
    async (logLevel, data) => {
      const logs: LogEntry[] = [];
      await server.result(toolCallOp("log"), { logLevel, onLog: (entry) => logs.push(entry) });
      expect(logs.map((entry) => entry.data)).toEqual(data);
    },
  );

  it("lists its resources and reads them", async () => {
    const { resources } = await server.result({ method: "resources/list", params: {} });
    expect(names(resources)).toEqual(expect.arrayContaining(["welcome", "pixel", "diary"]));
    const read = (uri: string) => server.result({ method: "resources/read", params: { uri } });
    expect(await read("note://welcome")).toMatchObject({ contents: [{ text: "Welcome to the modern fixture" }] });
    expect(await read("picture://pixel")).toMatchObject({ contents: [{ blob: expect.stringMatching(/^iVBOR/) }] });
    const missing = await server.failure({ method: "resources/read", params: { uri: "note://missing" } });
    expect(missing).toMatchObject({ code: "REQUEST_FAILED", cause: { code: -32602 } });
  });

  it("lists its resource templates", async () => {
    const { resourceTemplates } = await server.result({ method: "resources/templates/list", params: {} });
    expect(resourceTemplates).toMatchObject([{ uriTemplate: "note://{name}" }]);
  });

  it("asks the user before a resource is read", async () => {
    const op = { method: "resources/read", params: { uri: "locked://diary" } } as const;
    const { answer } = expectOneRequest(await server.request(op));
    expect(completed(await answer({ action: "accept", content: { password: "sesame" } }))).toMatchObject({
      contents: [{ text: 'opened with {"password":"sesame"}' }],
    });
  });

  it("lists its prompts and gets one with arguments", async () => {
    const { prompts } = await server.result({ method: "prompts/list", params: {} });
    expect(names(prompts)).toEqual(expect.arrayContaining(["review", "ask_who"]));
    const params = { name: "review", arguments: { language: "Tcl", tone: "mellow" } };
    expect(await server.result({ method: "prompts/get", params })).toMatchObject({
      messages: [{ role: "user", content: { text: "Review this Tcl, and be mellow." } }],
    });
    const error = await server.failure({ method: "prompts/get", params: { name: "review" } });
    expect(error).toMatchObject({ code: "REQUEST_FAILED", cause: { code: -32602 } });
  });

  it("asks the user before it returns a prompt", async () => {
    const { answer } = expectOneRequest(await server.request({ method: "prompts/get", params: { name: "ask_who" } }));
    expect(completed(await answer({ action: "accept", content: { name: "Ann" } }))).toMatchObject({
      messages: [{ content: { text: "You are talking to Ann." } }],
    });
  });

  it("completes a prompt argument depending on the other argument", async () => {
    const ref = { type: "ref/prompt", name: "review" } as const;
    const language = { ref, argument: { name: "language", value: "T" } };
    expect(await server.result({ method: "completion/complete", params: language })).toMatchObject({
      completion: { values: ["TypeScript", "Tcl"] },
    });
    const tone = { ref, argument: { name: "tone", value: "s" }, context: { arguments: { language: "Rust" } } };
    expect(await server.result({ method: "completion/complete", params: tone })).toMatchObject({
      completion: { values: ["strict", "safe"] },
    });
  });

  it("completes a variable of a resource template", async () => {
    const ref = { type: "ref/resource", uri: "note://{name}" } as const;
    const params = { ref, argument: { name: "name", value: "wel" } };
    expect(await server.result({ method: "completion/complete", params })).toMatchObject({
      completion: { values: ["welcome"] },
    });
  });

  it("asks the user for a name", async () => {
    const { ask, answer } = expectOneRequest(await server.request(toolCallOp("ask_name")));
    expect(ask).toMatchObject({
      elicitation: {
        mode: "form",
        fields: [
          { name: "name", type: "string", required: true },
          { name: "likes", type: "choice" },
        ],
      },
    });
    const content = { name: "Ann", likes: "tea" };
    expect(contentText(completed(await answer({ action: "accept", content })))).toBe("hello Ann, tea");
  });

  it.each([
    ["decline", "declined"],
    ["cancel", "cancelled"],
  ] as const)("gets the answer %s of the user", async (action, said) => {
    const { answer } = expectOneRequest(await server.request(toolCallOp("ask_name")));
    expect(contentText(completed(await answer({ action })))).toBe(said);
  });

  it("asks twice and gets its state back unchanged", async () => {
    const first = expectOneRequest(await server.request(toolCallOp("ask_twice")));
    const second = expectOneRequest(await first.answer({ action: "accept", content: { first: "one" } }));
    const outcome = await second.answer({ action: "accept", content: { second: "two" } });
    expect(contentText(completed(outcome))).toBe("one two (requestState intact)");
  });

  it("asks the user to visit a page", async () => {
    const url = "https://example.com/consent";
    const { ask, answer } = expectOneRequest(await server.request(toolCallOp("ask_url", { url })));
    expect(ask).toMatchObject({ elicitation: { mode: "url", url, message: "Please visit" } });
    expect(contentText(completed(await answer({ action: "accept" })))).toBe("accept");
  });

  it("gets sampling from a caller that supports it, and an error from another", async () => {
    const op = toolCallOp("ask_model", { prompt: "Say hi" });
    const { ask, answer } = expectOneRequest(await server.request(op, { sampling: true }));
    expect(ask).toMatchObject({ type: "sampling", rawParams: { maxTokens: 10, messages: [{ role: "user" }] } });
    const result = { role: "assistant", model: "tested", content: { type: "text", text: "hi" } };
    expect(JSON.parse(contentText(completed(await answer({ action: "sampled", result }))))).toMatchObject(result);

    const refused = expectOneRequest(await server.request(op, { sampling: true }));
    expect(await refused.answer({ action: "decline" })).toMatchObject({
      type: "failed",
      error: { code: "SAMPLING_REFUSED" },
    });
    expect(await server.failure(op, { sampling: false })).toMatchObject({ cause: { code: -32021 } });
  });

  it("gets the roots in each call that needs them", async () => {
    expect(contentText(await call("ask_roots"))).toBe("file:///here");
    roots = [HERE, THERE];
    server.session.notifyRootsChanged();
    expect(contentText(await call("ask_roots"))).toBe("file:///here file:///there");
  });

  it("reports a tool that is added later", async () => {
    await call("add_tool", { name: "later" });
    await expect.poll(() => names(server.connection.catalog.tools), { timeout: 10_000 }).toContain("later");
    expect(contentText(await call("later"))).toBe("I am later");
  });

  it("reports changes of each list to its listeners", { meta: { covers: ["R2.147", "R2.148"] } }, async () => {
    const { session } = server;
    const seen: string[] = [];
    const listening = session.listen({ tools: true, resources: true, prompts: true }, ({ type }) => seen.push(type));
    // Changes are repeated until the first notification, which shows that the subscription is active.
    await expect
      .poll(async () => (await call("add_tool", { name: "tool" }), seen), { timeout: 10_000 })
      .toContain("tools");
    await call("add_prompt", { name: "prompt" });
    await call("write_note", { name: "new", text: "one" });
    await expect.poll(() => seen, { timeout: 10_000 }).toEqual(expect.arrayContaining(["prompts", "resources"]));
    expect(seen).not.toContain("resource");

    listening.stop();
    seen.length = 0;
    await call("add_prompt", { name: "unheard" });
    await call("echo", { text: "and back" });
    expect(seen).toEqual([]);
    const { prompts } = await server.result({ method: "prompts/list", params: {} });
    expect(names(prompts)).toEqual(expect.arrayContaining(["prompt", "unheard"]));
  });

  it("reports updates of a subscribed resource only", async () => {
    const { session } = server;
    await call("write_note", { name: "watched", text: "first" });
    await call("write_note", { name: "other", text: "first" });
    const seen: unknown[] = [];
    const listening = session.listen({ uris: ["note://watched"] }, (change) => seen.push(change));
    await expect
      .poll(
        async () => {
          await call("write_note", { name: "other", text: "again" });
          await call("write_note", { name: "watched", text: "again" });
          return seen;
        },
        { timeout: 10_000 },
      )
      .toContainEqual({ type: "resource", uri: "note://watched" });
    listening.stop();
    expect(new Set(seen.map((change) => JSON.stringify(change))).size).toBe(1);
    const { contents } = await server.result({ method: "resources/read", params: { uri: "note://watched" } });
    expect(contents).toMatchObject([{ text: "again" }]);
  });

  it("asks no question outside of calls", () => {
    expect(server.unattributed).toEqual([]);
  });
});

function inBase64(text: string): string {
  return `=?base64?${Buffer.from(text).toString("base64")}?=`;
}
