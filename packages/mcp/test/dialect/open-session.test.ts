/** Tests the detection of the era with real servers, and how often they are started for it. */
import { freePort } from "@plugboard/testkit/free-port";
import type { Op } from "@plugboard/mcp";
import {
  conformanceStdio,
  everythingStdio,
  modernDualStdio,
  modernStdio,
  scriptedLegacy,
  startConformanceHttp,
  startEverythingHttp,
  startEverythingSse,
  startModernHttp,
  startScriptedHttp,
} from "@plugboard/testkit/start-server";
import type { ServerResponse } from "node:http";
import { describe, expect, it, onTestFinished } from "vitest";
import { ann, call, connect, makeConnection, expectSuspended, expectText } from "../helpers/connect.ts";

describe("openSession over stdio", () => {
  it.each([
    ["a legacy server that rejects the probe", scriptedLegacy()],
    ["a legacy server that does not answer the probe", scriptedLegacy("--silent-on-discover")],
    ["the everything server", everythingStdio()],
  ])(
    "opens %s and starts it only once",
    { meta: { covers: ["R0.7", "R1.60", "R2.24", "R3.16"] } },
    async (_, command) => {
      const { session, startCount, knownEra } = await connect(command, { limits: { silenceMs: 200 } });
      expect(session.era).toBe("legacy");
      expect(startCount()).toBe(1);
      expect(knownEra()).toBe("legacy");
    },
  );

  it("restarts a server as legacy if it exits on the probe", async () => {
    const { session, startCount, knownEra } = await connect(scriptedLegacy("--exit-on-discover"));
    expect(session.era).toBe("legacy");
    expect(startCount()).toBe(2);
    expect(knownEra()).toBe("legacy");
    expect(expectText(await call(session, "echo", { text: "hi" }))).toBe("hi");
  });

  it("starts a server only once if its era is remembered, although server/discover would make it exit", async () => {
    const { session, startCount } = await connect(scriptedLegacy("--exit-on-discover"), { knownEra: "legacy" });
    expect(session.era).toBe("legacy");
    expect(startCount()).toBe(1);
  });

  it("detects a modern server that starts slowly as modern", async () => {
    const { session, startCount } = await connect(modernStdio(), { limits: { silenceMs: 1 } });
    expect(session.era).toBe("modern");
    expect(startCount()).toBe(1);
  });

  it("restarts a slow dual-era server, opens it as modern, and remembers the era", async () => {
    const { session, knownEra, startCount } = await connect(modernDualStdio(), { limits: { silenceMs: 1 } });
    expect(session.era).toBe("modern");
    expect(knownEra()).toBe("modern");
    expect(startCount()).toBe(2);
    expect(expectText(await call(session, "echo", { text: "hi" }))).toBe("hi");
  });

  it("sends no legacy handshake to a server that is remembered as modern", async () => {
    const { session } = await connect(modernDualStdio(), { limits: { silenceMs: 1 }, knownEra: "modern" });
    expect(session.era).toBe("modern");
  });

  it("detects the era again if the remembered one is wrong", async () => {
    const { session, knownEra } = await connect(modernStdio(), { knownEra: "legacy" });
    expect(session.era).toBe("modern");
    expect(knownEra()).toBe("modern");
  });

  it(
    "fails with SERVER_NOT_RESPONDING if the server never answers",
    { meta: { covers: ["R0.59", "R0.62"] } },
    async () => {
      const { connection } = makeConnection(scriptedLegacy("--never-start"), {
        startupTimeoutMs: 300,
        limits: { silenceMs: 50 },
      });
      await expect(connection.ready()).rejects.toMatchObject({
        code: "SERVER_NOT_RESPONDING",
        details: { afterMs: 300 },
      });
      expect(connection.state.phase).toBe("waiting");
    },
  );

  it("fails with the revisions of a server that supports none of ours", { meta: { covers: ["R2.120"] } }, async () => {
    const { connection } = makeConnection(scriptedLegacy("--revision=1999-01-01"));
    await expect(connection.ready()).rejects.toMatchObject({ code: "UNSUPPORTED_VERSION" });
  });

  it("opens a connection again after a crash of the server", async () => {
    const { connection, session } = await connect(scriptedLegacy());
    await call(session, "crash");
    expect(connection.state.phase).toBe("waiting");
    const again = await connection.ready();
    expect(expectText(await call(again, "echo", { text: "back" }))).toBe("back");
  });

  it(
    "opens once for all waiting callers, and a cancelled caller does not stop the others",
    { meta: { covers: ["R1.37"] } },
    async () => {
      const { connection, startCount } = makeConnection(scriptedLegacy("--slow-start=150"));
      const abort = new AbortController();
      const impatient = connection.ready(abort.signal);
      const patient = connection.ready();
      abort.abort();
      await expect(impatient).rejects.toMatchObject({ code: "CANCELLED" });
      await expect(patient).resolves.toBeDefined();
      expect(startCount()).toBe(1);
    },
  );
});

describe("a server of both eras that asks with requests of its own", () => {
  const ask = { message: "Who are you?" };
  const ctx = { caller: ann, timeoutMs: 15_000, maxMs: 60_000, elicitation: true };
  const op: Op = { method: "tools/call", params: { name: "test_elicitation", arguments: ask } };

  it.each(["stdio", "http"])(
    "is reopened over %s as legacy after its first question has failed, so that the next call can ask",
    async (transport) => {
      const { connection, session, knownEra } = await connect(await dualServer(transport));
      expect(session.era).toBe("modern");
      const failed = await connection.request(op, ctx);
      expect(failed).toMatchObject({ type: "complete", result: { isError: true } });
      expect(JSON.stringify(failed)).toContain("Call the tool again");
      expect(knownEra()).toBe("legacy");
      const asked = expectSuspended(await connection.request(op, ctx));
      expect(connection.session?.era).toBe("legacy");
      expect(
        expectText(await asked.resume({ "ask-1": { action: "accept", content: { response: "Ann" } } }, {})),
      ).toContain("Ann");
    },
  );

  it("is reopened only after its other calls have ended", async () => {
    const { connection, session } = await connect(conformanceStdio("dual"));
    const slow: Op = { method: "tools/call", params: { name: "test_tool_with_progress", arguments: {} } };
    const running = connection.request(slow, ctx);
    await connection.request(op, ctx);
    expect(await running).toMatchObject({ type: "complete" });
    expect((await connection.ready()) === session).toBe(false);
  });

  it("is reopened even if a stopping host waits for the same calls, and the wait of the host ends", async () => {
    const { connection, session } = await connect(conformanceStdio("dual"));
    const slow: Op = { method: "tools/call", params: { name: "test_tool_with_progress", arguments: {} } };
    const running = connection.request(slow, ctx);
    const unused = connection.whenUnused({ timeoutMs: 600_000, signal: new AbortController().signal });
    await connection.request(op, ctx);
    await Promise.all([running, unused]);
    expect((await connection.ready()) === session).toBe(false);
  });

  it("stays modern if `protocol` is modern, and its question fails each time", async () => {
    const { connection, session } = await connect(conformanceStdio("dual"), { overrides: { onlyEra: "modern" } });
    for (let calls = 0; calls < 2; calls++) {
      const failed = await connection.request(op, ctx);
      expect(failed).toMatchObject({ type: "complete", result: { isError: true } });
      expect(JSON.stringify(failed)).not.toContain("Call the tool again");
    }
    expect(connection.session).toBe(session);
  });

  it("can ask in its first call, without a restart, if `protocol` is legacy", async () => {
    const { connection, startCount } = await connect(conformanceStdio("dual"), { overrides: { onlyEra: "legacy" } });
    expectSuspended(await connection.request(op, ctx)).abandon("the test has ended");
    expect(startCount()).toBe(1);
  });

  async function dualServer(transport: string) {
    if (transport === "stdio") return conformanceStdio("dual");
    const server = await startConformanceHttp("dual");
    onTestFinished(() => server.close());
    return { url: server.url };
  }
});

describe("a server that does not speak the protocol of its definition", () => {
  it.each([
    ["a legacy server with the protocol modern", scriptedLegacy(), "modern"],
    [
      "a legacy server that exits on the probe, with the protocol modern",
      scriptedLegacy("--exit-on-discover"),
      "modern",
    ],
    ["a modern server with the protocol legacy", modernStdio(), "legacy"],
  ] as const)("fails once and is not tried in the other era: %s", async (name, command, onlyEra) => {
    const { connection, startCount } = makeConnection(command, { overrides: { onlyEra } });
    const code = name.includes("exits") ? "SERVER_CRASHED" : "WRONG_PROTOCOL";
    await expect(connection.ready()).rejects.toMatchObject({ code });
    expect(startCount()).toBe(1);
  });

  it("fails over HTTP with WRONG_PROTOCOL", async () => {
    const server = await startModernHttp();
    onTestFinished(() => server.close());
    const { connection } = makeConnection({ url: server.url }, { overrides: { onlyEra: "legacy" } });
    await expect(connection.ready()).rejects.toMatchObject({
      code: "WRONG_PROTOCOL",
      details: { server: "tested", protocol: "legacy" },
    });
    expect(connection.state.phase).toBe("error");
  });

  it("is opened over HTTP+SSE if `protocol` is legacy, and not if it is modern", async () => {
    const server = await startEverythingSse();
    onTestFinished(() => server.close());
    const legacy = makeConnection({ url: server.url }, { overrides: { onlyEra: "legacy" } });
    expect((await legacy.connection.ready()).era).toBe("legacy");
    const modern = makeConnection({ url: server.url }, { overrides: { onlyEra: "modern" } });
    await expect(modern.connection.ready()).rejects.toMatchObject({ code: "WRONG_PROTOCOL" });
  });
});

describe("server that sends messages before its session is open", () => {
  it("gets a response to each of its requests", async () => {
    const script = `
      const say = (message) => console.log(JSON.stringify({ jsonrpc: "2.0", ...message }));
      const answers = [];
      say({ id: "p", method: "ping" });
      say({ id: "r", method: "roots/list" });
      require("node:readline").createInterface({ input: process.stdin }).on("line", (line) => {
        const { id, method, result, error } = JSON.parse(line);
        if (method === undefined) answers.push(result ?? error.code);
        if (method === "server/discover") say({ id, result: null });
        const instructions = JSON.stringify(answers);
        const result_ = { protocolVersion: "2025-06-18", capabilities: {}, instructions };
        if (method === "initialize") say({ id, result: result_ });
      });`;
    const { session } = await connect({ command: process.execPath, args: ["-e", script] });
    expect(session.serverInfo.instructions).toBe("[{},-32601]");
  });

  it("fails with UNSUPPORTED_VERSION for any unknown revision", async () => {
    const script = `require("node:readline").createInterface({ input: process.stdin }).on("line", (line) => {
        const { id, method } = JSON.parse(line);
        const version = "[".repeat(3000) + "]".repeat(3000);
        if (method === "server/discover") console.log('{"jsonrpc":"2.0","id":' + id + ',"result":null}');
        else console.log('{"jsonrpc":"2.0","id":' + id + ',"result":{"protocolVersion":' + version + "}}");
      });`;
    const { connection } = makeConnection({ command: process.execPath, args: ["-e", script] });
    await expect(connection.ready()).rejects.toMatchObject({
      code: "UNSUPPORTED_VERSION",
      details: { offered: ["(a list)"] },
    });
  });
});

describe("openSession over HTTP", () => {
  it(
    "falls back to the legacy handshake with server-everything",
    { meta: { covers: ["R2.158", "R3.39"] } },
    async () => {
      const server = await startEverythingHttp();
      onTestFinished(() => server.close());
      const { session, knownEra } = await connect({ url: server.url });
      expect(session).toMatchObject({ era: "legacy", version: "2025-11-25" });
      expect(knownEra()).toBe("legacy");
      expect(expectText(await call(session, "get-sum", { a: 2, b: 3 }))).toContain("5");
    },
  );

  it("detects a dual-era server as modern", async () => {
    const server = await startModernHttp({ dual: true });
    onTestFinished(() => server.close());
    const { session } = await connect({ url: server.url });
    expect(session.era).toBe("modern");
  });

  it.each([
    ["a login is required", 401, "AUTH_REQUIRED", "auth_required"],
    ["the server is overloaded", 503, "SERVER_OVERLOADED", "waiting"],
    ["there is no MCP endpoint", 404, "UNEXPECTED_RESPONSE", "error"],
  ])("reports that %s", async (_, status, code, phase) => {
    const server = await startScriptedHttp((_request, response) => void response.writeHead(status).end("<html>"));
    onTestFinished(() => server.close());
    const { connection } = makeConnection({ url: server.url });
    await expect(connection.ready()).rejects.toMatchObject({ code });
    expect(connection.state.phase).toBe(phase);
  });

  const reply = (response: ServerResponse, body: object) =>
    response.writeHead(200, { "content-type": "application/json" }).end(JSON.stringify({ jsonrpc: "2.0", ...body }));
  const handshake = { protocolVersion: "2025-06-18", capabilities: {}, serverInfo: { name: "x", version: "1" } };

  /** Answers the two handshakes, and all other requests, as the test defines. */
  async function openingServer(answers: { [method: string]: (response: ServerResponse, id: number) => void }) {
    const server = await startScriptedHttp((request, response) => {
      const { id = 0, method = "" } = JSON.parse(request.body || "{}") as { id?: number; method?: string };
      const answer = answers[method];
      if (answer) answer(response, id);
      else response.writeHead(request.method === "GET" ? 405 : 202).end();
    });
    onTestFinished(() => server.close());
    return server;
  }

  it.each<[string, (response: ServerResponse) => void]>([
    ["status 500", (response) => response.writeHead(500).end("oops")],
    ["status 501", (response) => response.writeHead(501).end()],
    ["status 202", (response) => response.writeHead(202).end()],
    ["status 204", (response) => response.writeHead(204).end()],
    ["an HTML page", (response) => response.writeHead(200, { "content-type": "text/html" }).end("<p>")],
    ["an empty body", (response) => response.writeHead(200).end()],
    ["other JSON", (response) => response.writeHead(200, { "content-type": "application/json" }).end('{"ok":1}')],
    ["a stream that ends", (response) => response.writeHead(200, { "content-type": "text/event-stream" }).end()],
    ["a connection reset", (response) => response.destroy()],
  ])("treats %s as a rejection of the probe", async (_, refuse) => {
    const initialize = (response: ServerResponse, id: number) => void reply(response, { id, result: handshake });
    const server = await openingServer({ "server/discover": refuse, initialize });
    const { session } = await connect({ url: server.url });
    expect(session.era).toBe("legacy");
  });

  it("stops waiting for the probe after a while and cancels it", async () => {
    let letGo = () => {};
    const closed = new Promise<void>((resolve) => (letGo = resolve));
    const server = await openingServer({
      "server/discover": (response) => void response.once("close", letGo),
      initialize: (response, id) => reply(response, { id, result: handshake }),
    });
    const { session } = await connect({ url: server.url }, { limits: { silenceMs: 20 } });
    expect(session.era).toBe("legacy");
    await closed;
  });

  it("reports the error of the legacy handshake, not of the probe", async () => {
    const server = await openingServer({
      "server/discover": (response) => response.writeHead(500).end(),
      initialize: (response, id) => reply(response, { id, error: { code: -32000, message: "no seats left" } }),
    });
    const { connection } = makeConnection({ url: server.url });
    await expect(connection.ready()).rejects.toMatchObject({
      code: "REQUEST_FAILED",
      details: { method: "initialize", message: "no seats left" },
    });
  });

  it.each<[string, (response: ServerResponse) => void, string]>([
    ["status 500", (response) => response.writeHead(500).end(), "SERVER_UNREACHABLE"],
    ["a connection reset", (response) => response.destroy(), "CONNECTION_LOST"],
  ])(
    "fails if the end of the handshake is answered with %s",
    { meta: { covers: ["R0.51", "R2.13"] } },
    async (_, refuse, code) => {
      const server = await openingServer({
        initialize: (response, id) => reply(response, { id, result: handshake }),
        "notifications/initialized": refuse,
      });
      const { connection } = makeConnection({ url: server.url });
      await expect(connection.ready()).rejects.toMatchObject({ code });
      expect(connection.state).toMatchObject({ phase: "waiting", error: { code } });
    },
  );

  it("reports that no server listens at the URL", async () => {
    const { connection } = makeConnection({ url: `http://127.0.0.1:${await freePort()}/mcp` });
    await expect(connection.ready()).rejects.toMatchObject({ code: "SERVER_UNREACHABLE" });
  });
});
