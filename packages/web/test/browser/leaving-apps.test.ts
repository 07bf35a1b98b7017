/**
 * Tests Apps that leave their document for another site, which speaks the protocol of Apps, before or after their first
 * load. The site is then in the App's own window, so only the handshake with the first document tells the two apart.
 */
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { APP_CLIENT } from "@plugboard/testkit/servers/apps/app-client";
import { appsStdio } from "@plugboard/testkit/start-server";
import type { Page } from "playwright-core";
import { describe, expect, it, onTestFinished } from "vitest";
import { startPageHost, useBrowser } from "../helpers/page-fixture.ts";

const { openPage } = useBrowser();

/** A script that speaks as an App, and reports each message that it gets to the server it comes from. */
const SPEAK = `${APP_CLIENT}
  const report = (heard) => { new Image().src = "/heard?" + encodeURIComponent(JSON.stringify(heard)); };
  addEventListener("message", ({ data }) => report(data));
  notify("notifications/message", { data: "from the other document" });
  start();
  request("tools/call", { name: "count", arguments: {} });
`;
const HTML = { "content-type": "text/html" };

/** A site that an App declares. Its pages speak like the App, or navigate the frame back. */
async function startSpeakingSite() {
  const paths: string[] = [];
  const server = createServer(({ url = "" }, response) => {
    paths.push(url);
    if (url === "/back") response.writeHead(200, HTML).end("<script>setTimeout(() => history.back())</script>");
    else response.writeHead(200, HTML).end(`<script>${SPEAK}</script>`);
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  onTestFinished(() => void server.close());
  const { port } = server.address() as AddressInfo;
  return { origin: `http://127.0.0.1:${port}`, heard: () => paths.filter((path) => path.startsWith("/heard")) };
}

/** Opens the tool `custom`, which shows its argument as an App. The App declares `frames`. */
async function openTool(frames: readonly string[], permissions: object = { allow: ["*"] }) {
  const host = await startPageHost({ apps: appsStdio({ frameDomains: frames }) }, permissions);
  const page = await openPage(host, "#/tools/apps/custom", { expectsViolations: true, allowedOrigins: frames });
  await page.getByRole("heading", { name: "custom" }).waitFor();
  const show = async (html: string) => {
    await page.getByRole("textbox", { name: "text" }).fill(html);
    await page.getByRole("button", { name: "Call", exact: true }).click();
    if (frames.length > 0) await page.getByRole("button", { name: "Show the App", exact: true }).click();
  };
  return { page, show };
}

const left = (page: Page) => page.getByText("The App was stopped: it has left its page").waitFor();

describe("an App that leaves its document", { meta: { covers: ["A22"] } }, () => {
  /** The script of each App that leaves. `TARGET` is a page of the site that speaks. */
  const WAYS: { readonly [way: string]: string } = {
    "in its first script": "location.href = TARGET",
    "by replacing its location": "location.replace(TARGET)",
    "by opening itself": 'open(TARGET, "_self")',
    "by a link": 'Object.assign(document.createElement("a"), { href: TARGET }).click()',
    "after it has loaded": 'addEventListener("load", () => setTimeout(() => { location.href = TARGET; }))',
    "after it was initialized": "start().then(() => { location.href = TARGET; })",
    "from a document that it has written anew":
      'setTimeout(() => { document.open(); document.write("<script>location.href = " + JSON.stringify(TARGET) + "<\\/script>"); document.close(); })',
    "to a data URL": 'location.href = "data:text/html," + encodeURIComponent("<script>" + SPEAK + "<\\/script>")',
    "to a blob":
      'location.href = URL.createObjectURL(new Blob(["<script>" + SPEAK + "<\\/script>"], { type: "text/html" }))',
    "and comes back": 'if (name === "left") eval(SPEAK); else { name = "left"; location.href = BACK; }',
    "by loading itself again": 'if (name === "left") eval(SPEAK); else { name = "left"; location.reload(); }',
  };

  it("gets no answer, and its messages are ignored, however it leaves", async () => {
    const site = await startSpeakingSite();
    const { page, show } = await openTool([site.origin]);
    const values = { TARGET: `${site.origin}/speak`, BACK: `${site.origin}/back`, SPEAK };
    const refresh = `<meta http-equiv="refresh" content="0;url=${values.TARGET}">`;
    const apps = Object.entries(WAYS).map(([way, script]) => [way, scriptWith(values, script)] as const);
    for (const [way, html] of [...apps, ["by a refresh", refresh] as const]) {
      await show(html);
      await left(page);
      expect(await page.getByText("Messages of the App").count(), way).toBe(0);
      expect(site.heard(), way).toEqual([]);
    }
  });

  it("is removed with the question that it has asked, and its calls are cancelled", async () => {
    const site = await startSpeakingSite();
    const { page, show } = await openTool([site.origin], { ask: ["apps:count"], allow: ["*"] });
    const script = `start().then(async () => {
      request("ui/open-link", { url: "https://a.example/" });
      request("tools/call", { name: "count", arguments: {} });
      await new Promise((resolve) => { onNotification["ui/notifications/host-context-changed"] = ({ theme }) => theme === "dark" && resolve(); });
      location.href = TARGET;
    })`;
    await show(scriptWith({ TARGET: `${site.origin}/speak` }, script));
    // The upper dialog hides the lower one from assistive technology.
    const link = page.getByText("The App of apps wants to open a page");
    const call = page.getByText("The App of apps calls a tool");
    await link.waitFor();
    await call.waitFor();
    await page.emulateMedia({ colorScheme: "dark" });
    await left(page);
    await link.waitFor({ state: "detached" });
    await call.waitFor({ state: "detached" });
    expect(site.heard()).toEqual([]);
  });
});

describe("a document that speaks as an App", { meta: { covers: ["A22"] } }, () => {
  it("is ignored if it is in a frame inside the App, or bypasses the sandbox", async () => {
    const site = await startSpeakingSite();
    const { page, show } = await openTool([site.origin]);
    const nested = `
      const said = { jsonrpc: "2.0", method: "notifications/message", params: { data: "from a nested frame" } };
      for (const target of [parent.parent, top]) target.postMessage(said, "*");
      parent.postMessage("spoken", "*");
    `;
    const script = `
      top.postMessage({ jsonrpc: "2.0", method: "notifications/message", params: { data: "around the sandbox" } }, "*");
      post({ method: "ui/notifications/sandbox-left" });
      const add = (attributes) => document.body.append(Object.assign(document.createElement("iframe"), attributes));
      addEventListener("message", async ({ data }) => {
        if (data !== "spoken") return;
        await start();
        notify("notifications/message", { data: "from the App" });
      });
      addEventListener("load", () => {
        add({ src: TARGET, onload: () => add({ srcdoc: NESTED }) });
      }, { once: true });
    `;
    const values = { TARGET: `${site.origin}/speak`, NESTED: `<script>${nested}</script>` };
    await show(scriptWith(values, script));
    await page.getByText("Messages of the App (1)").click();
    expect(await page.locator(".app-logs pre").innerText()).toBe("info: from the App");
    expect(site.heard()).toEqual([]);
  });

  it("gains nothing if it knows the nonce of the App, neither in the App's own window nor in another one", async () => {
    const { page, show } = await openTool([]);
    const script = `
      const claim = (nonce) => {
        const { port1, port2 } = new MessageChannel();
        port1.onmessage = () => notify("notifications/message", { data: "a second port got a message" });
        parent.postMessage(nonce, "*", [port2]);
        const claimNested = "parent.parent.postMessage(" + JSON.stringify(nonce) + ", '*', [new MessageChannel().port2])";
        const frame = Object.assign(document.createElement("iframe"), { srcdoc: "<script>" + claimNested + "<\\/script>" });
        return new Promise((resolve) => { frame.onload = resolve; document.body.append(frame); });
      };
      start();
    `;
    await show(scriptWith({}, script));
    await page.frameLocator("iframe.app-frame").frameLocator("iframe").locator("body").waitFor({ state: "attached" });
    const [sandbox, app] = page.frames().slice(1);
    const srcdoc = await sandbox!.evaluate<string>('document.querySelector("iframe").srcdoc');
    const [nonce] = /[0-9a-f-]{36}/.exec(srcdoc)!;
    expect(await app!.evaluate<string>("document.documentElement.outerHTML")).not.toContain(nonce);
    await app!.evaluate(`claim(${JSON.stringify(nonce)}).then(() => request("ping"))`);
    await page.emulateMedia({ colorScheme: "dark" });
    await app!.evaluate('notify("notifications/message", { data: "still the App" })');
    await page.getByText("Messages of the App (1)").click();
    expect(await page.locator(".app-logs pre").innerText()).toBe("info: still the App");
  });

  it("can't get the port of the guard by replacing functions of the browser", async () => {
    const { page, show } = await openTool([]);
    const script = `
      const caught = [];
      const { apply } = Reflect;
      const getter = (type, name) => Object.getOwnPropertyDescriptor(type.prototype, name).get;
      const targetOf = getter(Event, "target");
      for (const [type, name] of [[MessageEvent, "data"], [MessageEvent, "ports"], [Event, "target"], [Event, "currentTarget"]]) {
        const get = getter(type, name);
        Object.defineProperty(type.prototype, name, {
          get() {
            if (apply(targetOf, this, []) instanceof MessagePort) caught.push(name);
            return apply(get, this, []);
          },
        });
      }
      for (const name of ["postMessage", "start"]) MessagePort.prototype[name] = () => caught.push(name);
      for (const name of ["call", "bind", "apply"]) Function.prototype[name] = () => caught.push(name);
      start().then(() => {
        const scripts = document.querySelectorAll("script").length;
        notify("notifications/message", { data: JSON.stringify({ caught, scripts }) });
      });
    `;
    await show(scriptWith({}, script));
    await page.getByText("Messages of the App (1)").click();
    expect(await page.locator(".app-logs pre").innerText()).toBe('info: {"caught":[],"scripts":1}');
  });
});

/** Returns the HTML of an App whose script has these constants. */
function scriptWith(values: { readonly [name: string]: string }, script: string): string {
  const constants = Object.entries(values).map(([name, value]) => `const ${name} = ${JSON.stringify(value)};\n`);
  return `<!doctype html><body><script>${constants.join("").replaceAll("</", "<\\/")}${APP_CLIENT}${script}</script>`;
}
