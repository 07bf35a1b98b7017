/** Tests the servers' prompts on the page, and using them in a chat. */
import { startModelServer } from "@plugboard/testkit/model-server";
import type { ScriptedAnswer } from "@plugboard/testkit/model-server";
import { everythingStdio } from "@plugboard/testkit/start-server";
import { describe, expect, it, onTestFinished, vi } from "vitest";
import { goTo, startPageHost, useBrowser } from "../helpers/page-fixture.ts";

const { openPage } = useBrowser();

async function openPrompts(...answers: readonly ScriptedAnswer[]) {
  const model = await startModelServer(...answers);
  onTestFinished(() => model.close());
  const variables = { PLUGBOARD_MODEL: "anthropic/scripted", ANTHROPIC_API_KEY: "k", ANTHROPIC_BASE_URL: model.url };
  const page = await openPage(await startPageHost({ every: everythingStdio() }, {}, variables), "#/content");
  await page.getByRole("tab", { name: "Prompts" }).click();
  return { model, page };
}

describe("a prompt on the page", () => {
  it("marks required arguments before it is previewed or used", async () => {
    const { page } = await openPrompts();
    const card = page.getByRole("region", { name: /^Arguments Prompt/ });
    for (const action of ["Preview", "Use in a chat"]) {
      await card.getByRole("button", { name: action }).click();
      await card.getByText("This field is required.").waitFor();
    }
    expect(await page.getByRole("dialog").count()).toBe(0);
    await card.getByLabel("city").fill("Bern");
    await card.getByRole("button", { name: "Preview" }).click();
    await card.getByText("What's weather in Bern?").waitFor();
  });

  it("begins the first message of a new chat, before the user's text", async () => {
    const { page, model } = await openPrompts({ parts: [{ text: "Sunny." }] });
    const card = page.getByRole("region", { name: /^Arguments Prompt/ });
    await card.getByLabel("city").fill("Bern");
    await card.getByRole("button", { name: "Use in a chat" }).click();
    const dialog = page.getByRole("dialog", { name: "Use /every:args-prompt in a chat" });
    await dialog.getByRole("button", { name: "Continue in the chat" }).click();
    await page.getByText("Your next message begins with the prompt /every:args-prompt city: Bern").waitFor();
    await page.locator('textarea[aria-label="Message"]:focus').waitFor();
    await page.keyboard.type("In one word, please.");
    await page.keyboard.press("Enter");
    await page.getByText("Sunny.").waitFor();
    expect(await page.locator(".chat-user").innerText()).toBe("/every:args-prompt In one word, please.");
    const sent = JSON.stringify(model.requests[0]!.body);
    expect(sent.indexOf("What's weather in Bern?")).toBeGreaterThan(0);
    expect(sent.indexOf("In one word, please.")).toBeGreaterThan(sent.indexOf("What's weather in Bern?"));
    expect(await page.getByText("Your next message begins").count()).toBe(0);
  });

  it("stays with the draft of a new chat while another view is shown", async () => {
    const { page, model } = await openPrompts({ parts: [{ text: "Sunny." }] });
    const card = page.getByRole("region", { name: /^Arguments Prompt/ });
    await card.getByLabel("city").fill("Bern");
    await card.getByRole("button", { name: "Use in a chat" }).click();
    await page.getByRole("button", { name: "Continue in the chat" }).click();
    const message = page.getByLabel("Message", { exact: true });
    await message.fill("In one word, please.");
    const views = page.getByRole("navigation", { name: "Views" });
    await views.getByRole("link", { name: "Clients" }).click();
    await page.getByRole("heading", { level: 1, name: "Clients" }).waitFor();
    await views.getByRole("link", { name: "Chat" }).click();
    const chats = page.getByRole("navigation", { name: "Chats" });
    await chats.getByRole("link", { name: /New chat.*draft/ }).click();
    await page.getByText("Your next message begins with the prompt /every:args-prompt city: Bern").waitFor();
    expect(await message.inputValue()).toBe("In one word, please.");
    await message.press("Enter");
    await page.getByText("Sunny.").waitFor();
    expect(JSON.stringify(model.requests[0]!.body)).toContain("What's weather in Bern?");
    expect(await chats.getByText("draft").count()).toBe(0);
  });

  it("begins the next message of an existing chat, without a text, unless it is removed", async () => {
    const { page, model } = await openPrompts(
      { parts: [{ text: "First answer." }] },
      { parts: [{ text: "Second answer." }] },
    );
    await goTo(page, "#/chat");
    await page.getByRole("button", { name: "New chat" }).first().click();
    await page.getByLabel("Message", { exact: true }).fill("Good morning");
    await page.keyboard.press("Enter");
    await page.getByText("First answer.").waitFor();
    const use = async () => {
      await goTo(page, "#/content");
      await page.getByRole("tab", { name: "Prompts" }).click();
      const card = page.getByRole("region", { name: /^Simple Prompt/ });
      await card.getByRole("button", { name: "Use in a chat" }).click();
      const dialog = page.getByRole("dialog");
      const chat = dialog.getByLabel("Chat");
      await vi.waitFor(async () => expect(await chat.innerText()).toContain("Good morning"));
      await chat.selectOption({ index: 1 });
      await dialog.getByRole("button", { name: "Continue in the chat" }).click();
      await page.getByText("First answer.").waitFor();
      await page.getByText("Your next message begins with the prompt /every:simple-prompt").waitFor();
    };
    const send = page.getByRole("button", { name: "Send" });
    await use();
    await page.locator(".chat-context").getByRole("button", { name: "Remove" }).click();
    expect(await send.isDisabled()).toBe(true);
    await use();
    await send.click();
    await page.getByText("Second answer.").waitFor();
    expect(JSON.stringify(model.requests[1]!.body)).toContain("This is a simple prompt without arguments.");
  });
});
