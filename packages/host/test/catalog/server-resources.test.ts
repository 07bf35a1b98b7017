/** Tests listing resources across servers, and reading one of them. */
import { Server } from "@modelcontextprotocol/sdk/server/index.js";
import { HostError } from "@plugboard/contracts";
import type { Question } from "@plugboard/contracts";
import { modernStdio } from "@plugboard/testkit/start-server";
import { describe, expect, it } from "vitest";
import { ManualClock } from "../../../contracts/test/helpers/manual-clock.ts";
import {
  ann,
  bob,
  inProcessServer,
  resourcePromptTestServer,
  connectServers,
  stdioServer,
} from "../helpers/connect-servers.ts";
import type { TestServer } from "../helpers/connect-servers.ts";

const note = (text: string) => ({ contents: [{ uri: "x://note", text }] });

describe("ServerResources.list across all servers", () => {
  it(
    "returns the lists of 19 of 20 servers after five seconds, and all 20 once the slow server has answered",
    { meta: { covers: ["F32"] } },
    async () => {
      let letSlowServerAnswer = () => {};
      const listAfter = new Promise<void>((resolve) => (letSlowServerAnswer = resolve));
      const ids = Array.from({ length: 20 }, (_, index) => `s${index}`);
      const slow = resourcePromptTestServer({ resources: { "x://s7": note("late") }, listAfter });
      const servers = ids.map((id) => [
        id,
        id === "s7" ? slow : resourcePromptTestServer({ resources: { [`x://${id}`]: note(id) } }),
      ]);
      const clock = new ManualClock();
      const { resources, connection } = connectServers(Object.fromEntries(servers) as { [id: string]: TestServer }, {
        clock,
      });

      const listing = resources.list();
      await Promise.all(ids.filter((id) => id !== "s7").map((id) => connection(id).resources()));
      clock.advance(5000);
      const { resources: found, errors } = await listing;
      expect(found.map(({ server }) => server)).toEqual(ids.filter((id) => id !== "s7"));
      expect(errors).toMatchObject({
        s7: { code: "REQUEST_TIMEOUT", details: { server: "s7", method: "resources/list", afterMs: 5000 } },
      });
      expect(Object.keys(errors)).toEqual(["s7"]);

      letSlowServerAnswer();
      await connection("s7").resources();
      const complete = await resources.list();
      expect(complete.resources.map(({ server }) => server)).toEqual(ids);
      expect(complete.errors).toEqual({});
      expect(slow.receivedMethods).toEqual(["resources/list"]);
    },
  );

  it("returns as soon as all servers have answered, and leaves no timer behind", async () => {
    const clock = new ManualClock();
    const { resources } = connectServers(
      { a: resourcePromptTestServer({ resources: { "x://a": note("a") } }) },
      { clock },
    );
    expect(await resources.list()).toEqual({ resources: [{ server: "a", uri: "x://a", name: "a" }], errors: {} });
    expect(clock.pendingTimers).toBe(0);
  });

  it("reports a failed server under its id in the workspace, and skips a disabled server", async () => {
    const broken: TestServer = {
      target: { transport: "stdio", command: "/nonexistent/server", args: [], cwd: process.cwd(), env: {} },
    };
    const { resources } = connectServers({
      a: resourcePromptTestServer({ resources: { "x://a": note("a") } }),
      broken,
      off: { ...resourcePromptTestServer({ resources: { "x://off": note("off") } }), disabled: true },
    });
    const { resources: found, errors } = await resources.list();
    expect(found).toMatchObject([{ server: "a" }]);
    expect(errors).toMatchObject({ broken: { code: "SERVER_SPAWN_FAILED", details: { server: "broken" } } });
    expect(Object.keys(errors)).toEqual(["broken"]);
  });

  it("reports invalid entries of a list as dropped", async () => {
    const { resources } = connectServers({
      a: resourcePromptTestServer({
        templates: [{ uriTemplate: "x://{id}", name: "one" }, { name: "has no address" }],
      }),
    });
    expect(await resources.templates()).toEqual({
      templates: [{ server: "a", uriTemplate: "x://{id}", name: "one" }],
      errors: {},
      dropped: [{ server: "a", name: "#2", reason: "it has no uriTemplate" }],
    });
  });

  it("does not start a lazy server whose list is cached", async () => {
    const cached = {
      tools: { tools: [], dropped: [] },
      resources: { items: [{ uri: "x://k", name: "k" }], dropped: [] },
    };
    const lazy = resourcePromptTestServer({ resources: { "x://other": note("other") } });
    const overrides = {
      start: "lazy",
      catalogStore: { get: () => cached, set: () => {}, storedAt: () => undefined },
    } as const;
    const { resources, connection } = connectServers({ lazy: { ...lazy, overrides } });
    expect(await resources.list()).toMatchObject({ resources: [{ server: "lazy", uri: "x://k" }] });
    expect(connection("lazy").state.phase).toBe("idle");
  });

  it("rejects with CANCELLED when the caller aborts", async () => {
    const hanging = resourcePromptTestServer({ resources: { "x://a": note("a") }, listAfter: new Promise(() => {}) });
    const clock = new ManualClock();
    const { resources } = connectServers({ hanging }, { clock });
    const abort = new AbortController();
    const listing = resources.list({ signal: abort.signal });
    abort.abort();
    await expect(listing).rejects.toMatchObject({ code: "CANCELLED" });
    await expect(resources.list({ signal: abort.signal })).rejects.toMatchObject({ code: "CANCELLED" });
    expect(clock.pendingTimers).toBe(0);
  });
});

describe("ServerResources.list of one server", () => {
  it("sends no request to other servers", async () => {
    const b = resourcePromptTestServer({ resources: { "x://b": note("b") } });
    const { resources } = connectServers({ a: resourcePromptTestServer({ resources: { "x://a": note("a") } }), b });
    expect(await resources.list({ server: "a" })).toMatchObject({ resources: [{ server: "a", uri: "x://a" }] });
    expect(b.receivedMethods).toEqual([]);
  });

  it.each(["list", "templates"] as const)(
    "reports the error of a server that does not support `%s`",
    async (method) => {
      const server = new Server({ name: "bare", version: "1.0.0" }, { capabilities: { resources: {} } });
      const { resources } = connectServers({ a: inProcessServer(server) });
      const { errors } = await resources[method]({ server: "a" });
      expect(errors).toMatchObject({ a: { code: "REQUEST_FAILED", details: { server: "a", code: -32601 } } });
      expect(await resources[method]()).toMatchObject({ errors });
    },
  );

  it.each([
    ["unknown", "SERVER_UNKNOWN"],
    ["disabled", "SERVER_DISABLED"],
  ])("rejects if the server is %s", async (server, code) => {
    const { resources } = connectServers({ disabled: { ...resourcePromptTestServer({}), disabled: true } });
    await expect(resources.list({ server })).rejects.toMatchObject({ code, details: { server } });
  });
});

describe("ServerResources.read", () => {
  it("returns text and binary contents, and fills in a missing URI", async () => {
    const parts = [{ uri: "x://a/1", mimeType: "text/plain", text: "one" }, { blob: "AAEC" }];
    const { resources } = connectServers({
      a: resourcePromptTestServer({ resources: { "x://a": { contents: parts } } }),
    });
    expect(await resources.read("a", "x://a", { caller: ann })).toEqual([parts[0], { uri: "x://a", blob: "AAEC" }]);
  });

  it("passes on the server's error, with the server's id in the workspace", async () => {
    const { resources } = connectServers({ a: resourcePromptTestServer({}) });
    const failure = await resources.read("a", "x://none", { caller: ann }).catch((error: unknown) => error);
    expect(failure).toBeInstanceOf(HostError);
    expect(failure).toMatchObject({
      code: "REQUEST_FAILED",
      details: { server: "a", method: "resources/read" },
      cause: { code: -32002, message: expect.stringContaining("no resource x://none") as string },
    });
  });

  it.each([
    ["a result without contents", {}, 'resources/read has no list of "contents"'],
    [
      "contents with neither text nor blob",
      { contents: [{ uri: "x://a" }] },
      'part 1 of the resource has neither "text" nor "blob"',
    ],
  ])("rejects %s", async (_, result, reason) => {
    const { resources } = connectServers({ a: resourcePromptTestServer({ resources: { "x://a": result } }) });
    await expect(resources.read("a", "x://a", { caller: ann })).rejects.toMatchObject({
      code: "UNEXPECTED_RESPONSE",
      details: { server: "a", reason },
    });
  });

  it("rejects an empty URI without a request to a server", async () => {
    const a = resourcePromptTestServer({});
    const { resources } = connectServers({ a });
    await expect(resources.read("a", "", { caller: ann })).rejects.toMatchObject({ code: "INVALID_ARGUMENTS" });
    expect(a.receivedMethods).toEqual([]);
  });

  it("rejects with CANCELLED when the caller aborts", async () => {
    const { resources } = connectServers({
      a: resourcePromptTestServer({ resources: { "x://a": () => new Promise(() => {}) } }),
    });
    const abort = new AbortController();
    const reading = resources.read("a", "x://a", { caller: ann, signal: abort.signal });
    abort.abort();
    await expect(reading).rejects.toMatchObject({ code: "CANCELLED" });
  });
});

const FORM = {
  message: "Password?",
  requestedSchema: { type: "object", properties: { password: { type: "string" } } },
};
type ReadHandler = (server: { elicitInput(params: never): Promise<unknown> }) => Promise<ReturnType<typeof note>>;
/** A resource that asks for a password before it is read. */
const diary: ReadHandler = async (server) =>
  note(`opened with ${JSON.stringify(await server.elicitInput(FORM as never))}`);
const serverWithDiary = () => resourcePromptTestServer({ resources: { "locked://diary": diary } });

describe.each([
  ["legacy", serverWithDiary],
  ["modern", () => stdioServer(modernStdio())],
])("ServerResources.read from a %s server that asks the user first", (_, server) => {
  it("asks the caller, and returns the contents after the answer", async () => {
    const asked: Question[] = [];
    const { resources } = connectServers(
      { a: server() },
      {
        answer: (question) => {
          asked.push(question);
          return { type: "elicitation", action: "accept", content: { password: "sesame" } };
        },
      },
    );
    const [contents] = await resources.read("a", "locked://diary", { caller: bob });
    expect(contents).toMatchObject({ text: expect.stringContaining('"password":"sesame"') as string });
    expect(asked).toMatchObject([
      { type: "elicitation", owner: bob, server: "a", elicitation: { message: "Password?" } },
    ]);
    expect(asked[0]).not.toHaveProperty("tool");
  });
});

it("ServerResources.read emits question.unattended when the server asks and nobody can answer", async () => {
  const { resources, events } = connectServers({ a: serverWithDiary() });
  const [contents] = await resources.read("a", "locked://diary", { caller: ann });
  expect(contents).toMatchObject({ text: 'opened with {"action":"cancel"}' });
  expect(events).toMatchObject([{ type: "question.unattended", owner: ann, server: "a", message: "Password?" }]);
});

describe("ServerResources.read by two callers, from a server whose questions name no request", () => {
  it("sends the second read after the question of the first is answered", async () => {
    let answer = () => {};
    const answered = new Promise<void>((resolve) => (answer = resolve));
    let reportQuestion = () => {};
    const asked = new Promise<void>((resolve) => (reportQuestion = resolve));
    const a = resourcePromptTestServer({ resources: { "x://diary": diary, "x://plain": note("plain") } });
    const { resources } = connectServers(
      { a },
      {
        answer: async () => {
          reportQuestion();
          await answered;
          return { type: "elicitation", action: "decline" };
        },
      },
    );
    const annsRead = resources.read("a", "x://diary", { caller: ann });
    await asked;
    const bobsRead = resources.read("a", "x://plain", { caller: bob });
    // If Bob's read did not wait, the server would have received it before this list.
    await resources.list();
    expect(a.receivedMethods).toEqual(["resources/read", "resources/list"]);
    answer();
    expect(await annsRead).toMatchObject([{ text: 'opened with {"action":"decline"}' }]);
    expect(await bobsRead).toMatchObject([{ text: "plain" }]);
  });

  it("does not make the other caller wait after a read that was answered from the cache", async () => {
    const a = resourcePromptTestServer({
      resources: { "x://diary": diary, "x://kept": { ...note("kept"), ttlMs: 60_000 } },
    });
    const { resources } = connectServers({ a }, { answer: () => ({ type: "elicitation", action: "decline" }) });
    await resources.read("a", "x://diary", { caller: ann });
    for (const caller of [ann, ann, bob]) {
      expect(await resources.read("a", "x://kept", { caller })).toMatchObject([{ text: "kept" }]);
    }
    await resources.read("a", "x://diary", { caller: bob });
    expect(a.receivedMethods).toHaveLength(3);
  });
});
