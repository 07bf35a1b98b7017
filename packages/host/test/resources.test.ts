/** Resources over all servers of a workspace, and reading one of them. */
import { Server } from "@modelcontextprotocol/sdk/server/index.js";
import { HostError } from "@plugboard/contracts";
import type { Question } from "@plugboard/contracts";
import { modernStdio } from "@plugboard/testkit/start-server";
import { describe, expect, it } from "vitest";
import { ManualClock } from "../../mcp/test/manual-clock.ts";
import { ann, bob, inProcess, offering, reachServers, stdio } from "./reach-servers.ts";
import type { TestServer } from "./reach-servers.ts";

const note = (text: string) => ({ contents: [{ uri: "x://note", text }] });

describe("the list over all servers", () => {
  it(
    "of twenty is there with nineteen when one never answers, and is whole once that one has",
    { meta: { covers: ["F32"] } },
    async () => {
      let answerAtLast = () => {};
      const heldUntil = new Promise<void>((resolve) => (answerAtLast = resolve));
      const ids = Array.from({ length: 20 }, (_, at) => `s${at}`);
      const slow = offering({ resources: { "x://s7": note("late") }, heldUntil });
      const servers = ids.map((id) => [id, id === "s7" ? slow : offering({ resources: { [`x://${id}`]: note(id) } })]);
      const clock = new ManualClock();
      const { resources, connection } = reachServers(Object.fromEntries(servers) as { [id: string]: TestServer }, {
        clock,
      });

      const listing = resources.list();
      await Promise.all(ids.filter((id) => id !== "s7").map((id) => connection(id).resources()));
      clock.pass(5000);
      const { resources: found, errors } = await listing;
      expect(found.map(({ server }) => server)).toEqual(ids.filter((id) => id !== "s7"));
      expect(errors).toMatchObject({
        s7: { code: "REQUEST_TIMEOUT", details: { server: "s7", method: "resources/list", afterMs: 5000 } },
      });
      expect(Object.keys(errors)).toEqual(["s7"]);

      answerAtLast();
      await connection("s7").resources();
      const whole = await resources.list();
      expect(whole.resources.map(({ server }) => server)).toEqual(ids);
      expect(whole.errors).toEqual({});
      expect(slow.asked).toEqual(["resources/list"]);
    },
  );

  it("returns as soon as all have answered, and leaves no timer behind", async () => {
    const clock = new ManualClock();
    const { resources } = reachServers({ a: offering({ resources: { "x://a": note("a") } }) }, { clock });
    expect(await resources.list()).toEqual({ resources: [{ server: "a", uri: "x://a", name: "a" }], errors: {} });
    expect(clock.waiting).toBe(0);
  });

  it("names a server that can't be had by the name its workspace has for it, and passes over a disabled one", async () => {
    const broken: TestServer = {
      target: { transport: "stdio", command: "/nonexistent/server", args: [], cwd: process.cwd(), env: {} },
    };
    const { resources } = reachServers({
      a: offering({ resources: { "x://a": note("a") } }),
      broken,
      off: { ...offering({ resources: { "x://off": note("off") } }), disabled: true },
    });
    const { resources: found, errors } = await resources.list();
    expect(found).toMatchObject([{ server: "a" }]);
    expect(errors).toMatchObject({ broken: { code: "SERVER_SPAWN_FAILED", details: { server: "broken" } } });
    expect(Object.keys(errors)).toEqual(["broken"]);
  });

  it("says what a server offers that can't be used", async () => {
    const { resources } = reachServers({
      a: offering({ templates: [{ uriTemplate: "x://{id}", name: "one" }, { name: "has no address" }] }),
    });
    expect(await resources.templates()).toEqual({
      templates: [{ server: "a", uriTemplate: "x://{id}", name: "one" }],
      errors: {},
      dropped: [{ server: "a", name: "#2", reason: "it has no uriTemplate" }],
    });
  });

  it("starts no lazy server whose list is known", async () => {
    const known = {
      tools: { tools: [], dropped: [] },
      resources: { items: [{ uri: "x://k", name: "k" }], dropped: [] },
    };
    const lazy = offering({ resources: { "x://other": note("other") } });
    const also = { start: "lazy", catalogs: { get: () => known, set: () => {} } } as const;
    const { resources, connection } = reachServers({ lazy: { ...lazy, also } });
    expect(await resources.list()).toMatchObject({ resources: [{ server: "lazy", uri: "x://k" }] });
    expect(connection("lazy").state.phase).toBe("idle");
  });

  it("is given up by whoever wanted it, and goes on", async () => {
    const held = offering({ resources: { "x://a": note("a") }, heldUntil: new Promise(() => {}) });
    const clock = new ManualClock();
    const { resources } = reachServers({ held }, { clock });
    const abort = new AbortController();
    const listing = resources.list({ signal: abort.signal });
    abort.abort();
    await expect(listing).rejects.toMatchObject({ code: "CANCELLED" });
    await expect(resources.list({ signal: abort.signal })).rejects.toMatchObject({ code: "CANCELLED" });
    expect(clock.waiting).toBe(0);
  });
});

describe("the list of one server", () => {
  it("is of that one alone", async () => {
    const b = offering({ resources: { "x://b": note("b") } });
    const { resources } = reachServers({ a: offering({ resources: { "x://a": note("a") } }), b });
    expect(await resources.list({ server: "a" })).toMatchObject({ resources: [{ server: "a", uri: "x://a" }] });
    expect(b.asked).toEqual([]);
  });

  it.each(["list", "templates"] as const)(
    "has the error of a server that does not know the method: %s",
    async (what) => {
      const server = new Server({ name: "bare", version: "1.0.0" }, { capabilities: { resources: {} } });
      const { resources } = reachServers({ a: inProcess(server) });
      const { errors } = await resources[what]({ server: "a" });
      expect(errors).toMatchObject({ a: { code: "REQUEST_FAILED", details: { server: "a", code: -32601 } } });
      expect(await resources[what]()).toMatchObject({ errors });
    },
  );

  it.each([
    ["unknown", "SERVER_UNKNOWN"],
    ["off", "SERVER_DISABLED"],
  ])("fails for one that is %s", async (server, code) => {
    const { resources } = reachServers({ off: { ...offering({}), disabled: true } });
    await expect(resources.list({ server })).rejects.toMatchObject({ code, details: { server } });
  });
});

describe("reading", () => {
  it("gives what the resource holds, text and bytes, each with its address", async () => {
    const parts = [{ uri: "x://a/1", mimeType: "text/plain", text: "one" }, { blob: "AAEC" }];
    const { resources } = reachServers({ a: offering({ resources: { "x://a": { contents: parts } } }) });
    expect(await resources.read("a", "x://a", { caller: ann })).toEqual([parts[0], { uri: "x://a", blob: "AAEC" }]);
  });

  it("fails with the server's own words, under the name its workspace has for it", async () => {
    const { resources } = reachServers({ a: offering({}) });
    const failure = await resources.read("a", "x://none", { caller: ann }).catch((error: unknown) => error);
    expect(failure).toBeInstanceOf(HostError);
    expect(failure).toMatchObject({
      code: "REQUEST_FAILED",
      details: { server: "a", method: "resources/read" },
      cause: { code: -32002, message: expect.stringContaining("no resource x://none") as string },
    });
  });

  it.each([
    ["no list", {}, 'resources/read has no list of "contents"'],
    [
      "a part that holds nothing",
      { contents: [{ uri: "x://a" }] },
      'part 1 of the resource has neither "text" nor "blob"',
    ],
  ])("refuses %s", async (_, result, what) => {
    const { resources } = reachServers({ a: offering({ resources: { "x://a": result } }) });
    await expect(resources.read("a", "x://a", { caller: ann })).rejects.toMatchObject({
      code: "UNEXPECTED_RESPONSE",
      details: { server: "a", what },
    });
  });

  it("refuses an empty address before any server is asked", async () => {
    const a = offering({});
    const { resources } = reachServers({ a });
    await expect(resources.read("a", "", { caller: ann })).rejects.toMatchObject({ code: "INVALID_ARGUMENTS" });
    expect(a.asked).toEqual([]);
  });

  it("is given up by whoever wanted it", async () => {
    const { resources } = reachServers({ a: offering({ resources: { "x://a": () => new Promise(() => {}) } }) });
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
type Asks = (server: { elicitInput(params: never): Promise<unknown> }) => Promise<ReturnType<typeof note>>;
const diary: Asks = async (server) => note(`opened with ${JSON.stringify(await server.elicitInput(FORM as never))}`);
const locked = () => offering({ resources: { "locked://diary": diary } });

describe.each([
  ["legacy", locked],
  ["modern", () => stdio(modernStdio())],
])("reading from a %s server that asks first", (_, server) => {
  it("puts the question to whoever reads, and goes on with the answer", async () => {
    const asked: Question[] = [];
    const { resources } = reachServers(
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

it("says so when a server asks and nobody is there", async () => {
  const { resources, facts } = reachServers({ a: locked() });
  const [contents] = await resources.read("a", "locked://diary", { caller: ann });
  expect(contents).toMatchObject({ text: 'opened with {"action":"cancel"}' });
  expect(facts).toMatchObject([{ type: "question.unattended", owner: ann, server: "a", message: "Password?" }]);
});

describe("callers of a server that asks without saying for whom", () => {
  it("read one after another while a question is open", async () => {
    let answer = () => {};
    const answered = new Promise<void>((resolve) => (answer = resolve));
    let beAsked = () => {};
    const asked = new Promise<void>((resolve) => (beAsked = resolve));
    const a = offering({ resources: { "x://diary": diary, "x://plain": note("plain") } });
    const { resources } = reachServers(
      { a },
      {
        answer: async () => {
          beAsked();
          await answered;
          return { type: "elicitation", action: "decline" };
        },
      },
    );
    const mine = resources.read("a", "x://diary", { caller: ann });
    await asked;
    const theirs = resources.read("a", "x://plain", { caller: bob });
    // What is sent after it comes first.
    await resources.list();
    expect(a.asked).toEqual(["resources/read", "resources/list"]);
    answer();
    expect(await mine).toMatchObject([{ text: 'opened with {"action":"decline"}' }]);
    expect(await theirs).toMatchObject([{ text: "plain" }]);
  });

  it("are not held up by what was read from memory", async () => {
    const a = offering({ resources: { "x://diary": diary, "x://kept": { ...note("kept"), ttlMs: 60_000 } } });
    const { resources } = reachServers({ a }, { answer: () => ({ type: "elicitation", action: "decline" }) });
    await resources.read("a", "x://diary", { caller: ann });
    for (const caller of [ann, ann, bob]) {
      expect(await resources.read("a", "x://kept", { caller })).toMatchObject([{ text: "kept" }]);
    }
    await resources.read("a", "x://diary", { caller: bob });
    expect(a.asked).toHaveLength(3);
  });
});
