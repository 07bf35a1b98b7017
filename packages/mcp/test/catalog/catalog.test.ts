/** Tests the catalog of a connection to a real server: when its lists are requested, and how long they are cached. */
import type { JsonObject } from "@plugboard/contracts";
import type { CallContext, Change, Connection, Op } from "@plugboard/mcp";
import { describe, expect, it, vi } from "vitest";
import { ann, makeConnection, expectText } from "../helpers/connect.ts";
import { startRestartableHttp } from "../helpers/restartable-http.ts";
import type { HttpMethods, RestartableHttp } from "../helpers/restartable-http.ts";
import { journalingServer } from "../helpers/journaling-server.ts";

const ctx: CallContext = { caller: ann, timeoutMs: 15_000, maxMs: 60_000, elicitation: false };
const FAST = { firstRetryMs: 10, maxRetryMs: 100 };

const CHANGES = { listChanged: true };
const ALL = { tools: CHANGES, resources: { ...CHANGES, subscribe: true }, prompts: CHANGES };
const LISTS = ["tools/list", "resources/list", "resources/templates/list", "prompts/list"] as const;

/** An HTTP server with all four lists. The test adds members to each result. */
function lists(more: () => JsonObject = () => ({})): HttpMethods {
  const answer = (result: JsonObject) => () => ({ resultType: "complete", ...result, ...more() });
  return {
    "resources/list": answer({ resources: [{ uri: "a:1", name: "one" }] }),
    "resources/templates/list": answer({ resourceTemplates: [{ uriTemplate: "a:{n}", name: "any" }] }),
    "prompts/list": answer({ prompts: [{ name: "p" }] }),
  };
}

const counts = (server: RestartableHttp) => LISTS.map((method) => server.count(method));

async function useAll(connection: Connection): Promise<unknown[]> {
  const { items: resources } = await connection.resources();
  const { items: templates } = await connection.templates();
  const { items: prompts } = await connection.prompts();
  return [resources, templates, prompts];
}

describe("Catalog", () => {
  it(
    "lists tools at once and the other lists on first use, and caches them",
    { meta: { covers: ["R0.33", "R1.54", "R4.23", "R4.24"] } },
    async () => {
      const server = await startRestartableHttp(lists(), { capabilities: ALL });
      const { connection } = makeConnection({ url: server.url });
      await connection.ready();
      expect(counts(server)).toEqual([1, 0, 0, 0]);
      const all = [[{ uri: "a:1", name: "one" }], [{ uriTemplate: "a:{n}", name: "any" }], [{ name: "p" }]];
      expect(await useAll(connection)).toEqual(all);
      expect(await useAll(connection)).toEqual(all);
      expect(counts(server)).toEqual([1, 1, 1, 1]);
    },
  );

  it(
    "is empty and sends no request if the server declares no capability",
    { meta: { covers: ["R2.14", "R2.121"] } },
    async () => {
      const server = await startRestartableHttp(lists(), { capabilities: {} });
      const { connection } = makeConnection({ url: server.url });
      expect(await useAll(connection)).toEqual([[], [], []]);
      expect(connection.catalog.tools).toEqual([]);
      expect(counts(server)).toEqual([0, 0, 0, 0]);
    },
  );

  it("lists again after the server was disconnected", { meta: { covers: ["R3.34"] } }, async () => {
    const server = await startRestartableHttp(lists(), { capabilities: ALL });
    const changed: string[] = [];
    const { connection } = makeConnection(
      { url: server.url },
      {
        limits: { ...FAST, healthRetryMs: 10 },
        overrides: { onChanged: (what) => what !== "state" && changed.push(what) },
      },
    );
    await useAll(connection);
    await server.stop();
    await connection.request({ method: "tools/call", params: { name: "echo", arguments: {} } }, ctx);
    await vi.waitFor(() => expect(connection.state.phase).toBe("waiting"), { timeout: 10_000 });
    await server.start();
    await vi.waitFor(() => expect(connection.state.phase).toBe("ready"), { timeout: 10_000 });
    expect(changed.toSorted()).toEqual(["prompts", "resources"]);
    await useAll(connection);
    expect(counts(server)).toEqual([2, 2, 2, 2]);
  });
});

describe("list change notification", () => {
  const changing = `
    const list = { "resources/list": "resources", "resources/templates/list": "resourceTemplates", "prompts/list": "prompts" }[method];
    if (list) { say({ id, result: { [list]: [] } }); return true; }
    if (method !== "tools/call" || params.name !== "echo") return false;
    for (let n = 0; n < 50_000; n++) for (const kind of ["tools", "resources", "prompts"]) {
      say({ method: "notifications/" + kind + "/list_changed" });
    }`;

  it("causes only a few listings, even if it comes 50 000 times", { meta: { covers: ["F19", "R2.163"] } }, async () => {
    const server = journalingServer({ capabilities: ALL, handle: changing });
    const changed: string[] = [];
    const { connection } = makeConnection(server, {
      overrides: { onChanged: (what) => what !== "state" && changed.push(what) },
    });
    const listed = () => LISTS.map((method) => server.journal().filter((line) => line === method).length);
    await useAll(connection);
    expect(listed()).toEqual([1, 1, 1, 1]);
    await connection.request({ method: "tools/call", params: { name: "echo", arguments: {} } }, ctx);
    // All notifications have arrived, because the server sends the response after them.
    expect(changed).toEqual(["resources", "prompts"]);
    await useAll(connection);
    await vi.waitFor(() => expect(listed()[0]).toBeGreaterThan(1));
    const [tools = 0, ...others] = listed();
    expect(tools).toBeLessThan(100);
    expect(others).toEqual([2, 2, 2]);
    // The tools are the same as before, so no change is reported.
    expect(changed).toEqual(["resources", "prompts"]);
  });

  it("causes a listing of the tools, and a report if they have changed", { meta: { covers: ["R2.163"] } }, async () => {
    const server = journalingServer({
      capabilities: ALL,
      handle: `
        if (method === "tools/list" && globalThis.grown) {
          say({ id, result: { tools: [{ name: "echo" }, { name: "grown" }] } });
          return true;
        }
        if (method === "tools/call") { globalThis.grown = true; say({ method: "notifications/tools/list_changed" }); }`,
    });
    const changed: string[] = [];
    const { connection } = makeConnection(server, { overrides: { onChanged: (what) => changed.push(what) } });
    await connection.request({ method: "tools/call", params: { name: "echo", arguments: {} } }, ctx);
    await vi.waitFor(() => expect(connection.catalog.tools.map(({ name }) => name)).toContain("grown"));
    expect(changed.at(-1)).toBe("tools");
  });
});

describe("tool list", () => {
  const listing = (page: string) =>
    journalingServer({
      handle: `if (method === "tools/list") { const tool = (name) => ({ name, inputSchema: { type: "object" } }); say({ id, result: ${page} }); return true; }`,
    });

  it("is truncated and usable if it never ends", { meta: { covers: ["F20"] } }, async () => {
    const page = `{ tools: [tool("t" + (params.cursor ?? 0))], nextCursor: String(Number(params.cursor ?? 0) + 1) }`;
    const { connection } = makeConnection(listing(page));
    await connection.ready();
    expect(connection.catalog.tools).toHaveLength(100);
    expect(connection.catalog.dropped).toEqual([{ tool: "…", reason: "the list goes on after 100 pages" }]);
    expect(
      expectText(await connection.request({ method: "tools/call", params: { name: "t0", arguments: {} } }, ctx)),
    ).toBe(String(connection.pid));
  });

  it("is truncated and usable if it has 100 000 tools", { meta: { covers: ["F20"] } }, async () => {
    const { connection } = makeConnection(
      listing(`{ tools: Array.from({ length: 100_000 }, (_, at) => tool("t" + at)) }`),
    );
    await connection.ready();
    expect(connection.catalog.tools).toHaveLength(10_000);
    expect(connection.catalog.dropped).toEqual([{ tool: "…", reason: "the list goes on after 10000 tools" }]);
  });

  it("keeps the other tools if one is malformed", { meta: { covers: ["F20"] } }, async () => {
    const { connection } = makeConnection(listing(`{ tools: [tool("a"), { inputSchema: 5 }, tool("b")] }`));
    await connection.ready();
    expect(connection.catalog.tools.map(({ name }) => name)).toEqual(["a", "b"]);
    expect(connection.catalog.dropped).toEqual([{ tool: "#2", reason: "it has no name" }]);
  });
});

describe("list with a ttl", () => {
  it("is listed again on the first use after it has expired", async () => {
    let now = 0;
    const clock = { now: () => now, after: () => () => {} };
    const ttl = () => ({ ttlMs: 60_000, cacheScope: "private" });
    const tools = () => ({ resultType: "complete", tools: [{ name: `at ${now}` }], ...ttl() });
    const server = await startRestartableHttp(
      { ...lists(ttl), "tools/list": tools },
      { era: "modern", capabilities: { tools: {}, resources: {}, prompts: {} } },
    );
    const { connection } = makeConnection({ url: server.url }, { overrides: { clock } });
    await connection.ready();
    await useAll(connection);
    now = 59_999;
    connection.tools();
    await useAll(connection);
    expect(counts(server)).toEqual([1, 1, 1, 1]);
    now = 60_000;
    // Reading the `catalog` property does not count as use.
    expect(connection.catalog.tools).toEqual([expect.objectContaining({ name: "at 0" })]);
    expect(counts(server)).toEqual([1, 1, 1, 1]);
    connection.tools();
    await useAll(connection);
    await vi.waitFor(() => expect(connection.catalog.tools).toMatchObject([{ name: "at 60000" }]));
    connection.tools();
    await useAll(connection);
    expect(counts(server)).toEqual([2, 2, 2, 2]);
  });
});

describe("resource cache", () => {
  const read = (uri: string): Op => ({ method: "resources/read", params: { uri } });

  async function reading(ttlMs: number | undefined, methods: HttpMethods = {}) {
    let reads = 0;
    const server = await startRestartableHttp(
      {
        "resources/read": ({ params }) => {
          const contents = [{ uri: params["uri"] ?? "", text: `read ${++reads}` }];
          return { resultType: "complete", contents, ...(ttlMs !== undefined && { ttlMs, cacheScope: "private" }) };
        },
        ...methods,
      },
      { era: "modern", capabilities: ALL },
    );
    const { connection } = makeConnection({ url: server.url });
    const get = async (uri: string) => {
      const outcome = await connection.request(read(uri), ctx);
      return outcome.type === "complete" && (outcome.result["contents"] as { text: string }[])[0]!.text;
    };
    return { server, connection, get };
  }

  it("reads each resource once while its ttl lasts", async () => {
    const { server, get } = await reading(60_000);
    expect([await get("a:1"), await get("a:1"), await get("a:2"), await get("a:1")]).toEqual([
      "read 1",
      "read 1",
      "read 2",
      "read 1",
    ]);
    expect(server.count("resources/read")).toBe(2);
  });

  it.each([undefined, 0])("reads a resource every time if its ttl is %s", async (ttlMs) => {
    const { get } = await reading(ttlMs);
    expect([await get("a:1"), await get("a:1")]).toEqual(["read 1", "read 2"]);
  });

  /** Keeps the stream of each subscription open. `tell` sends a notification on the streams that asked for it. */
  function subscriptions() {
    const streams: { id: number; say: (message: object) => void; wanted: JsonObject }[] = [];
    const methods: HttpMethods = {
      "subscriptions/listen": ({ id, params }, response) => {
        response.writeHead(200, { "content-type": "text/event-stream" });
        const say = (message: object) =>
          void response.write(`data: ${JSON.stringify({ jsonrpc: "2.0", ...message })}\n\n`);
        streams.push({ id, say, wanted: params["notifications"] as JsonObject });
        say({ method: "notifications/subscriptions/acknowledged", params: { _meta: meta(id) } });
        return "taken";
      },
    };
    const meta = (id: number) => ({ "io.modelcontextprotocol/subscriptionId": id });
    const tell = (method: string, wants: string, params = {}) => {
      for (const { id, say, wanted } of streams)
        if (wanted[wants]) say({ method, params: { ...params, _meta: meta(id) } });
    };
    return { methods, streams, tell };
  }

  it("reads again after the list has changed", async () => {
    const { methods, streams, tell } = subscriptions();
    const { get } = await reading(60_000, methods);
    await get("a:1");
    await vi.waitFor(() => expect(streams.some(({ wanted }) => wanted["resourcesListChanged"])).toBe(true));
    tell("notifications/resources/list_changed", "resourcesListChanged");
    await vi.waitFor(async () => expect(await get("a:1")).toBe("read 2"));
  });

  it("does not cache a resource that changed during the read", async () => {
    const { methods, streams, tell } = subscriptions();
    const { connection, get } = await reading(60_000, {
      ...methods,
      "resources/read": async ({ params }) => {
        const contents = [{ uri: params["uri"] ?? "", text: `read ${++reads}` }];
        if (reads === 2) {
          tell("notifications/resources/list_changed", "resourcesListChanged");
          await vi.waitFor(() => expect(changed).toBe(true));
        }
        return { resultType: "complete", contents, ttlMs: 60_000 };
      },
    });
    let [reads, changed] = [0, false];
    connection.listen({ resources: true }, () => (changed = true));
    await get("a:0");
    await vi.waitFor(() => expect(streams.filter(({ wanted }) => wanted["resourcesListChanged"])).toHaveLength(1));
    expect([await get("a:1"), await get("a:1"), await get("a:1")]).toEqual(["read 2", "read 3", "read 3"]);
  });

  it("reads again after an update of that resource, but not of another", async () => {
    const { methods, streams, tell } = subscriptions();
    const { connection, get } = await reading(60_000, methods);
    const changes: Change[] = [];
    await connection.ready();
    connection.listen({ uris: ["a:1"] }, (change) => changes.push(change));
    await vi.waitFor(() => expect(streams.some(({ wanted }) => wanted["resourceSubscriptions"])).toBe(true));
    expect([await get("a:1"), await get("a:2")]).toEqual(["read 1", "read 2"]);
    tell("notifications/resources/updated", "resourceSubscriptions", { uri: "a:1" });
    await vi.waitFor(() => expect(changes).toEqual([{ type: "resource", uri: "a:1" }]));
    expect([await get("a:2"), await get("a:1")]).toEqual(["read 2", "read 3"]);
  });
});

describe("catalog of another login", () => {
  it("shares nothing with the first login", { meta: { covers: ["S22", "R1.62"] } }, async () => {
    const whose = (headers: { authorization?: string | undefined }) =>
      headers.authorization?.replace("Bearer ", "") ?? "";
    const secret = { ttlMs: 3_600_000, cacheScope: "private", resultType: "complete" };
    const server = await startRestartableHttp(
      {
        "tools/list": ({ headers }) => ({ ...secret, tools: [{ name: `tool of ${whose(headers)}` }] }),
        "resources/list": ({ headers }) => ({ ...secret, resources: [{ uri: "a:1", name: `of ${whose(headers)}` }] }),
        "resources/read": ({ headers }) => ({
          ...secret,
          contents: [{ uri: "a:1", text: `held for ${whose(headers)}` }],
        }),
      },
      { era: "modern", capabilities: { tools: {}, resources: {} } },
    );
    const seen = async (token: string) => {
      const { connection } = makeConnection({ url: server.url }, { headers: { Authorization: `Bearer ${token}` } });
      const held = await connection.request({ method: "resources/read", params: { uri: "a:1" } }, ctx);
      const { items } = await connection.resources();
      return JSON.stringify([connection.catalog.tools, items, held]);
    };
    const [first, second] = [await seen("ann"), await seen("bob")];
    expect(first).toContain("held for ann");
    for (const text of ["tool of bob", '"of bob"', "held for bob"]) expect(second).toContain(text);
    expect(second).not.toContain("ann");
  });
});

it(
  "a connection still reports changes after a restart, and first reports all that may have changed meanwhile",
  { meta: { covers: ["R2.148"] } },
  async () => {
    const server = journalingServer({
      capabilities: ALL,
      handle: `if (method === "tools/call") say({ method: "notifications/prompts/list_changed" });`,
    });
    const { connection } = makeConnection(server, { limits: FAST });
    const changes: Change[] = [];
    const listening = connection.listen({ prompts: true, resources: true, uris: ["a:1"] }, (change) =>
      changes.push(change),
    );
    const call = (name: string) => connection.request({ method: "tools/call", params: { name, arguments: {} } }, ctx);
    await call("echo");
    expect(changes).toEqual([{ type: "prompts" }]);
    await call("crash");
    await vi.waitFor(() => expect(connection.state.phase).toBe("ready"), { timeout: 10_000 });
    expect(changes.splice(0)).toEqual([
      { type: "prompts" },
      { type: "resources" },
      { type: "prompts" },
      { type: "resource", uri: "a:1" },
    ]);
    await vi.waitFor(() => {
      expect(server.journal().filter((line) => line === "resources/subscribe")).toHaveLength(2);
    });
    await call("echo");
    expect(changes.splice(0)).toEqual([{ type: "prompts" }]);
    listening.stop();
    await call("echo");
    expect(changes).toEqual([]);
  },
);
