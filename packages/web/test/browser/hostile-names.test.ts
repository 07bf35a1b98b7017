/**
 * Tests a server that gives a hostile name to everything. No view may become wider than the screen, contain a hidden
 * character or draw HTML.
 */
import { startModelServer } from "@plugboard/testkit/model-server";
import { hostileNamesStdio } from "@plugboard/testkit/start-server";
import type { Page } from "playwright-core";
import { describe, expect, it, onTestFinished } from "vitest";
import { goTo, startPageHost, useBrowser } from "../helpers/page-fixture.ts";

const { openPage } = useBrowser();

const HIDDEN = "Harm\u200bless \u202eevil\u202c \u2066a\u2069 \u0007bell \u001b[31mred \u00ad\u{e0041}";
const HTML = `<img src=x onerror="document.title='owned'"><b data-owned>bold</b>`;
const NAMES = [
  ["hidden characters", HIDDEN],
  ["HTML and a long word, 300 characters", HTML.padEnd(300, "x")],
] as const;

/** Matches what `sanitize` replaces, except line breaks, tabs and the joiners of emoji. */
const HIDDEN_PATTERN = String.raw`[\u0000-\u0008\u000b-\u001f\u007f-\u009f\u00ad\u200b\u200e\u200f\u202a-\u202e\u2060-\u2069\ufeff\u{e0000}-\u{e007f}]`;

/** Fails if the page is wider than the screen, draws HTML of the server, or has hidden characters. */
async function expectHarmless(page: Page, title: string): Promise<void> {
  // The values of fields are not checked: they are sent as they are, and the hint below a field shows what is hidden.
  const found = await page.evaluate(`(() => {
    const hidden = new RegExp(${JSON.stringify(HIDDEN_PATTERN)}, "u");
    const elements = [...document.querySelectorAll("body *")];
    const attributes = elements.flatMap((one) => [...one.attributes].filter(({ name, value }) => hidden.test(value) && !(name === "value" && one.tagName === "INPUT")).map(({ name }) => one.tagName + " " + name));
    const texts = elements.filter((one) => one.tagName !== "TEXTAREA" && [...one.childNodes].some((node) => node.nodeType === 3 && hidden.test(node.data))).map((one) => one.tagName + "." + one.className);
    const wide = elements.filter((one) => one.getBoundingClientRect().right > innerWidth + 1 && !one.closest(".table-scroll, .tabs, .skip-link, .hidden-text")).slice(0, 5).map((one) => one.tagName + "." + one.className);
    return { attributes, texts, wide, overflow: Math.max(0, document.documentElement.scrollWidth - innerWidth), html: document.querySelectorAll("[data-owned], img[src=x]").length, title: document.title.includes("owned") };
  })()`);
  const harmless = { attributes: [], texts: [], wide: [], overflow: 0, html: 0, title: false };
  expect.soft(found, title).toEqual(harmless);
}

describe("the views of the page with a hostile name", () => {
  it.each(NAMES)("fit the screen and show the name as text: %s", async (_, name) => {
    const model = await startModelServer(
      { parts: [{ text: name }, { call: "mcp__h__ask", args: {} }] },
      { parts: [{ text: name }] },
    );
    onTestFinished(() => model.close());
    const variables = { PLUGBOARD_MODEL: "anthropic/scripted", ANTHROPIC_API_KEY: "k", ANTHROPIC_BASE_URL: model.url };
    const host = await startPageHost({ h: hostileNamesStdio(name) }, { allow: ["h:form"] }, variables);
    const page = await openPage(host, "#/servers", { viewport: { width: 360, height: 800 } });
    await page.getByText("ready").first().waitFor();
    await expectHarmless(page, "servers");
    await goTo(page, "#/servers/h");
    await page.getByText("Instructions for the model").waitFor();
    await expectHarmless(page, "server");
    for (const tab of ["Tools", "Log"]) {
      await page.getByRole("tab", { name: new RegExp(`^${tab}`) }).click();
      await expectHarmless(page, `server, ${tab}`);
    }

    await goTo(page, "#/content");
    await page.locator(".tool-row").click();
    await page.getByRole("group", { name: "Text" }).waitFor();
    await expectHarmless(page, "resources");
    await goTo(page, "#/content/templates");
    await page.getByRole("button", { name: "Read" }).waitFor();
    await expectHarmless(page, "templates");
    await page.getByRole("button", { name: "Read" }).click();
    await page.getByRole("group", { name: "Text" }).waitFor();
    await expectHarmless(page, "template, read");
    await goTo(page, "#/content/prompts");
    await page.getByRole("button", { name: "Preview" }).waitFor();
    await page.locator("form input").fill("a");
    await page.locator("datalist option").waitFor({ state: "attached" });
    await page.getByRole("button", { name: "Preview" }).click();
    await page.getByRole("group", { name: "Text" }).waitFor();
    await expectHarmless(page, "prompts");
    await page.getByRole("button", { name: "Use in a chat" }).click();
    await page.getByRole("dialog").waitFor();
    await expectHarmless(page, "prompt in a chat");
    await page.keyboard.press("Escape");
    await goTo(page, "#/content/skills");
    await page.locator(".tool-row").or(page.getByText("can't be used")).first().waitFor();
    await expectHarmless(page, "skills");

    await goTo(page, "#/tools");
    await page.locator(".tool-row").first().waitFor();
    await expectHarmless(page, "tools");
    await goTo(page, "#/tools/h/form");
    await page.getByRole("button", { name: "Call", exact: true }).click();
    await page.getByText("This field is required.").first().waitFor();
    await page.getByRole("button", { name: /^Add to/ }).click();
    await expectHarmless(page, "tool form");
    for (const tab of ["As a command", "As a program", "JSON"]) {
      await page.getByRole("tab", { name: tab }).click();
      await expectHarmless(page, `tool, ${tab}`);
    }
    await page.getByLabel("Arguments as JSON").fill(JSON.stringify({ [name]: name }));
    await page.getByRole("button", { name: "Call", exact: true }).click();
    await page.getByText("Structured result").click();
    await expectHarmless(page, "tool result");

    await goTo(page, "#/chat");
    await page.getByRole("button", { name: "New chat" }).first().click();
    await page.getByLabel("Message", { exact: true }).fill(name);
    await page.keyboard.press("Enter");
    await page.getByRole("button", { name: "Allow once" }).waitFor();
    await expectHarmless(page, "chat");
    await goTo(page, "#/inbox");
    await expectHarmless(page, "inbox, permission");
    await page.getByRole("button", { name: "Allow once" }).click();
    await page.getByRole("button", { name: "Decline" }).waitFor();
    await page.getByRole("button", { name: "Send" }).click();
    await page.getByText("This field is required.").first().waitFor();
    await expectHarmless(page, "inbox, form");
    await page.getByRole("button", { name: "Decline" }).click();
    await goTo(page, "#/activity");
    await page.getByText("h:ask").first().waitFor();
    await expectHarmless(page, "activity");
    await goTo(page, "#/clients");
    await page.getByText("Any other client").waitFor();
    await expectHarmless(page, "clients");
  });
});
