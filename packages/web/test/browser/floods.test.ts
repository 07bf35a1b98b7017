/** Tests servers that send the page more than a person can read. */
import { randomUUID } from "node:crypto";
import { readdir, readFile, stat, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { startModelServer } from "@plugboard/testkit/model-server";
import { asksFloodStdio } from "@plugboard/testkit/start-server";
import type { Page } from "playwright-core";
import { describe, expect, it, onTestFinished, vi } from "vitest";
import { goTo, startPageHost, useBrowser } from "../helpers/page-fixture.ts";

const { openPage } = useBrowser();

async function callWith(page: Page, values: { readonly [name: string]: number }): Promise<void> {
  for (const [name, value] of Object.entries(values)) await page.getByLabel(name).fill(String(value));
  await page.getByRole("button", { name: "Call", exact: true }).click();
}

describe("a server that asks a thousand questions", () => {
  it("leaves the inbox usable and the questions of other servers in sight", async () => {
    const quiet = { ...asksFloodStdio(), env: { NAME: "quiet" } };
    const host = await startPageHost({ flood: asksFloodStdio(), quiet }, { allow: ["*"] });
    const page = await openPage(host, "#/tools/flood/ask");
    await callWith(page, { count: 1000, choices: 3 });
    await page.getByText("90 more questions of flood follow").waitFor();
    await goTo(page, "#/tools/quiet/ask");
    await page.getByRole("heading", { name: "ask" }).waitFor();
    await callWith(page, { count: 1 });
    await page.getByRole("region", { name: "quiet asks you" }).waitFor();
    await goTo(page, "#/inbox");
    await page.getByText("90 more questions of flood follow").waitFor();
    expect(await page.getByRole("region", { name: "flood asks you" }).count()).toBe(10);
    const other = page.getByRole("region", { name: "quiet asks you" });
    await other.getByRole("button", { name: "Decline" }).click();
    await other.waitFor({ state: "detached" });

    await page.route("**/inbox.dismiss", (route) => route.abort());
    await page.getByRole("button", { name: "Dismiss them" }).click();
    await page.getByRole("status").getByText("can't be reached").waitFor();
    await page.getByText("90 more questions of flood follow").waitFor();
    await page.unroute("**/inbox.dismiss");
    await page.getByRole("button", { name: "Dismiss them" }).click();
    await page.getByText("more questions of flood follow").waitFor({ state: "detached" });
    const first = page.getByRole("region", { name: "flood asks you" }).first();
    await first.getByRole("button", { name: "Decline" }).click();
    await expect.poll(() => page.getByRole("region", { name: "flood asks you" }).count()).toBeLessThan(10);
  });
});

describe("a server that returns more than a person can read", () => {
  it("is shown in part, and in full on request", async () => {
    const host = await startPageHost({ flood: asksFloodStdio() }, { allow: ["*"] });
    const page = await openPage(host, "#/tools/flood/answer");
    const text = page.getByRole("group", { name: "Text" });
    await callWith(page, { chars: 5_000_000 });
    await page.getByText("The first 200,000 of 5,000,000 characters").waitFor();
    expect((await text.innerText()).length).toBe(200_000);
    await page.getByRole("button", { name: "Show all" }).click();
    await expect.poll(async () => (await text.innerText()).length).toBe(5_000_000);

    await callWith(page, { chars: 12_000_000 });
    await page.getByText("The first 200,000 of 12,000,000 characters").waitFor();
    expect(await page.getByRole("button", { name: "Show all" }).count()).toBe(0);
    const download = page.waitForEvent("download");
    await page.getByRole("button", { name: "Save" }).click();
    expect((await stat(await (await download).path())).size).toBe(12_000_000);

    await callWith(page, { count: 20_000, chars: 3 });
    await page.getByText("19,900 more parts").waitFor();
    expect(await text.count()).toBe(100);
    await page.getByRole("button", { name: "Show more" }).click();
    await page.getByText("19,800 more parts").waitFor();
  });

  it("is shown in part even if its result has 100 MB of text, and so is structured content", async () => {
    const server = { ...asksFloodStdio(), maxMessageBytes: 128 * 1024 * 1024 };
    const host = await startPageHost({ flood: server }, { allow: ["*"] });
    const page = await openPage(host, "#/tools/flood/answer");
    await callWith(page, { chars: 100_000_000 });
    await page.getByText("The first 200,000 of 100,000,000 characters").waitFor();
    await goTo(page, "#/tools/flood/structured");
    await page.getByRole("heading", { name: "structured" }).waitFor();
    await callWith(page, { chars: 10_000_000 });
    await page.getByText("9,800,000 more characters").waitFor();
  });

  it("gets an error that names the limit if its message is larger than the host accepts", async () => {
    const page = await openPage(
      await startPageHost({ flood: asksFloodStdio() }, { allow: ["*"] }),
      "#/tools/flood/answer",
    );
    await callWith(page, { chars: 20_000_000 });
    await page.getByText("MESSAGE_TOO_LARGE").waitFor();
  });
});

describe("a chat of ten thousand messages", () => {
  it("shows the latest messages at once and earlier ones on request, and can be continued", async () => {
    const model = await startModelServer({ parts: [{ text: "First answer." }] }, { parts: [{ text: "Last answer." }] });
    onTestFinished(() => model.close());
    const variables = { PLUGBOARD_MODEL: "anthropic/scripted", ANTHROPIC_API_KEY: "k", ANTHROPIC_BASE_URL: model.url };
    const host = await startPageHost({}, {}, variables);
    const page = await openPage(host, "#/chat");
    const send = async (text: string) => {
      await page.getByLabel("Message", { exact: true }).fill(text);
      await page.keyboard.press("Enter");
    };
    await page.getByRole("button", { name: "New chat" }).first().click();
    await send("Hello");
    await page.getByText("First answer.").waitFor();
    const long = await copyChat(join(host.env["XDG_STATE_HOME"]!, "plugboard", "chats"), 10_000);

    await goTo(page, `#/chat/${long}`);
    await page.getByText("Message 9999", { exact: true }).waitFor();
    await page.getByText("9,800 earlier messages").waitFor();
    await page.getByRole("button", { name: "Show more" }).click();
    await page.getByText("9,600 earlier messages").waitFor();
    await page.getByText("Message 9600", { exact: true }).waitFor();
    await send("And now?");
    await page.getByText("Last answer.").waitFor();
  });
});

/** Copies the only chat of the folder, with another history, when its turn has ended. Returns the id of the copy. */
async function copyChat(folder: string, messages: number): Promise<string> {
  const info = (await readdir(folder)).find((name) => name.endsWith(".chat.json"))!;
  const id = randomUUID();
  const copiedId = info.replace(".chat.json", "");
  const text = await vi.waitFor(async () => {
    const stored = await readFile(join(folder, info), "utf8");
    expect(stored).not.toContain('"interrupted"');
    return stored;
  });
  const copied = text.replaceAll(copiedId, id);
  const [version] = (await readFile(join(folder, `${copiedId}.history.jsonl`), "utf8")).split("\n");
  const lines = Array.from({ length: messages }, (_, index) => {
    const role = index % 2 === 0 ? "user" : "assistant";
    return JSON.stringify({ message: { role, content: [{ type: "text", text: `Message ${index}` }] } });
  });
  await writeFile(join(folder, `${id}.history.jsonl`), `${[version, ...lines].join("\n")}\n`, { mode: 0o600 });
  await writeFile(join(folder, `${id}.chat.json`), copied, { mode: 0o600 });
  return id;
}
