/**
 * Tests sampling and its limits, over stdio and in process, in both eras of the protocol: legacy (up to 2025-11-25) and
 * modern (2026-07-28).
 */
import { askUser } from "#calls/ask-user.js";
import { runToCompletion } from "#calls/run-to-completion.js";
import { Sampling } from "#calls/sampling.js";
import type { ModelPort, SamplingLimits } from "#calls/sampling.js";
import { QuestionInbox } from "#inbox/question-inbox.js";
import type { Answer, HostEventData, JsonObject, Question } from "@plugboard/contracts";
import { systemClock } from "@plugboard/contracts";
import type { AskAnswer } from "@plugboard/mcp";
import { everythingStdio, modernDualStdio, modernStdio, scriptedLegacy } from "@plugboard/testkit/start-server";
import { describe, expect, it } from "vitest";
import { ann, resourcePromptTestServer, connectServers, stdioServer } from "../helpers/connect-servers.ts";
import type { ConnectServersOptions, TestServer } from "../helpers/connect-servers.ts";

const GIVEN = { role: "assistant", content: { type: "text", text: "Once upon a time" }, model: "tale-1" };
const yes = (): Answer => ({ type: "sampling", decision: "yes" });
const no = (): Answer => ({ type: "sampling", decision: "no" });
const REQUEST = { messages: [{ role: "user", content: { type: "text", text: "Say something" } }], maxTokens: 10 };

/** Calls a tool like the host does: declares sampling if it is allowed, and answers the server's questions. */
async function callTool(server: TestServer, tool: string, args: JsonObject, options: ConnectServersOptions) {
  const { connection, ports, events } = connectServers({ a: server }, options);
  const isAllowed = server.sampling === true;
  const sampling = (isAllowed && ports.sampling?.supportFor(ann)) ?? false;
  const outcome = await connection("a").request(
    { method: "tools/call", params: { name: tool, arguments: args } },
    { caller: ann, timeoutMs: 15_000, maxMs: 60_000, elicitation: true, sampling },
  );
  const ask = askUser({ owner: ann, server: "a", tool }, isAllowed, ports);
  return { ended: await runToCompletion(outcome, { ask }), events };
}

interface Case {
  readonly name: string;
  readonly server: () => TestServer;
  readonly tool: string;
  readonly refused: string;
}

const cases: Case[] = [
  { name: "a modern server", server: () => stdioServer(modernStdio()), tool: "ask_model", refused: "SAMPLING_REFUSED" },
  {
    name: "a modern server in the legacy era",
    server: () => ({
      ...stdioServer(modernDualStdio()),
      overrides: { eraStore: { get: () => "legacy", set: () => {} } },
    }),
    tool: "ask_model",
    refused: "User rejected sampling request",
  },
  {
    name: "server-everything",
    server: () => stdioServer(everythingStdio()),
    tool: "trigger-sampling-request",
    refused: "User rejected sampling request",
  },
  {
    name: "a scripted legacy server",
    server: () => stdioServer(scriptedLegacy()),
    tool: "ask_sampling",
    refused: "User rejected sampling request",
  },
];

describe("sampling", () => {
  describe.each(cases.map((one) => [one.name, one] as const))("%s that may sample", (_, { server, tool, refused }) => {
    const args = { prompt: "Say something" };
    const allowed = () => ({ ...server(), sampling: true });

    it("gets the model's result after the user has agreed", async () => {
      const asked: Question[] = [];
      const requests: unknown[] = [];
      const { ended } = await callTool(allowed(), tool, args, {
        answer: (question) => {
          asked.push(question);
          return yes();
        },
        model: async (request, { server: by }) => {
          requests.push([request, by]);
          return GIVEN;
        },
      });
      expect(ended.type).toBe("complete");
      expect(JSON.stringify(ended)).toContain("Once upon a time");
      expect(asked).toMatchObject([{ type: "sampling", owner: ann, server: "a", tool }]);
      const [question] = asked as Extract<Question, { type: "sampling" }>[];
      expect(JSON.stringify(question?.request)).toContain("Say something");
      expect(requests).toEqual([[question?.request, "a"]]);
    });

    it("is refused when the user says no, and the model is not called", async () => {
      let requests = 0;
      const { ended } = await callTool(allowed(), tool, args, {
        answer: no,
        model: async () => (requests++, GIVEN),
      });
      expect(JSON.stringify(ended)).toContain(refused);
      expect(requests).toBe(0);
    });
  });

  describe("server that may not sample", () => {
    it.each([
      ["because its definition does not allow it", {}, { answer: yes, model: async () => GIVEN }],
      ["because the program has no model", { sampling: true }, { answer: yes }],
      ["because nobody can be asked", { sampling: true }, { model: async () => GIVEN }],
    ])("is not offered sampling in the modern era, %s", async (_, also, options) => {
      const { ended } = await callTool(
        { ...stdioServer(modernStdio()), ...also },
        "ask_model",
        { prompt: "x" },
        options,
      );
      expect(ended).toMatchObject({ type: "failed", error: { cause: { code: -32021 } } });
    });

    it("gets `method not found` in the legacy era", async () => {
      const { ended } = await callTool(
        stdioServer(scriptedLegacy()),
        "ask_sampling",
        {},
        { answer: yes, model: async () => GIVEN },
      );
      expect(JSON.stringify(ended)).toContain("-32601");
    });
  });

  describe("resource that needs sampling", () => {
    const model: ModelPort = async () => GIVEN;

    it("is read in the legacy era, and the model gets the tools of the sampling request", async () => {
      const tools = [{ name: "look", inputSchema: { type: "object" } }];
      const requests: JsonObject[] = [];
      const story = async (server: { createMessage(request: never): Promise<unknown> }) => ({
        contents: [{ text: JSON.stringify(await server.createMessage({ ...REQUEST, tools } as never)) }],
      });
      const { resources } = connectServers(
        { a: { ...resourcePromptTestServer({ resources: { "x://story": story } }), sampling: true } },
        { answer: yes, model: async (request) => (requests.push(request), GIVEN) },
      );
      const [contents] = await resources.read("a", "x://story", { caller: ann });
      expect(contents).toMatchObject({ text: expect.stringContaining("Once upon a time") as string });
      expect(requests).toMatchObject([{ tools }]);
    });

    it("is read in the modern era", async () => {
      const { resources } = connectServers(
        { a: { ...stdioServer(modernStdio()), sampling: true } },
        { answer: yes, model },
      );
      const [contents] = await resources.read("a", "story://sampled", { caller: ann });
      expect(contents).toMatchObject({ text: expect.stringContaining("Once upon a time") as string });
    });

    it("can't be read in the modern era if the server may not sample", async () => {
      const { resources } = connectServers({ a: stdioServer(modernStdio()) }, { answer: yes, model });
      await expect(resources.read("a", "story://sampled", { caller: ann })).rejects.toMatchObject({
        code: "REQUEST_FAILED",
        cause: { code: -32021 },
      });
    });
  });

  /** Sends the sampling requests of one server directly to `Sampling`. */
  function setupSampling(
    options: { model?: ModelPort; answer?: () => Answer | undefined; limits?: Partial<SamplingLimits> } = {},
  ) {
    const { model = async () => GIVEN, answer = yes, limits = {} } = options;
    const events: HostEventData[] = [];
    const emit = (event: HostEventData) => void events.push(event);
    const inbox = new QuestionInbox({ clock: systemClock, newId: () => crypto.randomUUID(), emit });
    inbox.onQuestion(({ id }) => {
      const given = answer();
      if (given) queueMicrotask(() => inbox.answer(id, given, ann));
    });
    const ports = { inbox, emit, attended: () => true };
    const sampling = new Sampling({ ...ports, modelFor: () => model, limits });
    const call = () => askUser({ owner: ann, server: "a", tool: "t" }, true, { ...ports, sampling });
    const requestSampling = (
      ask: ReturnType<typeof call>,
      rawParams: JsonObject = REQUEST,
      signal = new AbortController().signal,
    ) => ask({ type: "sampling", rawParams }, signal);
    return { call, requestSampling, events, inbox };
  }

  const SAMPLED: AskAnswer = { action: "sampled", result: GIVEN };
  const REFUSED: AskAnswer = { action: "cancel" };

  describe("sampling request", () => {
    it("reaches the model unchanged, including its tools", async () => {
      const raw = {
        ...REQUEST,
        tools: [{ name: "look", inputSchema: { type: "object" } }],
        toolChoice: { mode: "auto" },
      };
      const requests: JsonObject[] = [];
      const content = [{ type: "tool_use", id: "1", name: "look", input: {} }];
      const result = { ...GIVEN, content, stopReason: "toolUse" };
      const { call, requestSampling } = setupSampling({ model: async (request) => (requests.push(request), result) });
      expect(await requestSampling(call(), raw)).toEqual({ action: "sampled", result });
      expect(requests).toEqual([raw]);
    });

    it("is refused without a question if it is too large", async () => {
      const { call, requestSampling, events } = setupSampling({ limits: { maxCharacters: 100 } });
      expect(await requestSampling(call(), { messages: ["m".repeat(100)] })).toEqual(REFUSED);
      expect(events).toEqual([
        {
          type: "sampling.refused",
          server: "a",
          tool: "t",
          reason: "its sampling request was longer than 100 characters",
        },
      ]);
    });

    it("is refused without a question after ten requests in one call", async () => {
      const { call, requestSampling, events } = setupSampling();
      const first = call();
      for (let count = 0; count < 10; count++) expect(await requestSampling(first)).toEqual(SAMPLED);
      expect(await requestSampling(first)).toEqual(REFUSED);
      expect(events.at(-1)).toMatchObject({
        type: "sampling.refused",
        reason: "it made more than 10 sampling requests in one call",
      });
      expect(await requestSampling(call())).toEqual(SAMPLED);
    });

    it("is refused without a question while four requests of the same server are open", async () => {
      const answers: (() => void)[] = [];
      let allAtIt = () => {};
      const four = new Promise<void>((resolve) => (allAtIt = resolve));
      const { call, requestSampling, events } = setupSampling({
        model: async () => {
          if (answers.length === 4) return GIVEN;
          const answered = new Promise<void>((resolve) => answers.push(resolve));
          if (answers.length === 4) allAtIt();
          await answered;
          return GIVEN;
        },
      });
      const running = Array.from({ length: 4 }, () => requestSampling(call()));
      expect(await requestSampling(call())).toEqual(REFUSED);
      expect(events).toContainEqual({
        type: "sampling.refused",
        server: "a",
        tool: "t",
        reason: "it made more than 4 sampling requests at once",
      });
      await four;
      expect(await requestSampling(call())).toEqual(REFUSED);
      for (const answer of answers) answer();
      expect(await Promise.all(running)).toEqual([SAMPLED, SAMPLED, SAMPLED, SAMPLED]);
      expect(await requestSampling(call())).toEqual(SAMPLED);
    });

    it("has its question withdrawn when it is cancelled", async () => {
      const { call, requestSampling, events, inbox } = setupSampling({ answer: () => undefined });
      const gone = new AbortController();
      const wished = requestSampling(call(), REQUEST, gone.signal);
      expect(inbox.list(ann)).toHaveLength(1);
      gone.abort();
      expect(await wished).toEqual(REFUSED);
      expect(events.at(-1)).toMatchObject({ type: "question.settled", settlement: { by: "withdrawn" } });
    });

    it("ends at once when it is cancelled, and aborts the model's signal", async () => {
      let aborted = false;
      const gone = new AbortController();
      const { call, requestSampling, events } = setupSampling({
        model: (_, { signal }) => {
          signal.addEventListener("abort", () => (aborted = true));
          queueMicrotask(() => gone.abort());
          return new Promise(() => {});
        },
      });
      expect(await requestSampling(call(), REQUEST, gone.signal)).toEqual(REFUSED);
      expect(aborted).toBe(true);
      expect(events.some(({ type }) => type === "port.failed")).toBe(false);
    });
  });

  describe("failing model", () => {
    const circle: JsonObject = { ...GIVEN };
    circle["self"] = circle;
    it.each<[string, () => unknown, string]>([
      ["is reported if it rejects", () => Promise.reject(new Error("no credit")), "no credit"],
      [
        "is reported if it throws",
        () => {
          throw new Error("no credit");
        },
        "no credit",
      ],
      ["is reported if it returns nothing", () => Promise.resolve(undefined), "the result is not an object"],
      [
        "is reported if the role is invalid",
        () => Promise.resolve({ ...GIVEN, role: "system" }),
        '"role" must be assistant or user',
      ],
      [
        "is reported if the result has no model name",
        () => Promise.resolve({ ...GIVEN, model: undefined }),
        '"model" must be the name of the model',
      ],
      [
        "is reported if the result has no content",
        () => Promise.resolve({ ...GIVEN, content: [] }),
        '"content" must be a content block',
      ],
      [
        "is reported if the content is not a block",
        () => Promise.resolve({ ...GIVEN, content: "text" }),
        '"content" must be a content block',
      ],
      ["is reported if the result is not JSON", () => Promise.resolve(circle), "circular"],
    ])("%s", async (_, model, what) => {
      const { call, requestSampling, events } = setupSampling({ model: model as ModelPort });
      expect(await requestSampling(call())).toEqual(REFUSED);
      expect(events.at(-1)).toMatchObject({
        type: "port.failed",
        port: "model",
        error: { code: "PORT_FAILED", details: { port: "model", reason: expect.stringContaining(what) as string } },
      });
    });
  });

  it("a sampling question accepts only yes or no", async () => {
    const { call, requestSampling, inbox } = setupSampling({ answer: () => undefined });
    const wished = requestSampling(call());
    const [question] = inbox.list(ann);
    const say = (answer: unknown) => () => inbox.answer(question!.id, answer as Answer, ann);
    expect(say({ type: "sampling", decision: "always" })).toThrow('"decision" must be yes or no');
    expect(say({ type: "elicitation", action: "accept" })).toThrow("the question is of type sampling");
    say(yes())();
    expect(await wished).toEqual(SAMPLED);
  });
});
