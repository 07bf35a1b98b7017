/** Tests the origin that shows MCP Apps: what it serves, under which policy, and to whom. */
import { request } from "node:http";
import { APP_SANDBOX_PATH } from "@plugboard/contracts";
import { AppSandbox } from "#page/app-sandbox.js";
import type { PageFiles } from "#page/page-files.js";
import { freePort } from "@plugboard/testkit/free-port";
import { afterAll, beforeAll, describe, expect, it, onTestFinished } from "vitest";
import { startRunningHost } from "../helpers/running-host.ts";
import type { RunningHost } from "../helpers/running-host.ts";

let host: RunningHost;
let sandbox: string;
beforeAll(async () => {
  host = await startRunningHost({});
  const policy = (await fetch(new URL(host.url).origin)).headers.get("content-security-policy")!;
  sandbox = /frame-src (\S+);/.exec(policy)![1]!;
});
afterAll(() => host.close());

/** Returns the directives of the policy by name. */
const policyFor = async (query: string): Promise<{ readonly [name: string]: string }> => {
  const { headers } = await fetch(`${sandbox}${APP_SANDBOX_PATH}?${query}`);
  const directives = headers.get("content-security-policy")!.split("; ");
  return Object.fromEntries(directives.map((one) => /^(\S+) (.*)$/.exec(one)!.slice(1) as [string, string]));
};

/** `fetch` can't set these headers. */
function statusWith(path: string, headers: { readonly [name: string]: string }): Promise<number> {
  return new Promise((resolve, reject) => {
    const { port } = new URL(sandbox);
    const sent = request({ host: "127.0.0.1", port, path, headers, agent: false }, (response) => {
      response.resume();
      resolve(response.statusCode!);
    });
    sent.on("error", reject).end();
  });
}

describe("the sandbox of Apps", () => {
  it("has an origin of its own, and only the page may show it", async () => {
    const pagePort = new URL(host.url).port;
    expect(sandbox).toMatch(/^http:\/\/127\.0\.0\.1:\d+$/);
    expect(new URL(sandbox).port).not.toBe(pagePort);
    expect(await policyFor("")).toMatchObject({
      "frame-ancestors": `http://127.0.0.1:${pagePort} http://localhost:${pagePort}`,
    });
  });

  it("allows an App without declared origins no request at all", async () => {
    const { "frame-ancestors": _, ...policy } = await policyFor("");
    expect(policy).toEqual({
      "default-src": "'none'",
      "script-src": "'self' 'unsafe-inline' 'unsafe-eval' blob:",
      "style-src": "'unsafe-inline'",
      "img-src": "data: blob:",
      "font-src": "data:",
      "media-src": "data: blob:",
      "connect-src": "'none'",
      "frame-src": "'none'",
      "base-uri": "'none'",
      "worker-src": "blob:",
      "form-action": "'none'",
    });
  });

  it("sends headers that leave no way around the policy", async () => {
    const { headers } = await fetch(`${sandbox}${APP_SANDBOX_PATH}`);
    expect(Object.fromEntries(headers)).toMatchObject({
      "x-content-type-options": "nosniff",
      "x-dns-prefetch-control": "off",
      "referrer-policy": "no-referrer",
      "cross-origin-resource-policy": "same-origin",
      "permissions-policy":
        "camera=(), display-capture=(), geolocation=(), hid=(), microphone=(), midi=(), payment=(), serial=(), usb=()",
    });
  });

  it("has a different ETag for each policy, so that a browser does not use a cached document with another policy", async () => {
    const etagFor = async (query: string) =>
      (await fetch(`${sandbox}${APP_SANDBOX_PATH}?${query}`)).headers.get("etag");
    expect(await etagFor("")).toBe(await etagFor(""));
    expect(await etagFor("connect=https://api.example")).not.toBe(await etagFor(""));
  });

  it("adds each declared origin to the directives of its use", async () => {
    const policy = await policyFor(
      "connect=https://api.example&resources=https://*.cdn.example&frames=https://v.example&baseUris=https://b.example",
    );
    expect(policy).toMatchObject({
      "connect-src": "https://api.example",
      "frame-src": "https://v.example",
      "img-src": "data: blob: https://*.cdn.example",
      "font-src": "data: https://*.cdn.example",
      "media-src": "data: blob: https://*.cdn.example",
      "base-uri": "https://b.example",
    });
  });

  it("allows no connection outside the policy, such as WebRTC", { meta: { covers: ["A22"] } }, async () => {
    const allowlistFor = async (query: string) =>
      (await fetch(`${sandbox}${APP_SANDBOX_PATH}?${query}`)).headers.get("connection-allowlist");
    expect(await allowlistFor("")).toBe("(response-origin); redirects=allow; webrtc=block");
    const uses = "connect=wss://a.example&connect=https://c.example&resources=https://*.c.example";
    expect(
      await allowlistFor(`${uses}&frames=https://c.example:8443&frames=https://c.example&baseUris=https://b.example`),
    ).toBe(
      '(response-origin "wss://a.example/*" "https://c.example/*" "https://*.c.example/*" "https://c.example:8443/*"); redirects=allow; webrtc=block',
    );
  });

  it("drops origins that would change another directive or reach the host", async () => {
    const bad = ["https://a.example; script-src *", "*", "'self'", host.url, sandbox].map(
      (one) => `connect=${encodeURIComponent(one)}`,
    );
    expect(await policyFor(bad.join("&"))).toMatchObject({ "connect-src": "'none'" });
    expect((await policyFor(bad.join("&")))["script-src"]).toBe("'self' 'unsafe-inline' 'unsafe-eval' blob:");
  });

  it("serves its own files only, neither the page nor the control API", async () => {
    const get = async (path: string) => (await fetch(`${sandbox}${path}`)).status;
    expect(await get(APP_SANDBOX_PATH)).toBe(200);
    expect((await fetch(`${sandbox}${APP_SANDBOX_PATH}`, { method: "HEAD" })).status).toBe(200);
    for (const path of ["/", "/index.html", "/api/v1/channels", "/mcp", "/../page/index.html", "/build-hash", "//"])
      expect(await get(path), path).toBe(404);
    expect((await fetch(`${sandbox}${APP_SANDBOX_PATH}`, { method: "POST" })).status).toBe(404);
    expect((await fetch(`${new URL(host.url).origin}${APP_SANDBOX_PATH}`)).status).toBe(401);
  });

  it("refuses foreign hosts and origins", { meta: { covers: ["S16"] } }, async () => {
    for (const headers of [{ host: "evil.example" }, { origin: "https://evil.example" }, { origin: "null" }] as {
      [name: string]: string;
    }[])
      expect(await statusWith(APP_SANDBOX_PATH, headers), JSON.stringify(headers)).toBe(403);
  });

  it("uses the port after the page's, or another port if that one is taken", async () => {
    const listen = async (pagePort: number) => {
      const opened = new AppSandbox({ files: {} as PageFiles, pagePort: () => pagePort, linkOrigin: () => undefined });
      const port = Number(new URL(await opened.origin).port);
      onTestFinished(() => void opened.server.server.close());
      return port;
    };
    const port = await freePort();
    expect(await listen(port - 1)).toBe(port);
    for (const unusable of [port, 65_536]) expect(await listen(unusable - 1)).not.toBe(unusable);
  });

  it("ends with the host", async () => {
    const other = await startRunningHost({});
    const policy = (await fetch(new URL(other.url).origin)).headers.get("content-security-policy")!;
    await other.close();
    await expect(fetch(/frame-src (\S+);/.exec(policy)![1]!)).rejects.toThrow();
  });
});
