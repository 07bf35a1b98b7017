/** Tests the document that the page's link opens, and the requests by which it clears the host's origins. */
import { once } from "node:events";
import { connect } from "node:net";
import { APP_SANDBOX_PATH, PAGE_CLEAR_PATH } from "@plugboard/contracts";
import { afterAll, beforeAll, describe, expect, it, onTestFinished } from "vitest";
import { startRunningHost } from "../helpers/running-host.ts";
import type { RunningHost } from "../helpers/running-host.ts";

let host: RunningHost;
let link: string;
let page: string;
let sandbox: string;
beforeAll(async () => {
  host = await startRunningHost({});
  page = new URL(host.url).origin;
  link = new URL(host.daemon.openPage().url).origin;
  sandbox = /frame-src (\S+);/.exec((await fetch(page)).headers.get("content-security-policy")!)![1]!;
});
afterAll(() => host.close());

const clear = (target: string, origin: string, method = "POST") =>
  fetch(target + PAGE_CLEAR_PATH, { method, headers: { origin } });

describe.each([
  { name: "the link", url: () => `${link}/` },
  { name: "the sandbox", url: () => sandbox + APP_SANDBOX_PATH },
])("the port of $name", { meta: { covers: ["S32", "S33"] } }, ({ url }) => {
  it.each([
    ["nothing", ""],
    ["half a request", "POST / HTTP/1.1\r\nHost: HOST\r\nContent-Length: 100\r\n\r\n{"],
  ])("answers the owner while a hundred connections have sent %s", async (_, text) => {
    const { host: name, port } = new URL(url());
    for (let count = 0; count < 100; count++) {
      const stranger = connect(Number(port), "127.0.0.1");
      stranger.on("error", () => {});
      onTestFinished(() => void stranger.destroy());
      await once(stranger, "connect");
      stranger.write(text.replace("HOST", name));
    }
    expect((await fetch(url())).status).toBe(200);
  });
});

describe("the server of the page's link", () => {
  it("serves a document with one script, which may send requests only to the page and the sandbox", async () => {
    expect(new Set([link, page, sandbox]).size).toBe(3);
    const { headers } = await fetch(`${link}/`);
    const policy = headers.get("content-security-policy")!;
    expect(policy).toContain("default-src 'none'; script-src 'sha256-");
    expect(policy).toContain(`connect-src ${page} ${sandbox} 'self';`);
    expect(policy).toContain("frame-ancestors 'none'");
    expect(Object.fromEntries(headers)).toMatchObject({
      "content-type": "text/html; charset=utf-8",
      "cache-control": "no-store",
      "x-content-type-options": "nosniff",
      "referrer-policy": "no-referrer",
      "cross-origin-opener-policy": "same-origin",
      "cross-origin-resource-policy": "same-origin",
    });
    for (const path of ["/api/v1/channels", "/mcp", "/page/session", "/assets/"])
      expect((await fetch(link + path)).status, path).toBe(404);
    expect((await fetch(`${link}/`, { headers: { origin: "https://evil.example" } })).status).toBe(403);
  });

  it("clears the data of the page's and the sandbox's origins, which no other document can do", async () => {
    for (const target of [page, sandbox]) {
      const { status, headers } = await clear(target, link);
      expect(status).toBe(204);
      expect(Object.fromEntries(headers)).toMatchObject({
        "clear-site-data": '"cache", "storage"',
        "access-control-allow-origin": link,
        "access-control-allow-credentials": "true",
        "cache-control": "no-store",
      });
      // A web page could otherwise sign the user out.
      for (const origin of ["https://evil.example", "null", "http://127.0.0.1:1", page, sandbox]) {
        const refused = await clear(target, origin);
        expect([refused.status, refused.headers.get("clear-site-data")], `${origin} at ${target}`).toEqual([403, null]);
      }
      expect((await clear(target, link, "GET")).status).toBe(403);
    }
  });

  it("says whether a code is valid, and does not use it up", async () => {
    const check = (body: object, origin = link) =>
      fetch(link, {
        method: "POST",
        headers: { origin, "content-type": "application/json" },
        body: JSON.stringify(body),
      });
    const { hash } = new URL(host.daemon.openPage().url);
    const code = hash.slice("#code=".length);
    const accepted = await check({ code });
    expect([accepted.status, accepted.headers.get("cache-control")]).toEqual([204, "no-store"]);
    expect((await check({ code })).status).toBe(204);
    expect((await check({ code }, "https://evil.example")).status).toBe(403);
    for (const wrong of [{ code: "guess" }, { code: 1 }, {}, []]) expect((await check(wrong)).status).toBe(401);
  });

  it(
    "answers 429 after a hundred wrong codes, and still accepts a valid one",
    { meta: { covers: ["S16"] } },
    async () => {
      const other = await startRunningHost({});
      onTestFinished(other.close);
      const opened = new URL(other.daemon.openPage().url);
      const check = (code: string) =>
        fetch(opened.origin, {
          method: "POST",
          headers: { origin: opened.origin, "content-type": "application/json" },
          body: JSON.stringify({ code }),
        });
      const statuses = new Set<number>();
      for (let tried = 0; tried < 100; tried++) statuses.add((await check(`guess${tried}`)).status);
      expect([...statuses]).toEqual([401]);
      expect((await check("guess")).status).toBe(429);
      expect((await check(opened.hash.slice("#code=".length))).status).toBe(204);
      // The page's own port counts the same failures.
      const session = { method: "POST", headers: { origin: new URL(other.url).origin }, body: '{"code":"guess"}' };
      expect((await fetch(new URL("/page/session", other.url), session)).status).toBe(429);
    },
  );

  it("can send no other request to the page's port", async () => {
    for (const path of ["/", "/page/session", "/api/v1/channels", `${PAGE_CLEAR_PATH}/`])
      expect((await fetch(page + path, { headers: { origin: link } })).status, path).toBe(403);
  });

  it("stops with the host", async () => {
    const other = await startRunningHost({});
    const { origin } = new URL(other.daemon.openPage().url);
    await other.close();
    await expect(fetch(origin)).rejects.toThrow();
  });
});
