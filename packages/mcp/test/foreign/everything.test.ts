/** Tests the reference server with all features, over each of its transports. */
import { gunzipSync } from "node:zlib";
import type { Target } from "@plugboard/mcp";
import type { JsonObject, Progress, Root } from "@plugboard/contracts";
import { everythingStdio, startEverythingHttp, startEverythingSse } from "@plugboard/testkit/start-server";
import type { RunningServer } from "@plugboard/testkit/start-server";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { toolCallOp, completed, expectOneRequest, openThirdParty, contentText } from "./open-third-party.ts";
import type { ThirdPartyServer } from "./open-third-party.ts";

interface Reached {
  readonly target: Target;
  close(): Promise<void>;
}

async function overStdio(): Promise<Reached> {
  return { target: stdioTarget(), close: async () => {} };
}

function overUrl(transport: "http" | "sse", start: () => Promise<RunningServer>): () => Promise<Reached> {
  return async () => {
    const server = await start();
    const target: Target = { transport, url: server.url, headers: {} };
    return { target, close: () => server.close() };
  };
}

function stdioTarget(env: { readonly [name: string]: string } = {}): Target {
  return { transport: "stdio", ...everythingStdio(), cwd: process.cwd(), env };
}

const HERE: Root = { uri: "file:///here", name: "here" };
const THERE: Root = { uri: "file:///there", name: "there" };
const STATIC = "demo://resource/static/document/features.md";
const TEMPLATE = "demo://resource/dynamic/text/{resourceId}";

describe.each([
  { name: "stdio", reach: overStdio },
  { name: "http", reach: overUrl("http", startEverythingHttp) },
  { name: "sse", reach: overUrl("sse", startEverythingSse) },
])("server-everything over $name", { meta: { covers: ["R1.42", "R2.165", "R3.78"] } }, ({ reach }) => {
  let reached: Reached;
  let everything: ThirdPartyServer;
  let roots: readonly Root[] = [HERE];
  beforeAll(async () => {
    reached = await reach();
    everything = await openThirdParty(reached.target, { roots: () => roots, sampling: true });
  });
  afterAll(async () => {
    await everything.close();
    await reached.close();
  });

  const call = (name: string, args: JsonObject = {}) => everything.result(toolCallOp(name, args));

  it(
    "declares its name, instructions and capabilities",
    { meta: { covers: ["R1.42", "R2.165", "R3.78", "R0.50", "R1.1", "R3.15"] } },
    () => {
      const { session, connection } = everything;
      expect(session).toMatchObject({ era: "legacy", version: "2025-11-25" });
      expect(session.serverInfo).toMatchObject({
        name: "mcp-servers/everything",
        instructions: expect.stringContaining("Everything Server"),
        capabilities: { tools: true, resources: true, prompts: true, completion: true, logging: true, subscribe: true },
      });
      expect(connection.state.phase).toBe("ready");
    },
  );

  it("answers a ping", async () => {
    await everything.session.ping(AbortSignal.timeout(10_000));
  });

  it(
    "lists its tools, including those that need roots or sampling",
    { meta: { covers: ["R1.42", "R2.165", "R3.78", "R3.12"] } },
    () => {
      const { tools, dropped } = everything.connection.catalog;
      expect(dropped).toEqual([]);
      expect(tools.map(({ name }) => name).toSorted()).toEqual([
        "echo",
        "get-annotated-message",
        "get-env",
        "get-resource-links",
        "get-resource-reference",
        "get-roots-list",
        "get-structured-content",
        "get-sum",
        "get-tiny-image",
        "gzip-file-as-resource",
        "simulate-research-query",
        "toggle-simulated-logging",
        "toggle-subscriber-updates",
        "trigger-elicitation-request",
        "trigger-long-running-operation",
        "trigger-sampling-request",
        "trigger-url-elicitation",
      ]);
      expect(tools.find(({ name }) => name === "get-structured-content")).toMatchObject({
        annotations: { readOnlyHint: true },
        inputSchema: { required: ["location"] },
        outputSchema: { required: ["temperature", "conditions", "humidity"] },
      });
    },
  );

  it(
    "answers each of many concurrent calls with its own result",
    { meta: { covers: ["R1.42", "R2.165", "R3.78", "R0.29", "R3.35"] } },
    async () => {
      const messages = Array.from({ length: 20 }, (_, at) => `message ${at} 🔌`);
      const results = await Promise.all(messages.map((message) => call("echo", { message })));
      expect(results.map(contentText)).toEqual(messages.map((message) => `Echo: ${message}`));
    },
  );

  it("accepts numbers as arguments", async () => {
    expect(contentText(await call("get-sum", { a: 0.5, b: 41.5 }))).toBe("The sum of 0.5 and 41.5 is 42.");
  });

  it(
    "returns an image between text blocks",
    { meta: { covers: ["R1.42", "R2.165", "R3.78", "R1.45", "R1.46", "R3.36"] } },
    async () => {
      const { content } = await call("get-tiny-image");
      expect(content).toMatchObject([
        { type: "text" },
        { type: "image", mimeType: "image/png", data: expect.stringMatching(/^iVBOR/) },
        { type: "text" },
      ]);
    },
  );

  it("returns annotated content", async () => {
    const { content } = await call("get-annotated-message", { messageType: "error", includeImage: true });
    expect(content).toMatchObject([
      { type: "text", annotations: { priority: 1, audience: ["user", "assistant"] } },
      { type: "image", annotations: { priority: 0.5, audience: ["user"] } },
    ]);
  });

  it("returns structured content", async () => {
    const weather = { temperature: 36, conditions: "Light rain / drizzle", humidity: 82 };
    const result = await call("get-structured-content", { location: "Chicago" });
    expect(result["structuredContent"]).toEqual(weather);
    expect(JSON.parse(contentText(result))).toEqual(weather);
  });

  it("returns links to readable resources", async () => {
    const { content } = await call("get-resource-links", { count: 2 });
    const [, blob, text] = content as { type: string; uri: string }[];
    expect([blob, text]).toMatchObject([{ type: "resource_link" }, { type: "resource_link" }]);
    const read = async (uri: string) =>
      (await everything.result({ method: "resources/read", params: { uri } }))["contents"];
    expect(await read(blob!.uri)).toMatchObject([{ uri: blob!.uri, blob: expect.any(String) }]);
    expect(await read(text!.uri)).toMatchObject([{ uri: text!.uri, text: expect.stringContaining("Resource 2") }]);
  });

  it("returns an embedded resource", { meta: { covers: ["R1.42", "R2.165", "R3.78", "R1.47", "R3.36"] } }, async () => {
    const { content } = await call("get-resource-reference", { resourceType: "Blob", resourceId: 7 });
    expect(content).toMatchObject([
      { type: "text" },
      { type: "resource", resource: { uri: "demo://resource/dynamic/blob/7", blob: expect.any(String) } },
      { type: "text" },
    ]);
  });

  it("returns an error result for invalid arguments", async () => {
    expect(await call("get-sum", { a: "one" })).toMatchObject({
      isError: true,
      content: [{ text: expect.stringContaining("-32602") }],
    });
  });

  it("reports the progress of a long call", async () => {
    const seen: Progress[] = [];
    const op = toolCallOp("trigger-long-running-operation", { duration: 0.2, steps: 4 });
    const result = await everything.result(op, { onProgress: (progress) => seen.push(progress) });
    expect(contentText(result)).toContain("completed");
    expect(seen).toMatchObject([1, 2, 3, 4].map((progress) => ({ progress, total: 4 })));
  });

  it(
    "accepts the cancellation of a call, and serves the next",
    { meta: { covers: ["R1.42", "R2.165", "R3.78", "R2.135", "R2.160"] } },
    async () => {
      const cancel = new AbortController();
      const op = toolCallOp("trigger-long-running-operation", { duration: 600, steps: 6000 });
      const error = await everything.failure(op, { signal: cancel.signal, onProgress: () => cancel.abort() });
      expect(error.code).toBe("CANCELLED");
      expect(contentText(await call("echo", { message: "still here" }))).toBe("Echo: still here");
    },
  );

  it(
    "lists its resources and reads one",
    { meta: { covers: ["R1.42", "R2.165", "R3.78", "R1.52", "R1.53"] } },
    async () => {
      const { resources } = await everything.result({ method: "resources/list", params: {} });
      expect(resources).toContainEqual(expect.objectContaining({ uri: STATIC, mimeType: "text/markdown" }));
      const { contents } = await everything.result({ method: "resources/read", params: { uri: STATIC } });
      expect(contents).toMatchObject([{ uri: STATIC, text: expect.stringMatching(/^# Everything Server/) }]);
    },
  );

  it(
    "lists its resource templates and reads their resources",
    { meta: { covers: ["R1.42", "R2.165", "R3.78", "R2.142"] } },
    async () => {
      const { resourceTemplates } = await everything.result({ method: "resources/templates/list", params: {} });
      expect(resourceTemplates).toMatchObject([
        { uriTemplate: TEMPLATE },
        { uriTemplate: "demo://resource/dynamic/blob/{resourceId}" },
      ]);
      const uri = TEMPLATE.replace("{resourceId}", "12");
      const { contents } = await everything.result({ method: "resources/read", params: { uri } });
      expect(contents).toMatchObject([{ text: expect.stringContaining("Resource 12") }]);
    },
  );

  it("fails to read an unknown resource", async () => {
    const error = await everything.failure({ method: "resources/read", params: { uri: "demo://nothing" } });
    expect(error).toMatchObject({ code: "REQUEST_FAILED", cause: { code: -32602 } });
  });

  it("reports updates of a subscribed resource only", async () => {
    const { session, logs } = everything;
    const watched = "demo://resource/dynamic/text/1";
    const seen: string[] = [];
    const listening = session.listen({ uris: [watched] }, (change) => {
      if (change.type === "resource") seen.push(change.uri);
    });
    const others: unknown[] = [];
    const elsewhere = session.listen({ uris: ["demo://resource/dynamic/text/2"] }, (change) => others.push(change));
    await logged(logs, "Received Subscribe Resource request for URI: demo://resource/dynamic/text/2");
    await call("toggle-subscriber-updates");
    await expect.poll(() => seen, { timeout: 10_000 }).toContain(watched);
    expect(others).not.toContainEqual({ type: "resource", uri: watched });

    await call("toggle-subscriber-updates");
    listening.stop();
    elsewhere.stop();
    await logged(logs, `Received Unsubscribe Resource request: ${watched}`);
  });

  it(
    "reports a change of its resources, and lists the new one",
    { meta: { covers: ["R1.42", "R2.165", "R3.78", "R2.147"] } },
    async () => {
      const { session } = everything;
      const changes: string[] = [];
      const listening = session.listen({ resources: true }, (change) => changes.push(change.type));
      const { content } = await call("gzip-file-as-resource", { name: "note.gz", data: "data:text/plain,hello" });
      expect(content).toMatchObject([{ type: "resource_link", mimeType: "application/gzip" }]);
      await expect.poll(() => changes, { timeout: 10_000 }).toContain("resources");
      listening.stop();

      const [{ uri }] = content as [{ uri: string }];
      const { resources } = await everything.result({ method: "resources/list", params: {} });
      expect(resources).toContainEqual(expect.objectContaining({ uri }));
      const { contents } = await everything.result({ method: "resources/read", params: { uri } });
      const [{ blob }] = contents as [{ blob: string }];
      expect(gunzipSync(Buffer.from(blob, "base64")).toString()).toBe("hello");
    },
  );

  it(
    "lists its prompts and gets them, with and without arguments",
    { meta: { covers: ["R1.42", "R2.165", "R3.78", "R2.143", "R2.144"] } },
    async () => {
      const { prompts } = await everything.result({ method: "prompts/list", params: {} });
      expect((prompts as { name: string }[]).map(({ name }) => name).toSorted()).toEqual([
        "args-prompt",
        "completable-prompt",
        "resource-prompt",
        "simple-prompt",
      ]);
      const get = (name: string, args?: { readonly [name: string]: string }) =>
        everything.result({ method: "prompts/get", params: { name, ...(args && { arguments: args }) } });
      expect(await get("simple-prompt")).toMatchObject({ messages: [{ role: "user" }] });
      expect(await get("args-prompt", { city: "Zürich", state: "ZH" })).toMatchObject({
        messages: [{ content: { text: "What's weather in Zürich, ZH?" } }],
      });
      expect(await get("resource-prompt", { resourceType: "Text", resourceId: "3" })).toMatchObject({
        messages: [{}, { content: { type: "resource", resource: { uri: "demo://resource/dynamic/text/3" } } }],
      });
    },
  );

  it("rejects a prompt without its required argument", async () => {
    const error = await everything.failure({ method: "prompts/get", params: { name: "args-prompt" } });
    expect(error).toMatchObject({ code: "REQUEST_FAILED", cause: { code: -32602 } });
  });

  it(
    "completes a prompt argument depending on the other argument",
    { meta: { covers: ["R1.42", "R2.165", "R3.78", "R2.25"] } },
    async () => {
      const ref = { type: "ref/prompt", name: "completable-prompt" } as const;
      const department = { ref, argument: { name: "department", value: "S" } };
      expect(await everything.result({ method: "completion/complete", params: department })).toMatchObject({
        completion: { values: ["Sales", "Support"] },
      });
      const name = { ref, argument: { name: "name", value: "" }, context: { arguments: { department: "Sales" } } };
      expect(await everything.result({ method: "completion/complete", params: name })).toMatchObject({
        completion: { values: ["David", "Eve", "Frank"] },
      });
    },
  );

  it("completes a variable of a resource template", async () => {
    const ref = { type: "ref/resource", uri: TEMPLATE } as const;
    const complete = (value: string) =>
      everything.result({ method: "completion/complete", params: { ref, argument: { name: "resourceId", value } } });
    expect(await complete("12")).toMatchObject({ completion: { values: ["12"] } });
    expect(await complete("x")).toMatchObject({ completion: { values: [] } });
  });

  it("gets the roots, and the new ones after a change", async () => {
    const { session, logs } = everything;
    // The server requests the roots some time after the handshake, or on first use.
    expect(contentText(await call("get-roots-list"))).toContain("1. here\n   URI: file:///here");
    roots = [HERE, THERE];
    session.notifyRootsChanged();
    await logged(logs, "Roots updated: 2 root(s)");
    expect(contentText(await call("get-roots-list"))).toContain("2. there\n   URI: file:///there");
  });

  it("can request sampling during a call", async () => {
    const { ask, answer } = expectOneRequest(
      await everything.request(toolCallOp("trigger-sampling-request", { prompt: "Say hi" })),
    );
    expect(ask).toMatchObject({
      type: "sampling",
      rawParams: { maxTokens: 100, messages: [{ content: { text: expect.stringContaining("Say hi") } }] },
    });
    const result = { role: "assistant", model: "tested", content: { type: "text", text: "hi" } };
    expect(contentText(completed(await answer({ action: "sampled", result })))).toContain('"model": "tested"');
  });

  it("gets an error if sampling is rejected", async () => {
    const { answer } = expectOneRequest(
      await everything.request(toolCallOp("trigger-sampling-request", { prompt: "Say hi" })),
    );
    expect(completed(await answer({ action: "decline" }))).toMatchObject({
      isError: true,
      content: [{ text: expect.stringContaining("rejected") }],
    });
  });

  it("asks the user to fill in a form with every kind of field", async () => {
    const { ask, answer } = expectOneRequest(await everything.request(toolCallOp("trigger-elicitation-request")));
    if (ask.type !== "elicitation" || ask.elicitation.mode !== "form") throw new Error("expected a form");
    const { fields } = ask.elicitation;
    expect(Object.fromEntries(fields.map(({ name, type }) => [name, type]))).toEqual({
      name: "string",
      check: "boolean",
      firstLine: "string",
      email: "string",
      homepage: "string",
      birthdate: "string",
      integer: "integer",
      number: "number",
      untitledSingleSelectEnum: "choice",
      untitledMultipleSelectEnum: "choices",
      titledSingleSelectEnum: "choice",
      titledMultipleSelectEnum: "choices",
      legacyTitledEnum: "choice",
    });
    const content = { name: "Ann", check: true, integer: 7, titledMultipleSelectEnum: ["fish-2"] };
    const text = contentText(completed(await answer({ action: "accept", content })));
    expect(text).toContain("- Name: Ann\n- Agreed to terms: true\n- Favorite Integer: 7");
    expect(JSON.parse(/Raw result: ([^]*)$/.exec(text)![1]!)).toEqual({ action: "accept", content });
  });

  it.each([
    ["decline", "User declined"],
    ["cancel", "User cancelled"],
  ] as const)("gets the answer %s of the user", async (action, said) => {
    const { answer } = expectOneRequest(await everything.request(toolCallOp("trigger-elicitation-request")));
    expect(contentText(completed(await answer({ action })))).toContain(said);
  });

  it("asks the user to visit a page", async () => {
    const url = "https://example.com/consent";
    const op = toolCallOp("trigger-url-elicitation", { url, message: "Please look", elicitationId: "e-1" });
    const { ask, answer } = expectOneRequest(await everything.request(op));
    expect(ask).toMatchObject({ elicitation: { mode: "url", url, message: "Please look", elicitationId: "e-1" } });
    expect(contentText(completed(await answer({ action: "accept" })))).toContain(
      "User completed the URL elicitation flow",
    );
  });

  it("rejects a call until a page was visited, then runs it", async () => {
    const url = "https://example.com/second";
    const op = toolCallOp("trigger-url-elicitation", { url, errorPath: true });
    // The server never reports the visit, so the host sends the call again after a timeout.
    const first = expectOneRequest(await everything.request(op, { timeoutMs: 1500 }));
    expect(first.ask).toMatchObject({ elicitation: { mode: "url", url: "https://modelcontextprotocol.io" } });
    const second = expectOneRequest(await first.answer({ action: "accept" }));
    expect(second.ask).toMatchObject({ elicitation: { mode: "url", url } });
    expect(contentText(completed(await second.answer({ action: "accept" })))).toContain(`URL: ${url}`);
  });

  it("sends log entries of the requested level and above", async () => {
    const { session, logs } = everything;
    const echo = toolCallOp("echo", { message: "hi" });
    const seen: unknown[] = [];
    const watch = (uri: string) => session.listen({ uris: [uri] }, (change) => seen.push(change));
    await everything.result(echo, { logLevel: "error" });
    const quietly = watch("demo://resource/dynamic/text/101");
    await session.ping(AbortSignal.timeout(10_000));
    // The server logs the subscription before it takes effect.
    await call("toggle-subscriber-updates");
    await expect.poll(() => seen, { timeout: 10_000 }).toHaveLength(1);
    await call("toggle-subscriber-updates");
    await everything.result(echo, { logLevel: "debug" });
    const loudly = watch("demo://resource/dynamic/text/102");
    await logged(logs, "dynamic/text/102");
    expect(said(logs)).not.toContain("dynamic/text/101");
    quietly.stop();
    loudly.stop();
  });

  it("sends log entries outside of calls", async () => {
    const { logs } = everything;
    await everything.result(toolCallOp("toggle-simulated-logging"), { logLevel: "debug" });
    await logged(logs, /(-level message|Alert level-message)/);
    await call("toggle-simulated-logging");
  });

  it("runs a task-only tool to its end, asks its question, and reports its steps as progress", async () => {
    const steps: Progress[] = [];
    const op = toolCallOp("simulate-research-query", { topic: "plugs", ambiguous: true });
    const task = await everything.request(op, { onProgress: (progress) => void steps.push(progress) });
    if (task.type !== "task") throw new Error(JSON.stringify(task));
    const { answer } = expectOneRequest(await task.follow({}));
    const result = completed(await answer({ action: "accept", content: { interpretation: "technical" } }));
    expect(contentText(result)).toContain("plugs (technical)");
    expect(steps.map(({ message }) => message)).toEqual(
      expect.arrayContaining(["Gathering sources...", "Generating report..."]),
    );
    expect(steps.map(({ progress }) => progress)).toEqual(steps.map((_, index) => index + 1));
  });

  it("asks no question outside of calls", () => {
    expect(everything.unattributed).toEqual([]);
  });
});

it(
  "server-everything is connected over HTTP+SSE if its http URL supports nothing else",
  { meta: { covers: ["R3.17"] } },
  async () => {
    const { target, close } = await overUrl("http", startEverythingSse)();
    const everything = await openThirdParty(target, {});
    try {
      expect(contentText(await everything.result(toolCallOp("echo", { message: "found" })))).toBe("Echo: found");
    } finally {
      await everything.close();
      await close();
    }
  },
);

it("server-everything gets a new session after a restart, although it answers 400 for the old session", async () => {
  const first = await startEverythingHttp();
  const everything = await openThirdParty({ transport: "http", url: first.url, headers: {} }, {});
  try {
    await first.close();
    const second = await startEverythingHttp(Number(new URL(first.url).port));
    try {
      expect(contentText(await everything.result(toolCallOp("echo", { message: "again" })))).toBe("Echo: again");
    } finally {
      await second.close();
    }
  } finally {
    await everything.close();
  }
});

describe("server-everything with a client that has no features", () => {
  let everything: ThirdPartyServer;
  beforeAll(async () => {
    process.env["PLUGBOARD_TEST_CANARY"] = "canary";
    everything = await openThirdParty(stdioTarget({ GIVEN: "yes" }));
  });
  afterAll(() => everything.close());

  it("sees only the configured environment", { meta: { covers: ["R0.9"] } }, async () => {
    const env = contentText(await everything.result(toolCallOp("get-env")));
    expect(JSON.parse(env)).toMatchObject({ GIVEN: "yes", PATH: expect.any(String) });
    expect(env).not.toContain("canary");
  });

  it("offers no tool that needs the roots or the model", () => {
    const names = everything.connection.catalog.tools.map(({ name }) => name);
    expect(names).not.toContain("get-roots-list");
    expect(names).not.toContain("trigger-sampling-request");
    expect(names).toContain("trigger-elicitation-request");
  });
});

async function logged(logs: ThirdPartyServer["logs"], text: string | RegExp): Promise<void> {
  await expect.poll(() => said(logs), { timeout: 10_000 }).toMatch(text);
}

function said(logs: ThirdPartyServer["logs"]): string {
  return logs.map(({ data }) => JSON.stringify(data)).join("\n");
}
