/** Tests the local callback server with real requests. */
import { createHash } from "node:crypto";
import { once } from "node:events";
import { request as httpRequest } from "node:http";
import type { IncomingMessage, RequestOptions } from "node:http";
import { connect } from "node:net";
import { text } from "node:stream/consumers";
import { isSafeEndpoint } from "#oauth/net/safe-urls.js";
import { listenForCallback } from "@plugboard/mcp/oauth";
import type { CallbackListener, CallbackOptions } from "@plugboard/mcp/oauth";
import { freePort } from "@plugboard/testkit/free-port";
import { isPortOpen, otherAddresses } from "@plugboard/testkit/other-addresses";
import { describe, expect, it, onTestFinished } from "vitest";
import { waitForClose } from "../../helpers/wait-for-close.ts";

const STATE = "the state of this login";

async function listen(options: Partial<CallbackOptions> = {}): Promise<CallbackListener> {
  const listener = await listenForCallback({ server: "tested", ...options });
  onTestFinished(() => listener.close());
  return listener;
}

/** Sends a raw request that `fetch` would not allow. */
async function ask(url: string, query: string, options: RequestOptions = {}) {
  const sent = httpRequest(`${url}${query}`, { agent: false, ...options }).end();
  const [response] = (await once(sent, "response")) as [IncomingMessage];
  return { status: response.statusCode, headers: response.headers, page: await text(response) };
}

const query = (parameters: { [name: string]: string }) => `?${String(new URLSearchParams(parameters))}`;
const RIGHT = query({ code: "c0de", state: STATE });

/** Resolves with the code of the callback. */
const receive = (listener: CallbackListener) =>
  listener.waitForCallback(STATE, async (callback) => callback.searchParams.get("code"));

describe("CallbackListener", { meta: { covers: ["S6"] } }, () => {
  it.each([
    ["missing", "?code=evil"],
    ["empty", "?code=evil&state="],
    ["wrong", query({ code: "evil", state: "another" })],
    ["truncated", query({ code: "evil", state: STATE.slice(0, -1) })],
    ["in another case", query({ code: "evil", state: STATE.toUpperCase() })],
    ["present twice with different values", `${RIGHT}&state=x`],
    ["present twice with the same value", `${RIGHT}&state=${encodeURIComponent(STATE)}`],
    ["wrong, with an error response", query({ error: "access_denied", state: "another" })],
    ["missing, without any parameter", ""],
  ])("rejects a callback whose state is %s, and keeps waiting for the right one", async (_, wrong) => {
    const listener = await listen();
    const received = receive(listener);
    expect((await ask(listener.redirectUri, wrong)).status).toBe(400);
    expect((await ask(listener.redirectUri, wrong)).status).toBe(400);
    expect((await ask(listener.redirectUri, RIGHT)).status).toBe(200);
    expect(await received).toBe("c0de");
  });

  it("accepts a callback only once", async () => {
    const listener = await listen();
    const received = receive(listener);
    expect((await ask(listener.redirectUri, RIGHT)).status).toBe(200);
    expect((await ask(listener.redirectUri, RIGHT)).status).toBe(400);
    expect(await received).toBe("c0de");
  });

  it("accepts a callback only once, even while the first one is being handled", async () => {
    const listener = await listen();
    const codes: (string | null)[] = [];
    let finish = () => {};
    const received = listener.waitForCallback(STATE, async ({ searchParams }) => {
      codes.push(searchParams.get("code"));
      await new Promise<void>((resolve) => (finish = resolve));
    });
    const first = ask(listener.redirectUri, RIGHT);
    await expect.poll(() => codes.length, { timeout: 10_000 }).toBe(1);
    expect((await ask(listener.redirectUri, query({ code: "evil", state: STATE }))).status).toBe(400);
    finish();
    expect((await first).status).toBe(200);
    await received;
    expect(codes).toEqual(["c0de"]);
  });

  it("rejects a callback while no login is waiting", async () => {
    const listener = await listen();
    expect((await ask(listener.redirectUri, RIGHT)).status).toBe(400);
  });
});

describe("The browser after a callback", () => {
  it("shows that the login succeeded", async () => {
    const listener = await listen();
    const received = receive(listener);
    const { status, page } = await ask(listener.redirectUri, RIGHT);
    expect({ status, page }).toEqual({ status: 200, page: expect.stringContaining("You are logged in") });
    expect(await received).toBe("c0de");
  });

  it("shows that the login failed, and the login code gets the reason", async () => {
    const listener = await listen();
    const received = listener.waitForCallback(STATE, () => Promise.reject(new Error("s3cret reason")));
    const rejection = expect(received).rejects.toThrow("s3cret reason");
    const { status, page } = await ask(listener.redirectUri, RIGHT);
    expect({ status, page }).toEqual({ status: 400, page: expect.stringContaining("login failed") });
    expect(page).not.toContain("s3cret");
    await rejection;
  });

  it("shows that access was denied, and the login code gets the response", async () => {
    const listener = await listen();
    const received = listener.waitForCallback(STATE, async ({ searchParams }) => {
      throw new Error(searchParams.get("error") ?? "");
    });
    const rejection = expect(received).rejects.toThrow("access_denied");
    const parameters = { error: "access_denied", error_description: "<b>s3cret</b>", state: STATE };
    const { status, page } = await ask(listener.redirectUri, query(parameters));
    expect({ status, page }).toEqual({ status: 400, page: expect.stringContaining("denied") });
    expect(page).not.toContain("s3cret");
    await rejection;
  });

  it("gets the whole page even if the listener is closed right after the login", async () => {
    const listener = await listen();
    const over = receive(listener).then(() => listener.close());
    expect((await ask(listener.redirectUri, RIGHT)).page).toMatch(/<\/html>\n$/);
    await over;
  });

  it("may disconnect without affecting the login", async () => {
    const listener = await listen();
    const { started, finish, received } = redeemSlowly(listener);
    const leaving = httpRequest(`${listener.redirectUri}${RIGHT}`, { agent: false }).end();
    const disconnected = waitForClose(leaving);
    await started;
    leaving.destroy();
    await disconnected;
    finish();
    expect(await received).toBe("redeemed");
  });
});

it("CallbackListener passes on the parameters unchanged", async () => {
  const listener = await listen();
  const received = listener.waitForCallback(STATE, async (callback) => callback);
  await ask(listener.redirectUri, query({ code: "a+b/c=&%", iss: "https://as.example/x?y", state: STATE }));
  const callback = await received;
  expect(callback.origin + callback.pathname).toBe(listener.redirectUri);
  expect(Object.fromEntries(callback.searchParams)).toEqual({
    code: "a+b/c=&%",
    iss: "https://as.example/x?y",
    state: STATE,
  });
});

it("CallbackListener accepts a long code", async () => {
  const listener = await listen();
  const received = receive(listener);
  const code = "x".repeat(30_000);
  expect((await ask(listener.redirectUri, query({ code, state: STATE }))).status).toBe(200);
  expect(await received).toBe(code);
});

describe("CallbackListener with an unexpected request", () => {
  it.each<[string, number, (url: URL) => [string, RequestOptions]]>([
    ["another path", 404, ({ origin }) => [`${origin}/`, {}]],
    ["a subpath", 404, ({ href }) => [`${href}/x`, {}]],
    ["a path that is equal after normalisation", 404, ({ href }) => [href, { path: `/./callback${RIGHT}` }]],
    ["a path that resembles a host", 404, ({ href }) => [href, { path: `//evil.example/callback${RIGHT}` }]],
    ["an absolute URL as the path", 404, ({ href }) => [href, { path: `http://evil.example/callback${RIGHT}` }]],
    ["a POST", 404, ({ href }) => [href, { method: "POST" }]],
    ["a HEAD request", 404, ({ href }) => [href, { method: "HEAD" }]],
    ["a foreign host", 403, ({ href }) => [href, { headers: { host: "evil.example" } }]],
    ["a foreign host with our port", 403, ({ href, port }) => [href, { headers: { host: `evil.example:${port}` } }]],
    ["our host with another port", 403, ({ href }) => [href, { headers: { host: "127.0.0.1:1" } }]],
    ["our host without a port", 403, ({ href }) => [href, { headers: { host: "127.0.0.1" } }]],
  ])("rejects %s and keeps waiting for the login", async (_, status, make) => {
    const listener = await listen();
    const received = receive(listener);
    const [url, options] = make(new URL(listener.redirectUri));
    expect((await ask(url, RIGHT, options)).status).toBe(status);
    expect((await ask(listener.redirectUri, RIGHT)).status).toBe(200);
    expect(await received).toBe("c0de");
  });

  it("rejects headers that are too long", async () => {
    const listener = await listen();
    const received = receive(listener);
    expect((await ask(listener.redirectUri, RIGHT, { headers: { "x-long": "x".repeat(100_000) } })).status).toBe(431);
    expect((await ask(listener.redirectUri, RIGHT)).status).toBe(200);
    await received;
  });

  it("rejects more connections than the limit", async () => {
    const listener = await listen();
    const { port } = new URL(listener.redirectUri);
    const idle = Array.from({ length: 32 }, () => connect(Number(port), "127.0.0.1"));
    for (const socket of idle) onTestFinished(() => void socket.destroy());
    await Promise.all(idle.map((socket) => once(socket, "connect")));
    const tooMuch = connect(Number(port), "127.0.0.1").resume();
    await waitForClose(tooMuch);
    expect(idle.every((socket) => !socket.destroyed)).toBe(true);
  });
});

it("CallbackListener accepts localhost as its host", async () => {
  const listener = await listen();
  const received = receive(listener);
  const { port } = new URL(listener.redirectUri);
  expect((await ask(listener.redirectUri, RIGHT, { headers: { host: `LocalHost:${port}` } })).status).toBe(200);
  expect(await received).toBe("c0de");
});

describe("The callback page", () => {
  it.each<[string, number, string, string]>([
    ["a login", 200, "/callback", RIGHT],
    ["an unexpected callback", 400, "/callback", "?state=x"],
    ["an unknown path", 404, "/favicon.ico", ""],
  ])(
    "loads no resources, is not cached and repeats nothing from the request after %s",
    async (_, status, path, sent) => {
      const listener = await listen();
      const received = receive(listener).catch(() => {});
      const { origin } = new URL(listener.redirectUri);
      const reflected = "r3flected<script>";
      const answer = await ask(`${origin}${path}`, `${sent || "?"}&x=${encodeURIComponent(reflected)}`, {
        headers: { cookie: reflected, referer: reflected, "user-agent": reflected },
      });
      expect(answer.status).toBe(status);
      expect(answer.headers).toMatchObject({
        "cache-control": "no-store",
        connection: "close",
        "content-type": "text/html; charset=utf-8",
        "referrer-policy": "no-referrer",
        "x-content-type-options": "nosniff",
        "x-frame-options": "DENY",
      });
      const [, style = ""] = /<style>(.*)<\/style>/s.exec(answer.page) ?? [];
      const hash = createHash("sha256").update(style).digest("base64");
      const policy = String(answer.headers["content-security-policy"]);
      expect(policy.split("; ")).toEqual(
        expect.arrayContaining([
          "default-src 'none'",
          `style-src 'sha256-${hash}'`,
          "form-action 'none'",
          "frame-ancestors 'none'",
        ]),
      );
      expect(answer.page).not.toMatch(/r3flected|c0de|script|the state|https?:/);
      expect(answer.headers).not.toHaveProperty("set-cookie");
      await listener.close();
      await received;
    },
  );
});

describe("The port of the callback listener", () => {
  it("is a free port on loopback only", async () => {
    const { redirectUri } = await listen();
    expect(redirectUri).toMatch(/^http:\/\/127\.0\.0\.1:\d+\/callback$/);
    expect(isSafeEndpoint(redirectUri)).toBe(true);
  });

  it("is the configured port, with the configured path", async () => {
    const port = await freePort();
    const listener = await listen({ port, path: "/oauth/back" });
    expect(listener.redirectUri).toBe(`http://127.0.0.1:${port}/oauth/back`);
    const received = receive(listener);
    expect((await ask(listener.redirectUri, RIGHT)).status).toBe(200);
    expect(await received).toBe("c0de");
  });

  it("is named in the error if it is in use", async () => {
    const port = Number(new URL((await listen()).redirectUri).port);
    await expect(listenForCallback({ server: "tested", port })).rejects.toMatchObject({
      code: "LOGIN_FAILED",
      details: { server: "tested", reason: expect.stringMatching(`${port}.*in use`) },
    });
  });
});

describe("CallbackListener.close", () => {
  it("closes all connections and rejects the pending wait", async () => {
    const listener = await listen();
    const received = expect(receive(listener)).rejects.toMatchObject({ code: "CANCELLED" });
    const { port } = new URL(listener.redirectUri);
    const silent = connect(Number(port), "127.0.0.1").resume();
    const halfway = connect(Number(port), "127.0.0.1").resume();
    await Promise.all([once(silent, "connect"), once(halfway, "connect")]);
    halfway.write("GET /callback HTTP/1.1\r\n");
    const allClosed = Promise.all(
      [silent, halfway].map((socket) =>
        once(
          socket.on("error", () => {}),
          "close",
        ),
      ),
    );
    // When this request is answered, all earlier requests have arrived.
    await ask(listener.redirectUri, "");
    await listener.close();
    await Promise.all([received, allClosed]);
    await listener.close();
    await expect(receive(listener)).rejects.toMatchObject({ code: "CANCELLED" });
  });

  it("frees the port", async () => {
    const first = await listen();
    const port = Number(new URL(first.redirectUri).port);
    await first.close();
    expect((await listen({ port })).redirectUri).toBe(first.redirectUri);
  });

  it("does not interrupt a login that is already being redeemed", async () => {
    const listener = await listen();
    const { started, finish, received } = redeemSlowly(listener);
    const asking = expect(ask(listener.redirectUri, RIGHT)).rejects.toThrow();
    await started;
    await listener.close();
    await asking;
    finish();
    expect(await received).toBe("redeemed");
  });
});

it("CallbackListener listens on loopback only", async () => {
  const port = Number(new URL((await listen()).redirectUri).port);
  expect(await isPortOpen("127.0.0.1", port)).toBe(true);
  for (const address of otherAddresses()) expect(await isPortOpen(address, port), address).toBe(false);
});

/** Waits for a callback, and redeems it only when `finish` is called. `started` resolves when the callback arrives. */
function redeemSlowly(listener: CallbackListener) {
  let finish = () => {};
  let begin = () => {};
  const started = new Promise<void>((resolve) => (begin = resolve));
  const finished = new Promise<void>((resolve) => (finish = resolve));
  const received = listener.waitForCallback(STATE, async () => {
    begin();
    await finished;
    return "redeemed";
  });
  return { started, finish, received };
}
