/**
 * Tests what another program that used the page's port before can leave in the browser: a service worker and cached
 * files. Both belong to the same origin as the page.
 */
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { startDaemon } from "@plugboard/daemon";
import type { Page } from "playwright-core";
import { describe, expect, it, onTestFinished } from "vitest";
import { startPageHost, useBrowser } from "../helpers/page-fixture.ts";
import type { PageHost } from "../helpers/page-fixture.ts";

const { newContext } = useBrowser();

/** A worker that answers every navigation itself, and passes all other requests on. */
const HOSTILE = `
self.addEventListener("install", () => self.skipWaiting());
self.addEventListener("activate", (event) => event.waitUntil(self.clients.claim()));
self.addEventListener("fetch", (event) => {
  if (event.request.mode !== "navigate") return;
  event.respondWith(new Response("<h1>Foreign worker</h1>", { headers: { "content-type": "text/html" } }));
});`;
/** A worker that passes all requests on, as that of a development server may do. */
const PASSING = `
self.addEventListener("install", () => self.skipWaiting());
self.addEventListener("activate", (event) => event.waitUntil(self.clients.claim()));
self.addEventListener("fetch", (event) => event.respondWith(fetch(event.request)));`;

/** Registers a foreign service worker on two adjacent ports in a new tab, then stops the servers. */
async function leaveWorker(script: string): Promise<{ readonly tab: Page; readonly port: number }> {
  const { port, servers } = await listenOnTwoPorts(script);
  const context = await newContext();
  onTestFinished(() => context.close());
  const tab = await context.newPage();
  for (const used of [port + 1, port]) {
    await tab.goto(`http://127.0.0.1:${used}/`);
    await tab.evaluate('navigator.serviceWorker.register("/deep/sw.js", { scope: "/" })');
    await tab.evaluate("navigator.serviceWorker.ready.then(() => {})");
  }
  for (const server of servers) {
    server.closeAllConnections();
    await new Promise((resolve) => server.close(resolve));
  }
  return { tab, port };
}

/** Tries ports until a port and the next one are both free. */
async function listenOnTwoPorts(script: string) {
  for (;;) {
    const first = await listen(script, 0);
    const { port } = first!.address() as AddressInfo;
    const second = await listen(script, port + 1);
    if (second) return { port, servers: [first!, second] };
    first!.close();
  }
}

/** Serves the worker, and a page that browsers cache. Returns undefined if the port is taken. */
function listen(script: string, port: number) {
  const server = createServer(({ url }, response) => {
    const isWorker = url === "/deep/sw.js";
    response.writeHead(200, {
      "content-type": isWorker ? "text/javascript" : "text/html",
      "cache-control": isWorker ? "no-cache" : "max-age=86400",
      "service-worker-allowed": "/",
    });
    response.end(isWorker ? script : "<h1>Foreign file</h1>");
  });
  return new Promise<typeof server | undefined>((resolve) => {
    server.once("error", () => resolve(undefined));
    server.listen(port, "127.0.0.1", () => resolve(server));
  });
}

/** Starts a host on the port that the foreign program has used. */
async function startHostOn(port: number): Promise<PageHost["daemon"]> {
  const { env, folder, daemon } = await startPageHost({});
  await daemon.stop();
  const restarted = await startDaemon({ port, env, lingerMs: 0, spec: { cwd: folder } });
  onTestFinished(() => restarted.stop());
  return restarted;
}

const headingOf = (tab: Page) => tab.locator("h1").first().innerText();

describe("a program that used the page's port before", () => {
  it(
    "can't read the link or replace the page with a service worker or a cached file",
    { meta: { covers: ["S16"] } },
    async () => {
      const { tab, port } = await leaveWorker(HOSTILE);
      const daemon = await startHostOn(port);
      await tab.goto(`http://127.0.0.1:${port}/`);
      expect(await headingOf(tab)).toBe("Foreign worker");
      const answers: string[] = [];
      tab.on("response", async (response) => {
        if (response.fromServiceWorker()) answers.push(response.url());
      });
      await tab.goto(daemon.openPage().url);
      await tab.getByRole("heading", { level: 1, name: "Servers" }).waitFor();
      expect(tab.url()).toBe(`http://127.0.0.1:${port}/`);
      expect(answers).toEqual([]);
      expect(await tab.evaluate("navigator.serviceWorker.getRegistrations().then(({ length }) => length)")).toBe(0);
      await tab.reload();
      await tab.getByRole("heading", { level: 1, name: "Servers" }).waitFor();
      // The sandbox of Apps is at the next port, which the foreign program has used, too.
      const sandbox = await tab.context().newPage();
      await sandbox.goto(`http://127.0.0.1:${port + 1}/sandbox.html`);
      expect(await sandbox.locator("h1").count()).toBe(0);
    },
  );

  it("loses its worker when the browser looks for a new version, even without a link", async () => {
    const { tab, port } = await leaveWorker(PASSING);
    await startHostOn(port);
    await tab.goto(`http://127.0.0.1:${port}/#/tools`);
    await tab.evaluate("navigator.serviceWorker.getRegistration().then((one) => one?.update())").catch(() => {});
    await tab.waitForFunction("!navigator.serviceWorker.controller");
    await tab.getByRole("heading", { name: "This browser is not signed in" }).waitFor();
    expect(await tab.evaluate("navigator.serviceWorker.getRegistrations().then(({ length }) => length)")).toBe(0);
  });
});

describe("a browser that opens a second link", () => {
  it("stays signed in in its first tab", async () => {
    const host = await startPageHost({});
    const context = await newContext();
    onTestFinished(() => context.close());
    const [first, second] = [await context.newPage(), await context.newPage()];
    for (const tab of [first, second]) {
      await tab.goto(host.daemon.openPage().url);
      await tab.getByRole("heading", { level: 1, name: "Servers" }).waitFor();
    }
    await first.evaluate('location.hash = "#/clients"');
    await first.getByRole("heading", { name: "Connected now" }).waitFor();
    await first.getByText("Clients on this machine").waitFor();
    await first.reload();
    await first.getByRole("heading", { level: 1, name: "Clients" }).waitFor();
    expect(await first.getByRole("alert").count()).toBe(0);
  });
});
