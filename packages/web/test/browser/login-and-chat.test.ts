/** Tests logins and chats on the page. */
import { startAuthorizationServer } from "@plugboard/testkit/authorization-server";
import { logIn } from "@plugboard/testkit/programs/chromium";
import { startModelServer } from "@plugboard/testkit/model-server";
import { startProtectedServer } from "@plugboard/testkit/protected-server";
import { scriptedLegacy } from "@plugboard/testkit/start-server";
import { describe, expect, it, onTestFinished } from "vitest";
import { goTo, startPageHost, useBrowser } from "../helpers/page-fixture.ts";

const { openPage } = useBrowser();

describe("a login on the page", () => {
  it("opens the login in a tab, and the server is ready when it is done", async () => {
    const as = await startAuthorizationServer({ format: "jwt" });
    onTestFinished(() => as.close());
    const server = await startProtectedServer(as);
    onTestFinished(() => server.close());
    const host = await startPageHost({ notes: { url: server.url, start: "lazy" } });
    const page = await openPage(host, "#/servers/notes");
    await page.locator("header").getByRole("button", { name: "Log in" }).click();
    const question = page.getByRole("region", { name: "Log in at notes" });
    const opened = page.context().waitForEvent("page");
    await question.getByRole("link", { name: "Open the login page" }).click();
    const tab = await opened;
    expect(await tab.evaluate("window.opener")).toBeNull();
    await logIn(tab, tab.url(), "grace");
    await page.getByRole("heading", { level: 1 }).getByText("ready").waitFor();
    await page.getByText("grace").waitFor();
  });
});

describe("a chat on the page", () => {
  it("streams the answer of the model, asks before a call, and shows the result", async () => {
    const model = await startModelServer(
      { parts: [{ text: "Let me **see**." }, { call: "mcp__s__echo", args: { text: "hi from the model" } }] },
      { parts: [{ text: "It said: hi." }] },
    );
    onTestFinished(() => model.close());
    const variables = { PLUGBOARD_MODEL: "anthropic/scripted", ANTHROPIC_API_KEY: "k", ANTHROPIC_BASE_URL: model.url };
    const host = await startPageHost({ s: scriptedLegacy() }, {}, variables);
    const page = await openPage(host, "#/chat");
    await page.getByRole("button", { name: "New chat" }).first().click();
    await page.getByLabel("Message", { exact: true }).fill("Say hi");
    await page.keyboard.press("Enter");
    const question = page.getByRole("region", { name: "May s:echo be called?" });
    await question.getByText("hi from the model").waitFor();
    expect(await page.locator(".markdown strong").innerText()).toBe("see");
    await question.getByRole("button", { name: "Allow once" }).click();
    await page.getByText("It said: hi.").waitFor();
    expect(await page.locator(".chat-tool summary").first().innerText()).toMatch(/^s:echo\s+\d+(\.\d+)? m?s\s+done$/);
    await page.getByText("s:echo").click();
    await page.locator(".chat-tool pre").getByText("hi from the model").waitFor();
    await page.getByRole("navigation", { name: "Chats" }).getByText("Say hi").waitFor();
  });

  it("asks beside each of two equal parallel calls, and runs only the call that is allowed", async () => {
    const same = { call: "mcp__s__echo", args: { text: "hi" } };
    const model = await startModelServer({ parts: [same, same] }, { parts: [{ text: "Both are done." }] });
    onTestFinished(() => model.close());
    const variables = { PLUGBOARD_MODEL: "anthropic/scripted", ANTHROPIC_API_KEY: "k", ANTHROPIC_BASE_URL: model.url };
    const page = await openPage(await startPageHost({ s: scriptedLegacy() }, {}, variables), "#/chat");
    await page.getByRole("button", { name: "New chat" }).first().click();
    await page.getByLabel("Message", { exact: true }).fill("Say hi twice");
    await page.keyboard.press("Enter");
    const [first, second] = [0, 1].map((index) => page.locator(".chat-tool").nth(index));
    const questionAfter = (call: typeof first) =>
      call!.locator("xpath=following-sibling::*[1]").getByRole("region", { name: "May s:echo be called?" });
    await questionAfter(second).getByRole("button", { name: "Allow once" }).waitFor();
    expect(await page.getByRole("region", { name: "May s:echo be called?" }).count()).toBe(2);
    await questionAfter(second).getByRole("button", { name: "Allow once" }).click();
    await expect.poll(() => questionAfter(second).count()).toBe(0);
    expect(await questionAfter(first).count()).toBe(1);
    await questionAfter(first).getByRole("button", { name: "Deny", exact: true }).click();
    await page.getByText("Both are done.").waitFor();
    expect(await first!.locator("summary").first().innerText()).toContain("denied");
    expect(await second!.locator("summary").first().innerText()).toContain("done");
    expect(model.requests.at(-1)!.results).toMatchObject([
      { text: expect.stringContaining("denied by the user") },
      { text: expect.stringContaining("hi") },
    ]);
  });

  it("does not confuse its question with that of an equal call that the user tries at the same time", async () => {
    const echo = { call: "mcp__s__echo", args: { text: "hi" } };
    const model = await startModelServer({ parts: [echo] }, { parts: [{ text: "It did not run." }] });
    onTestFinished(() => model.close());
    const variables = { PLUGBOARD_MODEL: "anthropic/scripted", ANTHROPIC_API_KEY: "k", ANTHROPIC_BASE_URL: model.url };
    const page = await openPage(await startPageHost({ s: scriptedLegacy() }, {}, variables), "#/chat");
    const question = page.getByRole("region", { name: "May s:echo be called?" });
    await page.getByRole("button", { name: "New chat" }).first().click();
    await page.getByLabel("Message", { exact: true }).fill("Say hi");
    await page.keyboard.press("Enter");
    await question.waitFor();
    const chat = new URL(page.url()).hash;
    await goTo(page, "#/tools/s/echo");
    const trial = page.getByRole("region", { name: "Try it" });
    await page.getByLabel("text", { exact: true }).fill("hi");
    await page.getByRole("button", { name: "Call", exact: true }).click();
    await question.getByText("asked by the page").waitFor();
    expect(await question.count()).toBe(1);
    await question.getByRole("button", { name: "Allow once" }).click();
    await trial.getByText("done", { exact: true }).waitFor();
    await goTo(page, chat);
    await question.getByRole("button", { name: "Deny", exact: true }).click();
    await page.getByText("It did not run.").waitFor();
    expect(await page.locator(".chat-tool summary").first().innerText()).toContain("denied");
  });

  it("goes on while another view is shown, and marks an answer that was cancelled also after a reload", async () => {
    const model = await startModelServer(
      { parts: [{ text: "One moment." }, { call: "mcp__s__echo", args: { text: "hi" } }] },
      { parts: [{ text: "The half of an" }, { waitFor: new Promise(() => {}) }], usage: { input: 1200, output: 34 } },
    );
    onTestFinished(() => model.close());
    const variables = { PLUGBOARD_MODEL: "anthropic/scripted", ANTHROPIC_API_KEY: "k", ANTHROPIC_BASE_URL: model.url };
    const page = await openPage(await startPageHost({ s: scriptedLegacy() }, {}, variables), "#/chat");
    await page.getByRole("button", { name: "New chat" }).first().click();
    await page.getByLabel("Message", { exact: true }).fill("Say hi");
    await page.keyboard.press("Enter");
    await page.getByRole("button", { name: "Allow once" }).waitFor();
    await goTo(page, "#/inbox");
    await page.getByRole("link", { name: "asked by a chat" }).waitFor();
    await page.getByRole("button", { name: "Allow once" }).click();
    await page.getByText("Nothing waits for you").waitFor();
    await goTo(page, "#/chat");
    await page.getByRole("navigation", { name: "Chats" }).getByText("Say hi").click();
    await page.getByText("The half of an").waitFor();
    await page.getByRole("button", { name: "Stop" }).click();
    await page.getByText("Cancelled. The answer is not complete.").waitFor();
    await page.reload();
    await page.getByText("The half of an").waitFor();
    await page.getByText("Cancelled. The answer is not complete.").waitFor();
    await page.getByText(/^Context: [\d,]+ tokens/).waitFor();
  });

  it("hides the beginning of an answer that broke off, and says that the model is asked again", async () => {
    let breakOff = () => {};
    const shown = new Promise<void>((resolve) => (breakOff = resolve));
    const broken = { parts: [{ text: "Half of" }, { waitFor: shown }, { breakOff: "socket" as const }] };
    const model = await startModelServer(broken, { parts: [{ text: "The whole." }] });
    onTestFinished(() => model.close());
    const variables = { PLUGBOARD_MODEL: "anthropic/scripted", ANTHROPIC_API_KEY: "k", ANTHROPIC_BASE_URL: model.url };
    const page = await openPage(await startPageHost({}, {}, variables), "#/chat");
    await page.getByRole("button", { name: "New chat" }).first().click();
    await page.getByLabel("Message", { exact: true }).fill("Say it");
    await page.keyboard.press("Enter");
    await page.getByText("Half of").waitFor();
    breakOff();
    await page.getByText("The whole.").waitFor();
    await page.getByText(/^The model did not answer \(.*\)\. Trying again…$/).waitFor();
    expect(await page.locator(".markdown").allInnerTexts()).toEqual(["The whole."]);
  });

  it("says without a model which file to change, and shows a missing key at the field of the model", async () => {
    const host = await startPageHost({});
    const page = await openPage(host, "#/chat");
    await page.getByRole("button", { name: "New chat" }).first().click();
    await page.getByText(`in your config file ${host.configFile}. Keep the rest of the file`).waitFor();
    await page.getByText("No model is set.").waitFor();
    const example = page.getByRole("group", { name: "Example of a model in the config file" });
    await example.getByText('"model": "anthropic/').waitFor();
    const field = page.getByLabel("Model", { exact: true });
    await field.fill("anthropic/some");
    await field.press("Enter");
    const reason = page.locator("form", { has: field }).getByRole("alert");
    await reason.getByText("ANTHROPIC_API_KEY").waitFor();
    await page.getByText("anthropic/some can’t be used yet.").waitFor();
    expect(await page.getByText("No model is set.").count()).toBe(0);
    expect(await page.locator(".toast").count()).toBe(0);
    await field.fill("ollama/some");
    expect(await reason.innerText()).toBe("");
    await field.press("Enter");
    await page.locator(".toast").getByText("The next turn uses ollama/some").waitFor();
    const toast = (await page.locator(".toasts").boundingBox())!;
    const send = (await page.getByRole("button", { name: "Send" }).boundingBox())!;
    expect(toast.y + toast.height).toBeLessThan(send.y);
  });
});
