/** The page that a browser comes back to, asked by real requests. */
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

/** A request as it is, which `fetch` would not let pass. */
async function ask(url: string, query: string, options: RequestOptions = {}) {
  const sent = httpRequest(`${url}${query}`, { agent: false, ...options }).end();
  const [response] = (await once(sent, "response")) as [IncomingMessage];
  return { status: response.statusCode, headers: response.headers, page: await text(response) };
}

const query = (parameters: { [name: string]: string }) => `?${String(new URLSearchParams(parameters))}`;
const RIGHT = query({ code: "c0de", state: STATE });

/** Waits for the browser, and ends with the code that it brings. */
const receive = (listener: CallbackListener) =>
  listener.waitForCallback(STATE, async (callback) => callback.searchParams.get("code"));

describe("the state", { meta: { covers: ["S6"] } }, () => {
  it.each([
    ["missing", "?code=evil"],
    ["empty", "?code=evil&state="],
    ["wrong", query({ code: "evil", state: "another" })],
    ["the beginning of it", query({ code: "evil", state: STATE.slice(0, -1) })],
    ["in other letters", query({ code: "evil", state: STATE.toUpperCase() })],
    ["there twice", `${RIGHT}&state=x`],
    ["there twice, the same", `${RIGHT}&state=${encodeURIComponent(STATE)}`],
    ["wrong, of a refusal", query({ error: "access_denied", state: "another" })],
    ["missing, of nothing", ""],
  ])("that is %s is refused, and the right one is still waited for", async (_, wrong) => {
    const listener = await listen();
    const received = receive(listener);
    expect((await ask(listener.redirectUri, wrong)).status).toBe(400);
    expect((await ask(listener.redirectUri, wrong)).status).toBe(400);
    expect((await ask(listener.redirectUri, RIGHT)).status).toBe(200);
    expect(await received).toBe("c0de");
  });

  it("is good once: whoever comes with it again is refused", async () => {
    const listener = await listen();
    const received = receive(listener);
    expect((await ask(listener.redirectUri, RIGHT)).status).toBe(200);
    expect((await ask(listener.redirectUri, RIGHT)).status).toBe(400);
    expect(await received).toBe("c0de");
  });

  it("is good once: also while the first is not done", async () => {
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

  it("is refused while no login is waited for", async () => {
    const listener = await listen();
    expect((await ask(listener.redirectUri, RIGHT)).status).toBe(400);
  });
});

describe("the browser is told how it went, when that is known:", () => {
  it("well", async () => {
    const listener = await listen();
    const received = receive(listener);
    const { status, page } = await ask(listener.redirectUri, RIGHT);
    expect({ status, page }).toEqual({ status: 200, page: expect.stringContaining("You are logged in") });
    expect(await received).toBe("c0de");
  });

  it("not well, and whoever waits is told why", async () => {
    const listener = await listen();
    const received = listener.waitForCallback(STATE, () => Promise.reject(new Error("s3cret reason")));
    const told = expect(received).rejects.toThrow("s3cret reason");
    const { status, page } = await ask(listener.redirectUri, RIGHT);
    expect({ status, page }).toEqual({ status: 400, page: expect.stringContaining("login failed") });
    expect(page).not.toContain("s3cret");
    await told;
  });

  it("that it was not granted, which is an answer like any other", async () => {
    const listener = await listen();
    const received = listener.waitForCallback(STATE, async ({ searchParams }) => {
      throw new Error(searchParams.get("error") ?? "");
    });
    const told = expect(received).rejects.toThrow("access_denied");
    const parameters = { error: "access_denied", error_description: "<b>s3cret</b>", state: STATE };
    const { status, page } = await ask(listener.redirectUri, query(parameters));
    expect({ status, page }).toEqual({ status: 400, page: expect.stringContaining("denied") });
    expect(page).not.toContain("s3cret");
    await told;
  });

  it("whole, though the listener is closed as soon as that is over", async () => {
    const listener = await listen();
    const over = receive(listener).then(() => listener.close());
    expect((await ask(listener.redirectUri, RIGHT)).page).toMatch(/<\/html>\n$/);
    await over;
  });

  it("and if it has left meanwhile, that changes nothing", async () => {
    const listener = await listen();
    let finish = () => {};
    let begin = () => {};
    const begun = new Promise<void>((resolve) => (begin = resolve));
    const received = listener.waitForCallback(STATE, async () => {
      begin();
      await new Promise<void>((resolve) => (finish = resolve));
      return "redeemed";
    });
    const leaving = httpRequest(`${listener.redirectUri}${RIGHT}`, { agent: false }).end();
    const left = waitForClose(leaving);
    await begun;
    leaving.destroy();
    await left;
    finish();
    expect(await received).toBe("redeemed");
  });
});

it("what the browser brings arrives as it was sent, at the address that was given out", async () => {
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

it("a long code fits", async () => {
  const listener = await listen();
  const received = receive(listener);
  const code = "x".repeat(30_000);
  expect((await ask(listener.redirectUri, query({ code, state: STATE }))).status).toBe(200);
  expect(await received).toBe(code);
});

describe("everything else is refused, and does not disturb the login:", () => {
  it.each<[string, number, (url: URL) => [string, RequestOptions]]>([
    ["another path", 404, ({ origin }) => [`${origin}/`, {}]],
    ["a path below", 404, ({ href }) => [`${href}/x`, {}]],
    ["a path that is the same to some", 404, ({ href }) => [href, { path: `/./callback${RIGHT}` }]],
    ["what looks like a host", 404, ({ href }) => [href, { path: `//evil.example/callback${RIGHT}` }]],
    ["a whole URL", 404, ({ href }) => [href, { path: `http://evil.example/callback${RIGHT}` }]],
    ["a form", 404, ({ href }) => [href, { method: "POST" }]],
    ["the head alone", 404, ({ href }) => [href, { method: "HEAD" }]],
    ["the host of somebody else", 403, ({ href }) => [href, { headers: { host: "evil.example" } }]],
    ["one with our port", 403, ({ href, port }) => [href, { headers: { host: `evil.example:${port}` } }]],
    ["our host with another port", 403, ({ href }) => [href, { headers: { host: "127.0.0.1:1" } }]],
    ["our host without a port", 403, ({ href }) => [href, { headers: { host: "127.0.0.1" } }]],
  ])("%s", async (_, status, make) => {
    const listener = await listen();
    const received = receive(listener);
    const [url, options] = make(new URL(listener.redirectUri));
    expect((await ask(url, RIGHT, options)).status).toBe(status);
    expect((await ask(listener.redirectUri, RIGHT)).status).toBe(200);
    expect(await received).toBe("c0de");
  });

  it("a head that is too long", async () => {
    const listener = await listen();
    const received = receive(listener);
    expect((await ask(listener.redirectUri, RIGHT, { headers: { "x-long": "x".repeat(100_000) } })).status).toBe(431);
    expect((await ask(listener.redirectUri, RIGHT)).status).toBe(200);
    await received;
  });

  it("more connections than there is room for", async () => {
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

it("it may be called localhost", async () => {
  const listener = await listen();
  const received = receive(listener);
  const { port } = new URL(listener.redirectUri);
  expect((await ask(listener.redirectUri, RIGHT, { headers: { host: `LocalHost:${port}` } })).status).toBe(200);
  expect(await received).toBe("c0de");
});

describe("the page", () => {
  it.each<[string, number, string, string]>([
    ["a login", 200, "/callback", RIGHT],
    ["what nobody waits for", 400, "/callback", "?state=x"],
    ["what is not there", 404, "/favicon.ico", ""],
  ])(
    "after %s is bare: it loads nothing, stays nowhere, and says nothing of what it was sent",
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

describe("the port", () => {
  it("is a free one, at the address of this machine alone", async () => {
    const { redirectUri } = await listen();
    expect(redirectUri).toMatch(/^http:\/\/127\.0\.0\.1:\d+\/callback$/);
    expect(isSafeEndpoint(redirectUri)).toBe(true);
  });

  it("or the one that is configured, and so is the path", async () => {
    const port = await freePort();
    const listener = await listen({ port, path: "/oauth/back" });
    expect(listener.redirectUri).toBe(`http://127.0.0.1:${port}/oauth/back`);
    const received = receive(listener);
    expect((await ask(listener.redirectUri, RIGHT)).status).toBe(200);
    expect(await received).toBe("c0de");
  });

  it("that is taken is told", async () => {
    const port = Number(new URL((await listen()).redirectUri).port);
    await expect(listenForCallback({ server: "tested", port })).rejects.toMatchObject({
      code: "LOGIN_FAILED",
      details: { server: "tested", reason: expect.stringMatching(`${port}.*in use`) },
    });
  });
});

describe("closing", () => {
  it("ends what is still connected, and whoever waits", async () => {
    const listener = await listen();
    const received = expect(receive(listener)).rejects.toMatchObject({ code: "CANCELLED" });
    const { port } = new URL(listener.redirectUri);
    const silent = connect(Number(port), "127.0.0.1").resume();
    const halfway = connect(Number(port), "127.0.0.1").resume();
    await Promise.all([once(silent, "connect"), once(halfway, "connect")]);
    halfway.write("GET /callback HTTP/1.1\r\n");
    const ended = Promise.all(
      [silent, halfway].map((socket) =>
        once(
          socket.on("error", () => {}),
          "close",
        ),
      ),
    );
    // What came before it has arrived too when this is answered.
    await ask(listener.redirectUri, "");
    await listener.close();
    await Promise.all([received, ended]);
    await listener.close();
    await expect(receive(listener)).rejects.toMatchObject({ code: "CANCELLED" });
  });

  it("frees the port", async () => {
    const first = await listen();
    const port = Number(new URL(first.redirectUri).port);
    await first.close();
    expect((await listen({ port })).redirectUri).toBe(first.redirectUri);
  });

  it("leaves to whoever waits what was already begun", async () => {
    const listener = await listen();
    let finish = () => {};
    let begin = () => {};
    const begun = new Promise<void>((resolve) => (begin = resolve));
    const received = listener.waitForCallback(STATE, async () => {
      begin();
      await new Promise<void>((resolve) => (finish = resolve));
      return "redeemed";
    });
    const asking = expect(ask(listener.redirectUri, RIGHT)).rejects.toThrow();
    await begun;
    await listener.close();
    await asking;
    finish();
    expect(await received).toBe("redeemed");
  });
});

it("the page is open on loopback only", async () => {
  const port = Number(new URL((await listen()).redirectUri).port);
  expect(await isPortOpen("127.0.0.1", port)).toBe(true);
  for (const address of otherAddresses()) expect(await isPortOpen(address, port), address).toBe(false);
});
