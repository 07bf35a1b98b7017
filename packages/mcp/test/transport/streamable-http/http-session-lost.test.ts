/** Tests how the transport handles a server that drops a session. The dialect then opens a new session. */
import type { ServerResponse } from "node:http";
import { describe, expect, it } from "vitest";
import { expectSuspended, call, connect, expectFailure, expectText } from "../../helpers/connect.ts";
import {
  sseEvent,
  eventually,
  logNotification,
  openHttp,
  request,
  result,
  startTestHttp,
  messageTexts,
} from "../../helpers/open-http.ts";

const json = (response: ServerResponse, body: object, headers = {}) =>
  response.writeHead(200, { "content-type": "application/json", ...headers }).end(JSON.stringify(body));

const refuse = (response: ServerResponse, status: number, code: number) =>
  response
    .writeHead(status, { "content-type": "application/json" })
    .end(JSON.stringify({ jsonrpc: "2.0", id: null, error: { code, message: "no" } }));

/** Opens session 1, 2, … and accepts only the last of them. The test decides the responses in that session. */
async function forgetful(onRequest: (id: number, response: ServerResponse) => void = () => {}) {
  const state = { session: 0 };
  const server = await startTestHttp((requested, response) => {
    const { id, method } = JSON.parse(requested.body || "{}") as { id: number; method: string };
    if (method === "initialize") {
      state.session += 1;
      return void json(response, result(id), { "mcp-session-id": `s${state.session}` });
    }
    if (requested.headers["mcp-session-id"] !== `s${state.session}`) return void response.writeHead(404).end("unknown");
    if (requested.method === "POST") onRequest(id, response);
    else response.writeHead(405).end();
  });
  return { ...server, forget: () => void (state.session += 1) };
}

describe("A lost session", { meta: { covers: ["F27"] } }, () => {
  it("is reported for every request until a request without a session id opens a new session", async () => {
    const server = await forgetful((id, response) => json(response, result(id)));
    const { transport, lost, ...received } = openHttp(server.url);
    await transport.send(request(1, "initialize"));
    server.forget();
    await transport.send(request(2));
    await transport.send(request(3));
    for (const id of [2, 3]) {
      expect(lost.get(id)).toMatchObject({ code: "SESSION_LOST", details: { server: "tested" } });
    }
    transport.beginNewSession();
    await transport.send(request(4, "initialize"));
    await transport.send(request(5));
    expect(messageTexts({ lost, ...received })).toEqual(["done", "done", "done"]);
    const ids = server.requests.map(({ headers }) => headers["mcp-session-id"]);
    expect(ids).toEqual([undefined, "s1", "s1", undefined, "s3"]);
  });

  it.each<[string, (id: number, response: ServerResponse) => void, string]>([
    ["400 with text", (_, response) => response.writeHead(400).end("no such session"), "SESSION_LOST"],
    ["400 with a generic error", (_, response) => refuse(response, 400, -32000), "SESSION_LOST"],
    ["400 with an invalid-request error", (_, response) => refuse(response, 400, -32600), "SESSION_LOST"],
  ])("is also reported if the server answers %s", async (_, answer, code) => {
    const server = await forgetful(answer);
    const { transport, lost } = openHttp(server.url);
    await transport.send(request(1, "initialize"));
    await transport.send(request(2));
    expect(lost.get(2)).toMatchObject({ code });
  });

  it.each([-32602, -32601, -32603, 7])(
    "is not reported if the server answers 400 with the error code %i",
    async (code) => {
      const server = await forgetful((_, response) => refuse(response, 400, code));
      const { transport, lost } = openHttp(server.url);
      await transport.send(request(1, "initialize"));
      await transport.send(request(2));
      expect(lost.size).toBe(0);
    },
  );

  it("is not reported if the server answers 400 and there is no session", async () => {
    const server = await startTestHttp((_, response) => void refuse(response, 400, -32000));
    const { transport, lost } = openHttp(server.url);
    await transport.send(request(1));
    expect(lost.size).toBe(0);
  });

  it("does not end the new session, even if a rejection arrives late", async () => {
    const waiting = new Map<number, ServerResponse>();
    const server = await forgetful((id, response) => void waiting.set(id, response));
    const { transport, lost } = openHttp(server.url);
    await transport.send(request(1, "initialize"));
    void transport.send(request(2));
    void transport.send(request(3));
    await eventually(() => expect(waiting.size).toBe(2));
    waiting.get(2)!.writeHead(404).end();
    await eventually(() => expect(lost.has(2)).toBe(true));
    transport.beginNewSession();
    await transport.send(request(4, "initialize"));
    waiting.get(3)!.writeHead(404).end();
    await eventually(() => expect(lost.get(3)?.code).toBe("SESSION_LOST"));
    void transport.send(request(5));
    await eventually(() => expect(server.requests.at(-1)?.headers["mcp-session-id"]).toBe("s2"));
  });

  it("does not affect the streams of other requests", async () => {
    const streams = new Map<number, ServerResponse>();
    const server = await forgetful((id, response) => {
      streams.set(id, response.writeHead(200, { "content-type": "text/event-stream" }));
      response.flushHeaders();
    });
    const { transport, lost, ...received } = openHttp(server.url);
    await transport.send(request(1, "initialize"));
    const second = transport.send(request(2));
    await eventually(() => expect(streams.size).toBe(1));
    server.forget();
    await transport.send(request(3));
    streams.get(2)!.end(sseEvent(logNotification("still here")) + sseEvent(result(2)));
    await second;
    expect(messageTexts({ lost, ...received })).toEqual(["done", "still here", "done"]);
    expect([...lost.keys()]).toEqual([3]);
  });

  it("is reported for a rejected notification, and again for the next request", async () => {
    const server = await forgetful((id, response) => json(response, result(id)));
    const { transport, lost } = openHttp(server.url);
    await transport.send(request(1, "initialize"));
    server.forget();
    const notification = { jsonrpc: "2.0", method: "notifications/x" } as const;
    await expect(transport.send(notification)).rejects.toMatchObject({ code: "SESSION_LOST" });
    await transport.send(request(2));
    expect(lost.get(2)?.code).toBe("SESSION_LOST");
  });
});

it("HttpTransport ignores session ids in later responses, because only the opening response sets the session", async () => {
  const server = await startTestHttp((requested, response) => {
    const { id, method } = JSON.parse(requested.body || "{}") as { id: number; method: string };
    json(response, result(id), { "mcp-session-id": method === "initialize" ? "right" : "wrong" });
  });
  const { transport } = openHttp(server.url);
  await transport.send(request(1, "initialize"));
  await transport.send(request(2));
  await transport.send(request(3));
  expect(server.requests.map(({ headers }) => headers["mcp-session-id"])).toEqual([undefined, "right", "right"]);
});

it(
  "Calls that lose their session are each repeated once, all in one new session",
  { meta: { covers: ["F27"] } },
  async () => {
    const callCounts = new Map<string, number>();
    const initialized = {
      protocolVersion: "2025-11-25",
      capabilities: { tools: {} },
      serverInfo: { name: "x", version: "1" },
    };
    const state = { session: 0 };
    const server = await startTestHttp((requested, response) => {
      const { id, method, params } = JSON.parse(requested.body || "{}") as {
        id: number;
        method: string;
        params?: Params;
      };
      if (method === "initialize") {
        state.session += 1;
        return void json(
          response,
          { jsonrpc: "2.0", id, result: initialized },
          { "mcp-session-id": `s${state.session}` },
        );
      }
      if (requested.method !== "POST") return void response.writeHead(405).end();
      if (requested.headers["mcp-session-id"] !== `s${state.session}`) return void response.writeHead(404).end();
      if (id === undefined) return void response.writeHead(202).end();
      if (method === "tools/list") return void json(response, { jsonrpc: "2.0", id, result: { tools: [] } });
      const { who } = params!.arguments;
      callCounts.set(who, (callCounts.get(who) ?? 0) + 1);
      json(response, { jsonrpc: "2.0", id, result: { content: [{ type: "text", text: who }] } });
    });
    const { session } = await connect({ url: server.url }, { knownEra: "legacy" });
    state.session += 1;
    const names = ["a", "b", "c", "d", "e"];
    const outcomes = await Promise.all(names.map((who) => call(session, "it", { who })));
    expect(outcomes.map(expectText)).toEqual(names);
    expect([...callCounts]).toEqual(names.map((who) => [who, 1]));
    // There was the first session, the number that the test skipped to drop it, and one new session.
    expect(state.session).toBe(3);
  },
);

it(
  "The next call tries again to open a new session if an earlier call has failed to open it",
  { meta: { covers: ["F27"] } },
  async () => {
    const initialized = { protocolVersion: "2025-11-25", capabilities: { tools: {} } };
    const state = { session: "s1", refused: 0 };
    const server = await startTestHttp((requested, response) => {
      const { id, method } = JSON.parse(requested.body || "{}") as { id?: number; method: string };
      const sessionId = requested.headers["mcp-session-id"];
      if (requested.method !== "POST") return void response.writeHead(405).end();
      if (method === "initialize" && state.refused > 0) {
        state.refused -= 1;
        return void response.writeHead(500).end();
      }
      if (method === "initialize") {
        return void json(response, { jsonrpc: "2.0", id, result: initialized }, { "mcp-session-id": state.session });
      }
      if (sessionId !== state.session) return void response.writeHead(sessionId === undefined ? 400 : 404).end();
      if (id === undefined) return void response.writeHead(202).end();
      json(response, { jsonrpc: "2.0", id, result: { tools: [], content: [{ type: "text", text: "made" }] } });
    });
    const { session } = await connect({ url: server.url }, { knownEra: "legacy" });
    Object.assign(state, { session: "s2", refused: 1 });
    expect(expectFailure(await call(session, "it")).code).toBe("SERVER_UNREACHABLE");
    expect(expectText(await call(session, "it"))).toBe("made");
  },
);

describe("A call rejected with 400", { meta: { covers: ["F27"] } }, () => {
  type Answer = (id: number, response: ServerResponse) => unknown;

  /** Handles the call and sends the given response. The test decides whether the session is known. */
  async function refusing(answer: Answer) {
    const initialized = { protocolVersion: "2025-11-25", capabilities: { tools: {} } };
    const state = { calls: 0, session: 1 };
    const server = await startTestHttp((requested, response) => {
      const { id, method } = JSON.parse(requested.body || "{}") as { id?: number; method: string };
      const result = method === "initialize" ? initialized : { tools: [], content: [{ type: "text", text: "made" }] };
      const session = `s${state.session}`;
      if (requested.method !== "POST") return void response.writeHead(405).end();
      if (method !== "initialize" && requested.headers["mcp-session-id"] !== session)
        return void refuse(response, 400, -32000);
      if (id === undefined) return void response.writeHead(202).end();
      if (method === "tools/call" && ++state.calls === 1) return void answer(id, response);
      json(response, { jsonrpc: "2.0", id, result }, { "mcp-session-id": session });
    });
    return { state, ...(await connect({ url: server.url }, { knownEra: "legacy" })) };
  }

  it.each<[string, Answer, string]>([
    ["with text", (_, response) => response.writeHead(400).end("declined"), "UNEXPECTED_RESPONSE"],
    ["with an error", (_, response) => refuse(response, 400, -32000), "TOOL_EXECUTION_FAILED"],
    [
      "with a result",
      (id, response) => {
        const body = { jsonrpc: "2.0", id, result: { content: [] } };
        response.writeHead(400, { "content-type": "application/json" }).end(JSON.stringify(body));
      },
      "UNEXPECTED_RESPONSE",
    ],
  ])("is not repeated if the server still knows the session (400 %s)", async (_, answer, code) => {
    const { session, state } = await refusing(answer);
    expect(expectFailure(await call(session, "it")).code).toBe(code);
    expect(state.calls).toBe(1);
  });

  it("is repeated if the server has in fact dropped the session", async () => {
    const { session, state } = await refusing((id, response) => json(response, result(id)));
    state.session = 2;
    state.calls = 1;
    expect(expectText(await call(session, "it"))).toBe("made");
    expect(state.calls).toBe(2);
  });
});

it(
  "A call is not repeated if the session is lost when its question is answered",
  { meta: { covers: ["F27"] } },
  async () => {
    const initialized = { protocolVersion: "2025-11-25", capabilities: { tools: {} } };
    const asking = { message: "Go on?", requestedSchema: { type: "object", properties: {} } };
    const calls: ServerResponse[] = [];
    const cancelled: unknown[] = [];
    const server = await startTestHttp((requested, response) => {
      const { id, method, params } = JSON.parse(requested.body || "{}") as {
        id?: number;
        method?: string;
        params?: object;
      };
      if (requested.method !== "POST") return void response.writeHead(405).end();
      if (method === undefined) return void response.writeHead(404).end();
      if (method === "notifications/cancelled") cancelled.push(params);
      if (id === undefined) return void response.writeHead(202).end();
      if (method !== "tools/call") {
        const result = method === "initialize" ? initialized : { tools: [] };
        return void json(response, { jsonrpc: "2.0", id, result }, { "mcp-session-id": "s" });
      }
      calls.push(response.writeHead(200, { "content-type": "text/event-stream" }));
      response.write(sseEvent({ jsonrpc: "2.0", id: 1, method: "elicitation/create", params: asking }));
    });
    const { session } = await connect({ url: server.url }, { knownEra: "legacy" });
    const requested = expectSuspended(await call(session, "it"));
    const outcome = await requested.resume({ "ask-1": { action: "accept", content: {} } }, {});
    expect(expectFailure(outcome)).toMatchObject({ code: "CONNECTION_LOST", cause: { code: "SESSION_LOST" } });
    await eventually(() => expect(calls[0]!.destroyed).toBe(true));
    await eventually(() => expect(cancelled).toHaveLength(1));
    expect(calls).toHaveLength(1);
  },
);

interface Params {
  readonly arguments: { readonly who: string };
}
