/** Tests how the port serves the page and signs a browser in, and what pages of other origins can do. */
import { once } from "node:events";
import { request } from "node:http";
import type { IncomingMessage, ServerResponse } from "node:http";
import { connect } from "node:net";
import {
  controlPaths,
  PAGE_CLEAR_PATH,
  PAGE_KEY_HEADER,
  PAGE_SESSION_PATH,
  VERSION_HEADER,
} from "@plugboard/contracts";
import { VERSION } from "@plugboard/host";
import { scriptedLegacy } from "@plugboard/testkit/start-server";
import { afterAll, beforeAll, describe, expect, it, onTestFinished } from "vitest";
import { connectionLimit } from "#http/draining-http-server.js";
import { PageFiles } from "#page/page-files.js";
import { pageHeaders } from "#page/page-policy.js";
import { startRunningHost } from "../helpers/running-host.ts";
import type { RunningHost } from "../helpers/running-host.ts";

let host: RunningHost;
beforeAll(async () => void (host = await startRunningHost({ s: scriptedLegacy() })));
afterAll(() => host.close());

interface Sent {
  readonly method?: string;
  readonly headers?: { readonly [name: string]: string };
  readonly body?: unknown;
}

interface Received {
  readonly status: number;
  readonly headers: { readonly [name: string]: string | string[] | undefined };
  readonly text: string;
}

function send(path: string, { method = "GET", headers = {}, body }: Sent = {}): Promise<Received> {
  return new Promise((resolve, reject) => {
    const { port } = new URL(host.url);
    const sent = request({ host: "127.0.0.1", port, path, method, headers, agent: false }, (response) => {
      let text = "";
      const finish = () => {
        resolve({ status: response.statusCode!, headers: response.headers, text });
        sent.destroy();
      };
      response.setEncoding("utf8").on("data", (chunk: string) => {
        text += chunk;
        // A stream stays open, so its first event is enough.
        if (text.startsWith("data:")) finish();
      });
      response.on("end", finish);
    });
    sent.on("error", reject).end(body === undefined ? undefined : JSON.stringify(body));
  });
}

const origin = () => new URL(host.url).origin;
const codeOf = (url: string) => new URL(url).hash.slice("#code=".length);

async function signIn() {
  const body = { code: codeOf(host.daemon.openPage().url) };
  const signedIn = await send(PAGE_SESSION_PATH, { method: "POST", headers: { origin: origin() }, body });
  const [cookie = ""] = signedIn.headers["set-cookie"] as string[];
  const { key } = JSON.parse(signedIn.text) as { key: string };
  return { cookie, key, headers: { cookie: cookie.split(";")[0]!, [PAGE_KEY_HEADER]: key, [VERSION_HEADER]: VERSION } };
}

const openChannel = (headers: { readonly [name: string]: string }) =>
  send(controlPaths.channels, { method: "POST", headers, body: { kind: "page" } });

describe("the page at the port", () => {
  it("has a strict content security policy, and nobody can put it into a frame", async () => {
    const { status, headers, text } = await send("/");
    expect([status, headers["content-type"], headers["cache-control"]]).toEqual([
      200,
      "text/html; charset=utf-8",
      "no-cache",
    ]);
    const policy = String(headers["content-security-policy"]);
    for (const part of ["default-src 'none'", "script-src 'self';", "connect-src 'self';", "frame-ancestors 'none'"])
      expect(policy).toContain(part);
    expect(policy).not.toMatch(/unsafe|\*|(?<!frame-src )https?:/);
    expect(policy).toMatch(/; frame-src http:\/\/127\.0\.0\.1:\d+;/);
    expect(headers).toMatchObject({
      "x-content-type-options": "nosniff",
      "x-frame-options": "DENY",
      "referrer-policy": "no-referrer",
      "cross-origin-opener-policy": "same-origin",
      "cross-origin-resource-policy": "same-origin",
      vary: "accept-encoding",
    });
    expect(text).not.toMatch(/<script(?![^>]*\bsrc=)|<style|\son\w+=|https?:/);
  });

  it("serves compressed files with a hash in their name, and answers 304 if the browser has them", async () => {
    const { text } = await send("/");
    const script = /src="\.(\/assets\/[^"]+\.js)"/.exec(text)![1]!;
    const plain = await send(script);
    expect(plain.headers["cache-control"]).toBe("public, max-age=31536000, immutable");
    const compressed = await send(script, { headers: { "accept-encoding": "gzip, br" } });
    expect(compressed.headers["content-encoding"]).toBe("br");
    const zipped = await send(script, { headers: { "accept-encoding": "gzip" } });
    expect(zipped.headers["content-encoding"]).toBe("gzip");
    expect(plain.headers).not.toHaveProperty("content-encoding");
    for (const [file, type] of [
      [/src="\.(\/assets\/[^"]+\.js)"/, "text/javascript; charset=utf-8"],
      [/href="\.(\/assets\/[^"]+\.css)"/, "text/css; charset=utf-8"],
      [/href="\.(\/assets\/[^"]+\.svg)"/, "image/svg+xml"],
    ] as const)
      expect((await send(file.exec(text)![1]!)).headers["content-type"]).toBe(type);
    const head = await send("/", { method: "HEAD" });
    expect([head.status, head.text, head.headers["content-type"]]).toEqual([200, "", "text/html; charset=utf-8"]);
    expect(Number(compressed.headers["content-length"])).toBeLessThan(Number(plain.headers["content-length"]) / 2);
    const known = await send("/", { headers: { "if-none-match": String((await send("/")).headers["etag"]) } });
    expect([known.status, known.text]).toEqual([304, ""]);
  });

  it("replaces the service worker of another program by a worker that unregisters itself", async () => {
    const { status, headers, text } = await send("/sw.js", { headers: { "service-worker": "script" } });
    expect({ status, ...headers }).toMatchObject({
      status: 200,
      "content-type": "text/javascript; charset=utf-8",
      "cache-control": "no-store",
      "clear-site-data": '"cache"',
      "service-worker-allowed": "/",
    });
    expect(text).toContain("registration.unregister()");
  });

  it("serves only its own files, and no file outside its folder", async () => {
    for (const path of ["/assets/../package.json", "/../index.js", "/assets/%2e%2e/x.js", "/index.js", "/build-hash"])
      expect((await send(path)).status, path).toBe(401);
    expect((await send("/", { method: "POST" })).status).toBe(401);
  });

  it(
    "refuses its files and its sign-in to foreign hosts and origins",
    { meta: { covers: ["S16", "S16.1"] } },
    async () => {
      for (const headers of [
        { origin: "https://evil.example" },
        { origin: "null" },
        { origin: "http://127.0.0.1:1" },
        { host: "evil.example" },
        { host: `evil.example:${new URL(host.url).port}` },
      ] as { [name: string]: string }[]) {
        expect((await send("/", { headers })).status).toBe(403);
        const body = { code: codeOf(host.daemon.openPage().url) };
        expect((await send(PAGE_SESSION_PATH, { method: "POST", headers, body })).status).toBe(403);
      }
    },
  );
});

it("a build without a page has no files", async () => {
  // The files lie beside the bundle, not beside this module.
  const sent = new PageFiles("page").send("/", {} as IncomingMessage, {} as ServerResponse, pageHeaders(""));
  expect(await sent).toBe(false);
});

describe("the sign-in of the page", () => {
  it("does not count the page's other requests as failed sign-ins, even with a wrong token", async () => {
    const fromLink = { origin: new URL(host.daemon.openPage().url).origin };
    const requests: readonly [string, Sent][] = [
      ["/", {}],
      ["/", { headers: { "if-none-match": String((await send("/")).headers["etag"]) } }],
      ["/sw.js", { headers: { "service-worker": "script" } }],
      [PAGE_CLEAR_PATH, { method: "POST", headers: fromLink }],
      [PAGE_SESSION_PATH, { method: "DELETE", headers: { origin: origin() } }],
    ];
    const authorization = "Bearer wrong";
    for (let sent = 0; sent < 100; sent++)
      await Promise.all(
        requests.map(([path, { method = "GET", headers }]) =>
          send(path, { method, headers: { authorization, ...headers } }),
        ),
      );
    const wrong = { method: "POST", headers: { origin: origin() }, body: { code: "wrong" } };
    expect((await send(PAGE_SESSION_PATH, wrong)).status).toBe(401);
  });

  it("exchanges a code once for a cookie that scripts can't read and a key", async () => {
    const link = host.daemon.openPage();
    expect(link.url).toMatch(/^http:\/\/127\.0\.0\.1:\d+\/#code=[\w-]{43}$/);
    const post = () =>
      send(PAGE_SESSION_PATH, {
        method: "POST",
        headers: { origin: origin(), connection: "keep-alive" },
        body: { code: codeOf(link.url) },
      });
    const { status, headers } = await post();
    expect({ status, ...headers }).toMatchObject({ status: 200, "cache-control": "no-store", connection: "close" });
    expect(String(headers["set-cookie"])).toMatch(
      /^plugboard_\d+=[\w-]{43}; Path=\/; Max-Age=2592000; HttpOnly; SameSite=Strict$/,
    );
    const [used, foreign] = [await post(), await send(PAGE_SESSION_PATH, { method: "POST", body: { code: "x" } })];
    expect([used.status, used.headers["www-authenticate"]]).toEqual([401, "Bearer"]);
    expect([foreign.status, foreign.headers["www-authenticate"]]).toEqual([403, undefined]);
  });

  it("lets the page use the control API, until it signs out", { meta: { covers: ["S16", "S16.1"] } }, async () => {
    const { headers } = await signIn();
    expect((await openChannel(headers)).status).toBe(200);
    expect((await openChannel({ ...headers, "sec-fetch-site": "same-origin" })).status).toBe(200);
    expect((await openChannel({ ...headers, "sec-fetch-site": "same-site" })).status).toBe(401);
    const signedOut = await send(PAGE_SESSION_PATH, { method: "DELETE", headers: { ...headers, origin: origin() } });
    expect(signedOut.headers["set-cookie"]).toEqual([expect.stringMatching(/^plugboard_\d+=; Path=\/; Max-Age=0; /)]);
    expect((await openChannel(headers)).status).toBe(401);
  });

  it("keeps its connection while strangers use all others", { meta: { covers: ["S32", "S33"] } }, async () => {
    const { headers } = await signIn();
    const port = Number(new URL(host.url).port);
    const path = controlPaths.channels;
    const channel = request({ host: "127.0.0.1", port, path, method: "POST", headers, agent: false });
    onTestFinished(() => void channel.destroy());
    channel.end(JSON.stringify({ kind: "page" }));
    const [stream] = (await once(channel, "response")) as [IncomingMessage];
    stream.resume();
    // For each new connection, the host closes the oldest connection that it need not keep.
    const strangers = Array.from({ length: (await connectionLimit()) + 1 }, () => connect(port, "127.0.0.1"));
    onTestFinished(() => strangers.forEach((stranger) => stranger.destroy()));
    for (const stranger of strangers) stranger.on("error", () => {});
    await Promise.race(strangers.map((stranger) => once(stranger, "close")));
    expect([stream.statusCode, stream.closed]).toEqual([200, false]);
  });

  it("accepts its cookie even if another port has set a cookie with the same name", async () => {
    const { headers } = await signIn();
    const [name = ""] = headers.cookie.split("=", 1);
    const tossed = { ...headers, cookie: `${name}=tossed; ${headers.cookie}` };
    expect((await openChannel(tossed)).status).toBe(200);
    expect((await openChannel({ ...headers, cookie: `${name}=tossed` })).status).toBe(401);
  });

  it(
    "needs the cookie and the key, because other local servers can see the cookie",
    { meta: { covers: ["S16", "S16.1"] } },
    async () => {
      const [one, other] = [await signIn(), await signIn()];
      const { [PAGE_KEY_HEADER]: _, ...withoutKey } = one.headers;
      const { cookie: __, ...withoutCookie } = one.headers;
      expect((await openChannel(withoutKey)).status).toBe(401);
      expect((await openChannel(withoutCookie)).status).toBe(401);
      expect((await openChannel({ ...one.headers, [PAGE_KEY_HEADER]: other.key })).status).toBe(401);
      // Neither the cookie nor the key is a token of an MCP client.
      expect((await send("/mcp", { method: "POST", headers: one.headers, body: {} })).status).toBe(401);
      expect((await send("/mcp", { headers: { authorization: `Bearer ${one.key}` } })).status).toBe(401);
    },
  );
});
