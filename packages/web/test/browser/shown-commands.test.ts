/** Tests that line breaks and control characters can't make a command or an argument on the page look like another. */
import { writeFile } from "node:fs/promises";
import { join } from "node:path";
import { scriptedLegacy } from "@plugboard/testkit/start-server";
import { describe, expect, it } from "vitest";
import { goTo, startPageHost, useBrowser } from "../helpers/page-fixture.ts";

const { openPage } = useBrowser();

/** A script whose last part would overwrite the first if a terminal printed it. */
const SCRIPT = 'exit 3\necho"\n command: "ls\u001b[2K\recho safe\u202E';
const SHOWN = 'exit 3⏎\necho"⏎\n command: "ls<U+001B>[2K<U+000D>echo safe<U+202E>';
const ONE_LINE = String.raw`sh -c "exit 3\necho\"\n command: \"ls\u001b[2K\recho safe<U+202E>" ""`;

describe("a command with line breaks and control characters on the page", () => {
  it("is a single word with visible line breaks in the plan of a server, and a single line in the list", async () => {
    const host = await startPageHost({});
    const page = await openPage(host);
    await page.getByRole("button", { name: "Add server" }).click();
    await page.getByRole("tab", { name: "JSON" }).click();
    const definition = { command: "sh", args: ["-c", SCRIPT, ""], env: { "A\n+ command": "x" } };
    await page
      .getByLabel("Definition")
      .fill(JSON.stringify({ mcpServers: { odd: { ...definition, enabled: false } } }));
    await page.getByRole("button", { name: "Continue" }).click();
    const words = page.getByRole("list", { name: "Command" }).getByRole("listitem");
    await words.first().waitFor();
    expect(await words.allInnerTexts()).toEqual(["sh", "-c", SHOWN, ""]);
    await page.getByRole("button", { name: "Save" }).click();
    await page.getByRole("heading", { level: 1, name: "odd" }).waitFor();
    await page.getByText(ONE_LINE, { exact: true }).waitFor();
    await goTo(page, "#/servers");
    const target = page.locator('tr:has(a:text-is("odd")) .cut').first();
    expect(await target.innerText()).toBe(ONE_LINE);
  });

  it("can't add lines to the definition of a project's server, nor to its changes", async () => {
    const host = await startPageHost({ s: scriptedLegacy() });
    const file = join(host.folder, ".mcp.json");
    const write = (odd: object) => writeFile(file, JSON.stringify({ mcpServers: { odd } }));
    await write({ command: "sh", args: ["-c", SCRIPT] });
    const page = await openPage(host);
    await page.getByRole("button", { name: "Review" }).click();
    const definition = page.getByRole("group", { name: "Definition" });
    expect(await definition.innerText()).toContain(`"${SHOWN}"`);
    await page.getByRole("button", { name: "Approve this definition" }).click();
    // The command fails, and the approval stays.
    await page.getByRole("dialog").waitFor({ state: "detached" });
    await write({ command: "sh", args: ["-c", SCRIPT], env: { "A\n+ command": "${HOME}" } });
    await page.getByText("has changed since you approved it").waitFor();
    await page.getByRole("button", { name: "Review" }).click();
    expect(await page.getByRole("dialog").locator(".diff-line").allInnerTexts()).toEqual([
      '+ env["A\\n+ command"]: "${HOME}"',
    ]);
  });
});

describe("an argument with line breaks and control characters on the page", () => {
  it("is a single argument with visible line breaks in a question", async () => {
    const host = await startPageHost({ s: scriptedLegacy() });
    const page = await openPage(host, "#/tools/s/echo");
    await page.getByRole("tab", { name: "JSON" }).click();
    await page.getByLabel("Arguments as JSON").fill(JSON.stringify({ text: SCRIPT, "text\nmore": 1 }));
    await page.getByRole("button", { name: "Call", exact: true }).click();
    const shown = page.getByRole("group", { name: "Arguments", exact: true });
    await shown.waitFor();
    expect(await shown.innerText()).toContain(`text: "${SHOWN}"`);
    expect(await shown.innerText()).toContain("text⏎more: 1");
  });
});
