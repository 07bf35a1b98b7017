/** Tests MCP Apps on the page: a published App, one that uses every request, and Apps that try to leave their frame. */
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { startModelServer } from "@plugboard/testkit/model-server";
import { appsStdio, scriptedLegacy } from "@plugboard/testkit/start-server";
import { debugAppStdio } from "@plugboard/testkit/third-party-servers";
import type { FrameLocator, Page } from "playwright-core";
import { describe, expect, it, onTestFinished } from "vitest";
import { goTo, startPageHost, useBrowser } from "../helpers/page-fixture.ts";

const { openPage } = useBrowser();

/** The document of the App, inside the sandbox. */
const appIn = (page: Page): FrameLocator => page.frameLocator("iframe.app-frame").frameLocator("iframe");
const documentOf = (page: Page) => page.frames().find((frame) => frame.url() === "about:srcdoc")!;
const callTool = (page: Page) => page.getByRole("button", { name: "Call", exact: true }).click();

/** Counts the requests that reach another server on this machine. */
async function startOtherSite() {
  const paths: string[] = [];
  const server = createServer((request, response) => {
    paths.push(request.url ?? "");
    response.writeHead(200, { "access-control-allow-origin": "*" }).end("from another site");
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  onTestFinished(() => void server.close());
  return { origin: `http://127.0.0.1:${(server.address() as AddressInfo).port}`, paths };
}

describe("an MCP App on the page", () => {
  it("shows a published App with its arguments and result, and calls its tools only with permission", async () => {
    const host = await startPageHost({ debug: debugAppStdio() }, { allow: ["debug:debug-tool", "debug:debug-log"] });
    const page = await openPage(host, "#/tools/debug/debug-tool");
    await callTool(page);
    const app = appIn(page);
    await app.locator("tr", { hasText: "ontoolresult" }).getByText('"serverVersion":"1.0.0"').waitFor();
    await app.getByRole("button", { name: "Call debug-refresh" }).click();
    const question = page.getByRole("region", { name: "May debug:debug-refresh be called?" });
    await question.getByRole("button", { name: "Allow once" }).click();
    await question.waitFor({ state: "detached" });
  });

  it("answers every request of an App, and asks the user about requests that affect more than its frame", async () => {
    const host = await startPageHost(
      { apps: appsStdio(), other: scriptedLegacy() },
      { allow: ["apps:show", "apps:broken"] },
    );
    const page = await openPage(host, "#/tools/apps/show", { colorScheme: "dark", acceptDownloads: true });
    await page.getByLabel("text").fill("hello");
    await callTool(page);
    const app = appIn(page);
    await app.getByText('"structuredContent":{"text":"hello"}').waitFor();
    expect(await app.locator("#input").innerText()).toBe('{"arguments":{"text":"hello"}}');
    expect(await app.locator("#theme").innerText()).toBe("dark");
    await page.emulateMedia({ colorScheme: "light" });
    await app.locator("#theme").getByText("light").waitFor();
    expect(await page.evaluate('document.querySelector("iframe.app-frame").offsetHeight')).toBe(300);

    const press = (name: string) => app.getByRole("button", { name, exact: true }).click();
    const answer = async (name: string) => {
      const shown = app.locator("#answer", { hasText: `"name":"${name}"` });
      await shown.waitFor();
      return JSON.parse(await shown.innerText()) as { result?: unknown; error?: { code: number; message: string } };
    };
    await press("Count");
    await page.getByRole("region", { name: "May apps:count be called?" }).getByText("Allow once").click();
    expect(await answer("Count")).toMatchObject({ result: { content: [{ text: "count 1" }] } });
    await press("Plan");
    expect(await answer("Plan")).toMatchObject({ error: { code: -32000, data: { code: "TOOL_NOT_FOUND" } } });
    await press("Read");
    expect(await answer("Read")).toMatchObject({ result: { contents: [{ uri: "ui://apps/flood" }] } });
    await press("List");
    expect(await answer("List")).toMatchObject({ result: { resources: [{ uri: "ui://apps/echo" }, {}, {}, {}, {}] } });

    await press("Link");
    const dialog = page.getByRole("dialog");
    await dialog.getByText("http://127.0.0.1:9/opened?by=app").waitFor();
    await dialog.getByRole("button", { name: "No" }).click();
    expect(await answer("Link")).toMatchObject({ result: { isError: true } });
    await press("Script link");
    expect(await answer("Script link")).toMatchObject({ error: { code: -32602 } });
    await press("Download");
    const download = page.waitForEvent("download");
    await dialog.getByRole("button", { name: "Save them" }).click();
    expect((await download).suggestedFilename()).toBe("report.txt");
    for (const name of ["Say", "Context", "Unknown"]) {
      await press(name);
      expect(await answer(name)).toMatchObject({ error: { code: -32601 } });
    }
    // The App asks for no border. When it covers the page, it has one nevertheless, so that the user sees where it
    // ends.
    const border = () => page.evaluate('getComputedStyle(document.querySelector("section.app")).borderTopWidth');
    expect(await border()).toBe("0px");
    await press("Full screen");
    expect(await answer("Full screen")).toMatchObject({ result: { mode: "fullscreen" } });
    expect(await border()).toBe("1px");
    await page.getByRole("region", { name: "App of apps" }).getByText("The server controls its content").waitFor();
    await page.getByRole("button", { name: "Leave full screen" }).click();
    await page.getByText("Messages of the App (1)").click();
    await page.getByText("info: the App has started").waitFor();
    await page.getByRole("button", { name: "Close", exact: true }).click();
    await page.getByRole("button", { name: "Show the App of apps" }).waitFor();

    await goTo(page, "#/tools/apps/broken");
    await page.getByRole("heading", { name: "broken" }).waitFor();
    await callTool(page);
    await page.getByText("The App can't be shown").waitFor();
  });

  it("stops an App that tries to leave its frame, and lets nothing out", { meta: { covers: ["A8"] } }, async () => {
    const site = await startOtherSite();
    const host = await startPageHost({ apps: appsStdio(), other: scriptedLegacy() }, { allow: ["*"] });
    const page = await openPage(host, "#/tools/apps/attack", {
      expectsViolations: true,
      permissions: ["clipboard-read", "clipboard-write"],
    });
    await page.getByLabel("text").fill(JSON.stringify({ target: site.origin }));
    const results = appIn(page).locator("#results", { hasText: "calls another server" });
    for (const leave of ["followLink()", "sendForm()"]) {
      await callTool(page);
      await results.waitFor();
      const stopped = JSON.parse(await results.innerText()) as { readonly [attack: string]: string };
      expect(Object.keys(stopped).length).toBe(22);
      expect(Object.entries(stopped).filter(([, outcome]) => outcome !== "stopped")).toEqual([]);
      await documentOf(page).evaluate(leave);
      await page.getByText("The App was stopped: it has left its page").waitFor();
    }
    expect(await page.evaluate("location.href")).toBe(`${host.daemon.endpoint}/#/tools/apps/attack`);
    expect(page.context().pages()).toHaveLength(1);
    expect(site.paths).toEqual([]);

    await goTo(page, "#/tools/apps/nuisance");
    await page.getByRole("heading", { name: "nuisance" }).waitFor();
    await callTool(page);
    await page.getByText("Messages of the App (1)").waitFor();
    const field = page.getByRole("textbox", { name: "text" });
    await field.click();
    await page.getByText("The App was stopped: it took the keyboard while you typed into the page").waitFor();
    await page.keyboard.type("mine");
    expect(await field.inputValue()).toBe("mine");

    await goTo(page, "#/tools/apps/flood");
    await page.getByRole("heading", { name: "flood" }).waitFor();
    await callTool(page);
    await page.getByText("The App was stopped: it sent too many messages").waitFor();
  });

  it("loads a declared origin only after the user has seen it, and refuses the host itself", async () => {
    const site = await startOtherSite();
    const own = (endpoint: string) => endpoint.replace("127.0.0.1", "localhost");
    const csp = (endpoint: string) => ({
      connectDomains: [site.origin, own(endpoint), "https://a.example; script-src *", "https://*.com", "file:///etc"],
    });
    const host = await startPageHost({ apps: appsStdio() }, { allow: ["*"] });
    await host.writeConfig({ apps: appsStdio(csp(host.daemon.endpoint!)) });
    const page = await openPage(host, "#/tools/apps/declare", { allowedOrigins: [site.origin] });
    await page.getByRole("heading", { name: "declare" }).waitFor();
    await callTool(page);
    const consent = page.getByText("uses other sites");
    await consent.waitFor();
    expect(await page.locator("iframe").count()).toBe(0);
    await page.getByText("Sends requests to").getByText(site.origin).waitFor();
    await page.getByText("may be in your own network").waitFor();
    await page.getByRole("button", { name: "Show the App", exact: true }).click();
    const app = appIn(page);
    await app.getByText("structuredContent").waitFor();
    for (const refused of ["it is this host itself", "it covers a whole top-level domain", "it is not a web origin"])
      await page.getByText(refused).first().waitFor();
    await page.getByText("Not granted: camera").waitFor();
    const fetchText = (url: string) => `fetch(${JSON.stringify(url)}).then((got) => got.text(), () => "stopped")`;
    expect(await documentOf(page).evaluate(fetchText(`${site.origin}/data`))).toBe("from another site");
    expect(site.paths).toEqual(["/data"]);
  });

  it("shows the App of a call in a chat, and sends its message and its context with the user's consent", async () => {
    const model = await startModelServer(
      { parts: [{ call: "mcp__apps__show", args: { text: "from the model" } }] },
      { parts: [{ text: "Here it is." }] },
      { parts: [{ text: "More." }] },
      { parts: [{ text: "Blue, I see." }] },
    );
    onTestFinished(() => model.close());
    const variables = { PLUGBOARD_MODEL: "anthropic/scripted", ANTHROPIC_API_KEY: "k", ANTHROPIC_BASE_URL: model.url };
    const host = await startPageHost({ apps: appsStdio() }, { allow: ["apps:show"] }, variables);
    const page = await openPage(host, "#/chat");
    await page.getByRole("button", { name: "New chat" }).first().click();
    const message = page.getByLabel("Message", { exact: true });
    await message.fill("Show it");
    await page.keyboard.press("Enter");
    await page.getByText("Here it is.").waitFor();
    const app = appIn(page);
    await app.getByText('"structuredContent":{"text":"from the model"}').waitFor();

    // The App gets no input while the text field has the focus, until the pointer moves over it.
    const box = (await page.locator("iframe.app-frame").boundingBox())!;
    await page.mouse.move(box.x + 20, box.y + 20, { steps: 2 });
    await app.getByRole("button", { name: "Say", exact: true }).click();
    await page.getByRole("dialog").getByText("Say more").waitFor();
    await page.getByRole("button", { name: "Send it" }).click();
    await page.getByText("More.").waitFor();

    await app.getByRole("button", { name: "Context", exact: true }).click();
    await page.getByText("adds to your next message: the user chose blue").waitFor();
    await message.fill("Which one?");
    await page.keyboard.press("Enter");
    await page.getByText("Blue, I see.").waitFor();
    const last = JSON.stringify(model.requests.at(-1));
    expect(last).toContain('<untrusted source=\\"apps:show\\">\\nthe user chose blue');
    expect(JSON.stringify(model.requests[0])).not.toContain("mcp__apps__count");
  });
});
