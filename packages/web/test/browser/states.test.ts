/** Tests that dialogs and states that appear only after some steps are accessible and fit the screen. */
import { mkdir, writeFile } from "node:fs/promises";
import { dirname, join } from "node:path";
import { startModelServer } from "@plugboard/testkit/model-server";
import { startRegistryServer } from "@plugboard/testkit/registry/registry-server";
import { SAMPLE_SERVERS } from "@plugboard/testkit/registry/sample-servers";
import { appsStdio, everythingStdio, scriptedLegacy, skillsStdio } from "@plugboard/testkit/start-server";
import type { Page } from "playwright-core";
import { describe, it, onTestFinished } from "vitest";
import { AXE_TAB, expectAccessible, loadAxe } from "../helpers/accessibility.ts";
import { goTo, startPageHost, useBrowser } from "../helpers/page-fixture.ts";

const { openPage } = useBrowser();
const TIMEOUT = { timeout: 180_000 };

const button = (page: Page, name: string | RegExp) => page.getByRole("button", { name, exact: true });
const tab = (page: Page, name: string) => page.getByRole("tab", { name });
const callTool = (page: Page) => button(page, "Call").click();
const expectDialog = (page: Page, title: string) => expectAccessible(page, title, "dialog");

async function closeDialog(page: Page): Promise<void> {
  await page.keyboard.press("Escape");
  await page.getByRole("dialog").waitFor({ state: "detached" });
}

async function writeFiles(folder: string, files: { readonly [path: string]: unknown }): Promise<void> {
  for (const [path, content] of Object.entries(files)) {
    await mkdir(dirname(join(folder, path)), { recursive: true });
    await writeFile(join(folder, path), typeof content === "string" ? content : JSON.stringify(content));
  }
}

describe("the page is accessible", () => {
  it("on the first visit and in every dialog that adds a server", TIMEOUT, async () => {
    const registry = await startRegistryServer({ servers: SAMPLE_SERVERS });
    onTestFinished(() => registry.close());
    const host = await startPageHost({}, {}, { PLUGBOARD_REGISTRY_URL: registry.url });
    await writeFiles(host.folder, {
      ".cursor/mcp.json": { mcpServers: { one: { ...scriptedLegacy(), env: { KEY: "a-secret-value-1" } } } },
      ".codeium/windsurf/mcp_config.json": '{ "mcpServers": {',
    });
    const page = await openPage(host, "#/servers", AXE_TAB);
    await loadAxe(page);
    await button(page, /^Import from another client/).waitFor();
    await expectAccessible(page, "start page");

    await button(page, /^Import from another client/).click();
    await page.getByRole("checkbox", { name: /^one / }).check();
    await page.getByText("Whole definition").first().click();
    await expectDialog(page, "import");

    await tab(page, "Registry").click();
    await page.getByLabel("Words to search for").fill("weather");
    await page.keyboard.press("Enter");
    await page.getByText("Its publisher has deprecated it").first().waitFor();
    await expectDialog(page, "results of the registry");
    await button(page, /pypi package weather-mcp-server/).click();
    await page.getByLabel("WEATHER_API_KEY").waitFor();
    await expectDialog(page, "inputs of a registry server");
    await button(page, "Continue").click();
    await page.getByText("plugboard secret set").waitFor();
    await expectDialog(page, "plan of a registry server");
    await closeDialog(page);

    await button(page, "Add server").click();
    await tab(page, "JSON").click();
    await page.getByLabel("Definition").fill("{");
    await button(page, "Continue").click();
    await page.getByText("This is not valid JSON").waitFor();
    await expectDialog(page, "definition as JSON");
    await page
      .getByLabel("Definition")
      .fill('{"mcpServers": {"bad": {"command": "no-such-command", "env": {"A": "b"}}}}');
    await button(page, "Continue").click();
    await button(page, "Test it").click();
    await page.getByText("SERVER_SPAWN_FAILED").waitFor();
    await expectDialog(page, "failed test");
  });

  it("in the dialogs for clients and tokens", TIMEOUT, async () => {
    const host = await startPageHost({ s: scriptedLegacy() });
    await writeFiles(host.folder, { ".cursor/mcp.json": { mcpServers: { other: { command: "x" } } } });
    const page = await openPage(host, "#/clients", AXE_TAB);
    await loadAxe(page);
    const cursor = page.getByRole("group", { name: "Cursor" });
    await cursor.getByRole("button", { name: "Set up", exact: true }).click();
    await page.getByRole("group", { name: "Change of the file" }).getByText('"plugboard"').waitFor();
    await expectDialog(page, "change of a client's file");
    await tab(page, "By hand").click();
    await page.getByRole("dialog").getByRole("group", { name: "Entry with a URL" }).waitFor();
    await expectDialog(page, "text for a client's file");
    await tab(page, "Change the file").click();
    await button(page, "Write the file").click();
    await cursor.getByText("set up", { exact: true }).waitFor();
    await expectAccessible(page, "a client that is set up");
    await cursor.getByRole("button", { name: "Remove" }).click();
    await page.getByRole("group", { name: "Change of the file" }).getByText('"plugboard"').waitFor();
    await expectDialog(page, "removal from a client's file");
    await closeDialog(page);

    await button(page, "New token").click();
    await expectDialog(page, "new token");
    await page.getByLabel("Name").fill("cursor");
    await button(page, "Create").click();
    await page.getByRole("group", { name: "Token", exact: true }).waitFor();
    await expectDialog(page, "token");
    await button(page, "Done").click();
    await page.getByRole("group", { name: "Token cursor" }).waitFor();
    await expectAccessible(page, "tokens");
  });

  it("while a project's server is approved and a definition is changed", TIMEOUT, async () => {
    const host = await startPageHost({ s: scriptedLegacy() });
    const shared = scriptedLegacy();
    await writeFiles(host.folder, { ".mcp.json": { mcpServers: { shared } } });
    const page = await openPage(host, "#/servers", AXE_TAB);
    await loadAxe(page);
    await button(page, "Review").click();
    await expectDialog(page, "approval");
    await button(page, "Approve this definition").click();
    await page.locator('tr:has(a:text-is("shared"))').getByText("ready").waitFor();
    await writeFiles(host.folder, { ".mcp.json": { mcpServers: { shared: { ...shared, env: { MORE: "1" } } } } });
    await page.getByText("has changed since you approved it").waitFor();
    await expectAccessible(page, "a server that needs approval");
    await goTo(page, "#/servers/shared");
    await page.getByRole("heading", { level: 1, name: "shared" }).waitFor();
    await expectAccessible(page, "view of a server that needs approval");
    await goTo(page, "#/servers");
    await button(page, "Review").click();
    await page.getByRole("dialog").getByText("Changed since you approved it").waitFor();
    await expectDialog(page, "approval of a change");
    await closeDialog(page);

    await goTo(page, "#/servers/s");
    await button(page, "Edit").click();
    await page.getByLabel("Environment variables").fill("MORE=1");
    await button(page, "Continue").click();
    await page.getByText('+ env.MORE: "***"').waitFor();
    await expectDialog(page, "change of a definition");
    await closeDialog(page);
    for (const name of [/^Tools/, /^Log/, /^Definition/]) {
      await page.getByRole("tab", { name }).click();
      await expectAccessible(page, `tab ${String(name)} of a server`);
    }
  });

  it("in resources, prompts, skills, results and a server's forms", TIMEOUT, async () => {
    const servers = { every: everythingStdio(), k: skillsStdio("modern"), s: scriptedLegacy() };
    const host = await startPageHost(servers, { allow: ["every:*", "k:*"], deny: ["s:crash"] });
    const page = await openPage(host, "#/content", AXE_TAB);
    await loadAxe(page);
    await page.getByLabel("Filter resources").fill("k note://today");
    await page.getByRole("group", { name: "Resources" }).getByRole("button").click();
    await page.getByRole("switch", { name: "Live: read again after each update" }).click();
    await page.getByText("No update yet").waitFor();
    await expectAccessible(page, "live resource");
    await tab(page, "Skills").click();
    await page
      .getByRole("group", { name: "Skills" })
      .getByRole("button")
      .filter({ hasText: "hostile" })
      .first()
      .click();
    await page.getByRole("heading", { name: "Hostile", exact: true }).waitFor();
    await page.getByRole("list", { name: "Files" }).getByRole("button", { name: "run.sh" }).click();
    await page.getByRole("alert").getByText("does not match the digest").waitFor();
    await expectAccessible(page, "skill");
    await tab(page, "Prompts").click();
    const prompt = page.getByRole("region", { name: /^Arguments Prompt/ });
    await prompt.getByLabel("city").fill("Bern");
    await prompt.getByRole("button", { name: "Preview" }).click();
    await prompt.getByText("weather in Bern").waitFor();
    await expectAccessible(page, "prompt");
    await tab(page, "Templates").click();
    const template = page.getByRole("region", { name: /· every$/ }).first();
    await template.getByRole("textbox").first().fill("1");
    await template.getByRole("button", { name: "Read" }).click();
    await page.getByText("Read again").first().waitFor();
    await expectAccessible(page, "template");

    await goTo(page, "#/tools/every/get-annotated-message");
    await page.getByLabel("messageType").selectOption("success");
    await callTool(page);
    await page.getByText("done", { exact: true }).waitFor();
    await expectAccessible(page, "result");
    await tab(page, "As a program").click();
    await expectAccessible(page, "call as a program");
    await goTo(page, "#/tools/s/crash");
    await page.getByText("A rule denies it").waitFor();
    await expectAccessible(page, "denied tool");
    await goTo(page, "#/tools/every/trigger-elicitation-request");
    await callTool(page);
    const form = page.getByRole("region", { name: "every asks you" });
    await form.getByRole("button", { name: "Send" }).click();
    await form.getByText("This field is required.").waitFor();
    await expectAccessible(page, "form of a server beside its tool");
    await goTo(page, "#/inbox");
    await form.getByRole("button", { name: "Send" }).click();
    await form.getByText("This field is required.").waitFor();
    await expectAccessible(page, "form of a server in the inbox");
  });

  it("around an App, in its questions, and in a chat", TIMEOUT, async () => {
    const model = await startModelServer(
      { parts: [{ text: "# Plan\n\nI *show* it." }, { call: "mcp__apps__show", args: { text: "hi" } }] },
      { parts: [{ text: "Here it is." }] },
    );
    onTestFinished(() => model.close());
    const variables = { PLUGBOARD_MODEL: "anthropic/scripted", ANTHROPIC_API_KEY: "k", ANTHROPIC_BASE_URL: model.url };
    const csp = { connectDomains: ["http://127.0.0.1:9", "file:///etc"], resourceDomains: ["https://cdn.example"] };
    const host = await startPageHost({ apps: appsStdio(csp) }, { allow: ["apps:declare"] }, variables);
    const page = await openPage(host, "#/tools/apps/declare", AXE_TAB);
    await loadAxe(page);
    await callTool(page);
    await page.getByText("uses other sites").waitFor();
    await expectAccessible(page, "consent to an App");
    await button(page, "Show the App").click();
    const app = page.frameLocator("iframe.app-frame").frameLocator("iframe");
    await app.getByText("structuredContent").waitFor();
    await page.getByText("Messages of the App (1)").click();
    await expectAccessible(page, "App");
    await app.getByRole("button", { name: "Link", exact: true }).click();
    await button(page, "Open it").waitFor();
    await expectDialog(page, "link of an App");
    await closeDialog(page);
    await app.getByRole("button", { name: "Count", exact: true }).click();
    await button(page, "Allow once").waitFor();
    await expectDialog(page, "call of an App");
    await button(page, "Deny").click();
    await app.getByRole("button", { name: "Full screen", exact: true }).click();
    await button(page, "Leave full screen").waitFor();
    await expectAccessible(page, "App on the full screen");
    await button(page, "Leave full screen").click();

    await goTo(page, "#/chat");
    await button(page, "New chat").first().click();
    await page.getByLabel("Message", { exact: true }).fill("Show it");
    await page.keyboard.press("Enter");
    await button(page, "Allow once").waitFor();
    await expectAccessible(page, "question in a chat");
    await button(page, "Allow once").click();
    await page.getByText("Here it is.").waitFor();
    await app.getByText("structuredContent").waitFor();
    await expectAccessible(page, "App in a chat");
  });
});
