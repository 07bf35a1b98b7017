/**
 * Tests credentials over Streamable HTTP. They are sent with every request and replaced once if the server rejects
 * them.
 */
import { HostError } from "@plugboard/contracts";
import type { CredentialRequest } from "@plugboard/mcp";
import type { ScriptedRequest } from "@plugboard/testkit/start-server";
import type { HttpTransportOptions } from "#transport/streamable-http/http-transport.js";
import type { ServerResponse } from "node:http";
import { describe, expect, it } from "vitest";
import { ManualClock } from "../../../../contracts/test/helpers/manual-clock.ts";
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
import { CHALLENGE, deferred, ScriptedCredentials, rejectUnauthorized } from "../../helpers/scripted-credentials.ts";

const VERSION = { "mcp-protocol-version": "2025-11-25" };
const notification = { jsonrpc: "2.0", method: "notifications/x" } as const;
const refusal = { status: 401, challenge: CHALLENGE };
const scope = 'Bearer error="insufficient_scope", scope="write"';
const failed = new HostError("LOGIN_FAILED", { server: "tested", reason: "the refresh token is spent" });

const stream = (response: ServerResponse, part = "") => {
  response.writeHead(200, { "content-type": "text/event-stream" }).flushHeaders();
  response.write(part);
  return response;
};

const answer = (response: ServerResponse, body: string) => {
  const { id } = JSON.parse(body || "{}") as { id?: number };
  if (id === undefined) return void response.writeHead(202).end();
  response.writeHead(200, { "content-type": "application/json", "mcp-session-id": "s1" });
  response.end(JSON.stringify(result(id)));
};

type Handler = (requested: ScriptedRequest, response: ServerResponse) => void;

/** Rejects requests without one of the tokens. */
function guarded(tokens: readonly string[], handler: Handler = ({ body }, response) => answer(response, body)) {
  return startTestHttp((requested, response) => {
    if (!rejectUnauthorized(requested.headers, response, ...tokens)) handler(requested, response);
  });
}

function open(
  url: string,
  credentials: HttpTransportOptions["credentials"],
  overrides: Partial<HttpTransportOptions> = {},
) {
  return openHttp(url, { credentials, random: () => 0, ...overrides });
}

const sentTo = ({ requests }: { readonly requests: readonly ScriptedRequest[] }, method?: string) =>
  requests
    .filter((received) => method === undefined || received.method === method)
    .map(({ headers }) => headers.authorization);

describe.each([
  ["immediately", false],
  ["later", true],
])("Credentials that are available %s", (_, isLater) => {
  class Counted extends ScriptedCredentials {
    override headers(requested: CredentialRequest) {
      this.requests.push(requested);
      const headers = { Authorization: `Bearer ${this.requests.length}` };
      return isLater ? Promise.resolve(headers) : headers;
    }
  }

  it("are requested anew for every request and override the configured headers", async () => {
    const server = await startTestHttp(({ method, body, headers }, response) => {
      if (method === "DELETE") return void response.end();
      if (headers["last-event-id"] !== undefined) return void stream(response, sseEvent(result(2)));
      if (method === "GET") return void stream(response, sseEvent(logNotification("news")));
      const { id } = JSON.parse(body) as { id?: number };
      if (id === 2) return void stream(response, sseEvent(logNotification("half"), { id: "1", retry: 1 })).end();
      answer(response, body);
    });
    const credentials = new Counted();
    const headers = { Authorization: "Bearer of the definition", "x-key": "k" };
    const { transport, ...received } = open(`${server.url}?key=secret`, credentials, { headers });
    await transport.send(request(1));
    await transport.send(notification);
    transport.openPushStream(VERSION);
    await transport.send(request(2));
    await eventually(() => expect(messageTexts(received)).toHaveLength(4));
    await transport.close();
    const methods = ["POST", "POST", "GET", "POST", "GET", "DELETE"];
    expect(server.requests.map(({ method }) => method)).toEqual(methods);
    expect(sentTo(server)).toEqual(methods.map((__, index) => `Bearer ${index + 1}`));
    for (const received of server.requests)
      expect(received).toMatchObject({ headers: { "x-key": "k" }, path: "/mcp?key=secret" });
    expect(credentials.requests).toEqual(methods.map((method) => ({ method, url: server.url })));
  });

  it("are requested for the target of a redirect", async () => {
    const server = await startTestHttp(({ path, body }, response) => {
      if (path === "/mcp") response.writeHead(307, { location: "/there?x=1" }).end();
      else answer(response, body);
    });
    const credentials = new Counted();
    const { transport, ...received } = open(server.url, credentials);
    await transport.send(request(1));
    expect(messageTexts(received)).toEqual(["done"]);
    expect(credentials.requests.map(({ url }) => new URL(url).pathname)).toEqual(["/mcp", "/there"]);
    expect(sentTo(server)).toEqual(["Bearer 1", "Bearer 2"]);
  });
});

describe("A request whose credentials are rejected", () => {
  it("is sent a second time with new credentials", async () => {
    const server = await guarded(["new"]);
    const credentials = new ScriptedCredentials("old", "new");
    const { transport, ...received } = open(server.url, credentials);
    await transport.send(request(1));
    expect(messageTexts(received)).toEqual(["done"]);
    expect(sentTo(server)).toEqual(["Bearer old", "Bearer new"]);
    expect(server.requests[1]?.body).toBe(server.requests[0]?.body);
    expect(credentials.refusals).toEqual([{ refusal, sent: { authorization: "Bearer old" } }]);
  });

  it.each<[string, number, { [name: string]: string }, object]>([
    ["if more scope is required", 403, { "www-authenticate": scope }, { status: 403, challenge: scope }],
    [
      "with the nonce of the server",
      401,
      { "www-authenticate": "DPoP", "dpop-nonce": "n1" },
      { status: 401, challenge: "DPoP", nonce: "n1" },
    ],
  ])("is sent a second time %s", async (_, status, headers, refusal) => {
    const server = await startTestHttp((requested, response) => {
      if (requested.headers.authorization === "Bearer b") answer(response, requested.body);
      else response.writeHead(status, headers).end();
    });
    const credentials = new ScriptedCredentials("a", "b");
    const { transport, ...received } = open(server.url, credentials);
    await transport.send(request(1));
    expect(messageTexts(received)).toEqual(["done"]);
    expect(credentials.refusals.map(({ refusal: recorded }) => recorded)).toEqual([refusal]);
  });

  it("is sent a third time if only a nonce is missing, but not a fourth time", async () => {
    const nonce = { "www-authenticate": 'DPoP error="use_dpop_nonce"', "dpop-nonce": "n1" };
    const refusals: { [sent: string]: object } = {
      "Bearer a": {},
      "Bearer b": nonce,
      "Bearer d": nonce,
      "Bearer e": {},
    };
    const server = await startTestHttp((requested, response) => {
      const headers = refusals[String(requested.headers.authorization)];
      if (headers) response.writeHead(401, { ...headers }).end();
      else answer(response, requested.body);
    });
    const { transport, ...received } = open(server.url, new ScriptedCredentials("a", "b", "c"));
    await transport.send(request(1));
    expect(messageTexts(received)).toEqual(["done"]);
    expect(sentTo(server)).toEqual(["Bearer a", "Bearer b", "Bearer c"]);

    const never = open(server.url, new ScriptedCredentials("d", "e", "d", "c"));
    await never.transport.send(request(1));
    expect(never.lost.get(1)).toMatchObject({ code: "AUTH_REQUIRED" });
    expect(sentTo(server).slice(3)).toEqual(["Bearer d", "Bearer e", "Bearer d"]);
  });

  it.each<[string, ScriptedCredentials, requests: number]>([
    ["the new credentials are rejected too", new ScriptedCredentials("old", "older", "oldest"), 2],
    ["there are no other credentials", new ScriptedCredentials("old"), 1],
  ])("fails with AUTH_REQUIRED if %s", async (_, credentials, requests) => {
    const server = await guarded(["new"]);
    const { transport, lost } = open(server.url, credentials);
    await transport.send(request(1));
    expect(lost.get(1)).toMatchObject({ code: "AUTH_REQUIRED", details: { server: "tested" }, cause: refusal });
    expect(lost.get(1)?.details).not.toHaveProperty("why");
    await expect(transport.send(notification)).rejects.toMatchObject({ code: "AUTH_REQUIRED", cause: refusal });
    expect(server.requests).toHaveLength(requests * 2);
    expect(credentials.refusals).toHaveLength(2);
  });

  it("is not sent again if it was rejected for another reason", async () => {
    const server = await startTestHttp(
      (_, response) => void response.writeHead(403, { "www-authenticate": "Bearer" }).end(),
    );
    const credentials = new ScriptedCredentials("a", "b");
    const { transport, lost } = open(server.url, credentials);
    await transport.send(request(1));
    expect(lost.get(1)).toMatchObject({ code: "UNEXPECTED_RESPONSE", details: { status: 403 } });
    expect(server.requests).toHaveLength(1);
    expect(credentials.refusals).toEqual([]);
  });

  it("fails with the error of `Credentials` if new credentials can't be fetched", async () => {
    const server = await guarded(["new"]);
    const credentials = new ScriptedCredentials("old");
    const { transport, lost } = open(server.url, credentials);
    credentials.onUnauthorized = () => Promise.reject(failed);
    await transport.send(request(1));
    expect(lost.get(1)).toBe(failed);
    expect(server.requests).toHaveLength(1);
    credentials.headers = () => Promise.reject(failed);
    await transport.send(request(2));
    expect(lost.get(2)).toBe(failed);
    expect(server.requests).toHaveLength(1);
  });

  it("is retried once, even if other requests are rejected at the same time", async () => {
    const server = await guarded(["new"]);
    const credentials = new ScriptedCredentials("old", "new");
    const { transport, ...received } = open(server.url, credentials);
    await Promise.all([1, 2, 3, 4, 5].map((id) => transport.send(request(id))));
    expect(messageTexts(received)).toEqual(Array(5).fill("done"));
    expect(credentials.refusals).toHaveLength(5);
    expect(server.requests).toHaveLength(10);
  });

  it("does not read an endless error response into memory while new credentials are fetched", async () => {
    const closed = deferred<void>();
    const server = await startTestHttp(({ headers, body }, response) => {
      if (headers.authorization === "Bearer new") return answer(response, body);
      response.once("close", closed.resolve).writeHead(401);
      const writeRepeatedly = () => {
        while (!response.destroyed && response.write(Buffer.alloc(65_536)));
      };
      response.on("drain", writeRepeatedly);
      writeRepeatedly();
    });
    const credentials = new ScriptedCredentials("old", "new");
    const renew = credentials.onUnauthorized.bind(credentials);
    credentials.onUnauthorized = async (...refused) => {
      await closed.promise;
      return renew(...refused);
    };
    const { transport, ...received } = open(server.url, credentials);
    await transport.send(request(1));
    expect(messageTexts(received)).toEqual(["done"]);
  });
});

describe("The DELETE of a session", () => {
  it("is not retried with new credentials", async () => {
    let tokenIsValid = true;
    const server = await startTestHttp(({ headers, body }, response) => {
      if (!rejectUnauthorized(headers, response, tokenIsValid ? "a" : "b")) answer(response, body);
    });
    const credentials = new ScriptedCredentials("a", "b");
    const { transport } = open(server.url, credentials);
    await transport.send(request(1));
    tokenIsValid = false;
    await transport.close();
    expect(sentTo(server, "DELETE")).toEqual(["Bearer a"]);
    expect(credentials.refusals).toEqual([]);
  });

  it("waits for credentials only until the timeout for the server", async () => {
    const clock = new ManualClock();
    const server = await guarded(["a"]);
    const credentials = new ScriptedCredentials("a");
    const { transport } = open(server.url, credentials, { clock });
    await transport.send(request(1));
    credentials.headers = () => new Promise(() => {});
    const closing = transport.close();
    clock.advance(2000);
    await closing;
    expect(sentTo(server, "DELETE")).toEqual([]);
  });
});

describe("The credentials of the push stream", () => {
  /** Opens a session and its GET stream. */
  async function pushing(credentials: ScriptedCredentials, tokens: string[], onGet: Handler) {
    const clock = new ManualClock();
    const server = await startTestHttp((requested, response) => {
      if (requested.method === "POST") return answer(response, requested.body);
      if (requested.method === "DELETE") return void response.end();
      if (!rejectUnauthorized(requested.headers, response, ...tokens)) onGet(requested, response);
    });
    const { transport, ...received } = open(server.url, credentials, { clock });
    await transport.send(request(1));
    transport.openPushStream(VERSION);
    return { server, transport, received, clock };
  }

  it("are replaced once if they are rejected, and once more if that happens when the stream is reopened", async () => {
    const tokens = ["b"];
    const streams: ServerResponse[] = [];
    const credentials = new ScriptedCredentials("a", "b", "c");
    const { server, received, clock } = await pushing(credentials, tokens, (_, response) => {
      streams.push(stream(response, sseEvent(logNotification(`news ${streams.length + 1}`))));
    });
    await eventually(() => expect(messageTexts(received)).toEqual(["done", "news 1"]));
    tokens[0] = "c";
    streams[0]!.end();
    await eventually(() => expect(clock.pendingTimers).toBe(1));
    clock.advance(60_000);
    await eventually(() => expect(messageTexts(received)).toEqual(["done", "news 1", "news 2"]));
    expect(sentTo(server, "GET")).toEqual(["Bearer a", "Bearer b", "Bearer b", "Bearer c"]);
  });

  it.each<[string, (credentials: ScriptedCredentials) => void, string[]]>([
    ["the new credentials are rejected too", () => {}, ["Bearer a", "Bearer b"]],
    ["there are no new credentials", (credentials) => (credentials.onUnauthorized = async () => false), ["Bearer a"]],
    [
      "fetching new credentials fails",
      (credentials) => (credentials.onUnauthorized = () => Promise.reject(failed)),
      ["Bearer a"],
    ],
  ])("leave the stream closed if %s", async (_, change, sent) => {
    const credentials = new ScriptedCredentials("a", "b", "c");
    change(credentials);
    const { server, transport, clock } = await pushing(credentials, [], () => {});
    await eventually(() => expect(sentTo(server, "GET")).toEqual(sent));
    for (const id of [2, 3, 4]) {
      await transport.send(request(id));
      clock.advance(3_600_000);
    }
    expect(sentTo(server, "GET")).toEqual(sent);
  });
});

describe("A resumed response stream", () => {
  async function resuming(tokens: string[]) {
    const server = await startTestHttp(({ method, headers, body }, response) => {
      if (method === "DELETE") return void response.end();
      if (headers["last-event-id"] !== undefined) {
        if (!rejectUnauthorized(headers, response, ...tokens)) stream(response, sseEvent(result(2)));
      } else if (method === "GET") response.writeHead(405).end();
      else if (body.includes('"id":2'))
        stream(response, sseEvent(logNotification("half"), { id: "1", retry: 1 })).end();
      else answer(response, body);
    });
    const credentials = new ScriptedCredentials("a", "b", "c");
    const { transport, ...received } = open(server.url, credentials);
    await transport.send(request(1));
    transport.openPushStream(VERSION);
    await transport.send(request(2));
    const resumes = server.requests.filter(({ headers }) => headers["last-event-id"] !== undefined);
    return { received, sent: resumes.map(({ headers }) => headers.authorization) };
  }

  it("is requested a second time with new credentials", async () => {
    const { received, sent } = await resuming(["b"]);
    expect(messageTexts(received)).toEqual(["done", "half", "done"]);
    expect(sent).toEqual(["Bearer a", "Bearer b"]);
  });

  it("fails with CONNECTION_LOST if it is rejected again, because the request may have been executed", async () => {
    const { received, sent } = await resuming([]);
    expect(received.lost.get(2)).toMatchObject({ code: "CONNECTION_LOST", cause: { code: "AUTH_REQUIRED" } });
    expect(sent).toEqual(["Bearer a", "Bearer b"]);
  });
});

describe("Waiting for credentials", () => {
  it.each<[string, "headers" | "onUnauthorized"]>([
    ["initial credentials", "headers"],
    ["new credentials", "onUnauthorized"],
  ])("ends when the request is cancelled or the transport is closed (%s)", async (_, waitsIn) => {
    const server = await guarded([]);
    const credentials = new ScriptedCredentials("a", "b");
    const waits: Promise<void>[] = [];
    const started = Array.from({ length: 3 }, () => deferred<void>());
    credentials[waitsIn] = () => {
      started[waits.length]!.resolve();
      const wait = new Promise<never>(() => {});
      waits.push(wait);
      return wait;
    };
    const { transport, lost } = open(server.url, credentials);
    const dropped = transport.send(request(1));
    await started[0]!.promise;
    transport.closeRequestStream(1);
    await dropped;
    const cut = transport.send(request(2));
    await started[1]!.promise;
    const notifying = transport.send(notification);
    const rejected = expect(notifying).rejects.toMatchObject({ code: "CONNECTION_CLOSED" });
    await started[2]!.promise;
    await transport.close();
    await Promise.all([cut, rejected]);
    expect(lost.size).toBe(0);
    expect(server.requests).toHaveLength(waitsIn === "headers" ? 0 : 3);
  });

  it("does not count towards the accept timeout", async () => {
    const clock = new ManualClock();
    const server = await guarded(["b"]);
    const credentials = new ScriptedCredentials("a", "b");
    const first = deferred<{ authorization: string }>();
    const started = deferred<void>();
    const requested = deferred<void>();
    const renewed = deferred<boolean>();
    const give = credentials.headers.bind(credentials);
    const renew = credentials.onUnauthorized.bind(credentials);
    credentials.headers = () => {
      started.resolve();
      return first.promise;
    };
    credentials.onUnauthorized = async (...refused) => {
      await renew(...refused);
      requested.resolve();
      return renewed.promise;
    };
    const { transport } = open(server.url, credentials, { clock });
    const notifying = transport.send(notification);
    await started.promise;
    clock.advance(60_000);
    first.resolve({ authorization: "Bearer a" });
    await requested.promise;
    clock.advance(60_000);
    credentials.headers = give;
    renewed.resolve(true);
    await notifying;
    expect(sentTo(server)).toEqual(["Bearer a", "Bearer b"]);
    expect(clock.pendingTimers).toBe(0);
  });
});
