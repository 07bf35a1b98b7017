/** Tests that a token is sent to its own server only, and never in a URL. */
import { HttpTransport } from "#transport/streamable-http/http-transport.js";
import { SseTransport } from "#transport/sse/sse-transport.js";
import type { Transport } from "#wire/transport.js";
import { systemClock } from "@plugboard/contracts";
import { openWebSocket } from "#transport/websocket/websocket-transport.js";
import type { ServerResponse } from "node:http";
import { describe, expect, it } from "vitest";
import {
  sseEvent,
  eventually,
  recordTransport,
  logNotification,
  request,
  result,
  startTestHttp,
} from "../../helpers/open-http.ts";
import { ScriptedCredentials, rejectUnauthorized } from "../../helpers/scripted-credentials.ts";

const CANARY = "canary-5b1f";
const credentials = () => new ScriptedCredentials("spent", CANARY);
const options = (url: string) => ({
  server: "tested",
  url,
  headers: {},
  credentials: credentials(),
  maxMessageBytes: 1e5,
  env: {},
  clock: systemClock,
});

/** Accepts every request. */
const otherServer = () =>
  startTestHttp(({ method, body }, response) => {
    if (method === "GET") return response.writeHead(200, { "content-type": "text/event-stream" }).flushHeaders();
    const { id = 0 } = JSON.parse(body || "{}") as { id?: number };
    response.writeHead(200, { "content-type": "application/json" }).end(JSON.stringify(result(id)));
  });

type Pointing = (response: ServerResponse, otherUrl: string) => void;
type Conversation = (url: string) => Promise<void>;

/** Sends a request, a notification and a DELETE, and opens the GET stream. Ignores errors of the server. */
async function converse(transport: Transport): Promise<void> {
  recordTransport(transport);
  transport.openPushStream?.({});
  await transport.send(request(1));
  await transport.send({ jsonrpc: "2.0", method: "notifications/x" })?.catch(() => {});
  await transport.send(request(2));
  await transport.close();
}

const http: Conversation = (url) => converse(new HttpTransport(options(url)));
const sse: Conversation = (url) => converse(new SseTransport(options(url)));
const webSocket: Conversation = async (url) => {
  await expect(openWebSocket(options(url.replace("http:", "ws:")))).rejects.toMatchObject({
    code: "UNEXPECTED_RESPONSE",
  });
};

const redirect =
  (status: number): Pointing =>
  (response, location) =>
    void response.writeHead(status, { location }).end();

describe("A token", { meta: { covers: ["S8"] } }, () => {
  it.each<[string, Conversation, Pointing]>([
    ...[301, 302, 303, 307, 308].flatMap((status): [string, Conversation, Pointing][] => [
      [`redirects (${status})`, http, redirect(status)],
      [`redirects HTTP+SSE (${status})`, sse, redirect(status)],
      [`redirects a WebSocket (${status})`, webSocket, redirect(status)],
    ]),
    [
      "names a foreign endpoint",
      sse,
      (response, otherUrl) => {
        response.writeHead(200, { "content-type": "text/event-stream" });
        response.write(`event: endpoint\ndata: ${otherUrl}\n\n`);
      },
    ],
    [
      "names another URL in its response headers",
      http,
      (response, location) => {
        const type = { "content-type": "text/event-stream" };
        const headers = {
          ...type,
          location,
          "content-location": location,
          link: `<${location}>`,
          refresh: `0;url=${location}`,
        };
        response
          .writeHead(200, headers)
          .end(sseEvent(logNotification("news")) + sseEvent(result(1)) + sseEvent(result(2)));
      },
    ],
  ])("is sent to no other origin and in no URL if the server %s", async (_, conversation, point) => {
    const otherSite = await otherServer();
    const server = await startTestHttp(({ headers }, response) => {
      if (!rejectUnauthorized(headers, response, CANARY)) point(response, otherSite.url);
    });
    await conversation(server.url);
    const redirectTarget = server.requests.filter(({ headers }) => headers.authorization === `Bearer ${CANARY}`);
    expect(redirectTarget.length).toBeGreaterThan(0);
    expect(otherSite.requests).toEqual([]);
    for (const {
      path,
      body,
      headers: { authorization: __, ...rest },
    } of server.requests) {
      expect(JSON.stringify([path, body, rest])).not.toContain(CANARY);
    }
  });

  it("is sent again after a redirect within the origin, in the header only", async () => {
    const server = await startTestHttp(({ path, headers, body }, response) => {
      if (rejectUnauthorized(headers, response, CANARY)) return;
      if (path === "/mcp") return void response.writeHead(307, { location: "/there" }).end();
      const { id = 0 } = JSON.parse(body || "{}") as { id?: number };
      response.writeHead(200, { "content-type": "application/json" }).end(JSON.stringify(result(id)));
    });
    const transport = new HttpTransport(options(server.url));
    const received = recordTransport(transport);
    await transport.send(request(1));
    await eventually(() => expect(received.messages).toHaveLength(1));
    expect(server.requests.map(({ path }) => path)).toEqual(["/mcp", "/mcp", "/there"]);
    expect(server.requests[2]?.headers.authorization).toBe(`Bearer ${CANARY}`);
  });
});
