/**
 * Checks every view in light and dark, wide and narrow: axe finds nothing serious, nothing is wider than the screen.
 */
import { everythingStdio, scriptedLegacy, skillsStdio } from "@plugboard/testkit/start-server";
import { describe, expect, it } from "vitest";
import { AXE_TAB, expectAccessible, loadAxe } from "../helpers/accessibility.ts";
import { goTo, startPageHost, useBrowser } from "../helpers/page-fixture.ts";

const { openPage } = useBrowser();

/** The address of each view, a text that the loaded view shows, and a button to press first, if there is one. */
const VIEWS = [
  ["#/servers", "Add server"],
  ["#/servers/every", "Instructions for the model"],
  ["#/tools/every/get-sum", "Permission rules"],
  ["#/content", "Choose a resource"],
  ["#/content/skills", "does not match the list", "Another skill"],
  ["#/inbox", "Allow once"],
  ["#/activity", "Calls over time"],
  ["#/chat", "No model is set."],
  ["#/clients", "Any other client"],
] as const;

/** The address of a view, and the button that opens a dialog there. */
const DIALOGS = [
  ["#/servers", "Add server"],
  ["#/servers/every", "Edit"],
  ["#/servers/every", "Remove"],
  ["#/activity", "Why every:get-sum failed"],
] as const;

describe("the views of the page", () => {
  it("are accessible and fit the screen in light and dark, wide and narrow", { timeout: 120_000 }, async () => {
    const bad = { command: "no-such-command" };
    const servers = { every: everythingStdio(), s: scriptedLegacy(), k: skillsStdio("modern"), bad };
    const host = await startPageHost(servers, { allow: ["every:*"] });
    const failed = host.daemon.workspace.tools.call("every:get-sum", { a: "x" });
    await expect(failed).rejects.toMatchObject({ code: "INVALID_ARGUMENTS" });
    const page = await openPage(host, "#/servers", AXE_TAB);
    await loadAxe(page);
    // The question about this call waits in the inbox.
    await goTo(page, "#/tools/s/echo");
    await page.getByLabel("text").fill("hi");
    await page.getByRole("button", { name: "Call", exact: true }).click();
    await page.getByRole("button", { name: "Allow once" }).waitFor();
    for (const [view, loaded, opening] of VIEWS) {
      await goTo(page, view);
      if (opening !== undefined) await page.getByRole("button").filter({ hasText: opening }).click();
      await page.getByText(loaded).first().waitFor();
      await expectAccessible(page, view);
    }
    for (const [view, opener] of DIALOGS) {
      await goTo(page, view);
      await page.getByRole("button", { name: opener }).first().click();
      await page.getByRole("dialog").waitFor();
      await expectAccessible(page, opener, "dialog");
      await page.keyboard.press("Escape");
      await page.getByRole("dialog").waitFor({ state: "detached" });
    }
  });

  it("can be used with the keyboard alone: skip link, views, tabs and dialogs", async () => {
    const page = await openPage(await startPageHost({ s: scriptedLegacy() }), "#/servers/s");
    await page.getByRole("tab", { name: "Overview" }).focus();
    await page.keyboard.press("ArrowRight");
    await page.getByRole("tab", { name: /^Tools/, selected: true }).waitFor();
    await goTo(page, "#/servers");
    await page.getByRole("button", { name: "Add server" }).press("Enter");
    await page.getByRole("dialog").waitFor();
    const focused = () => page.evaluate("`${document.activeElement.tagName} ${document.activeElement.innerText}`");
    for (let step = 0; step < 20; step++) {
      await page.keyboard.press("Tab");
      // Between the last and the first element of a dialog, the focus is in the browser's own controls.
      expect(await page.evaluate("Boolean(document.activeElement.closest('dialog, body:not(:focus-within)'))")).toBe(
        true,
      );
    }
    await page.keyboard.press("Escape");
    await page.getByRole("dialog").waitFor({ state: "detached" });
    expect(await focused()).toBe("BUTTON Add server");
    await page.getByRole("link", { name: "Tools" }).press("Enter");
    await page.getByRole("heading", { level: 1, name: "Tools" }).waitFor();
    expect(await focused()).toBe("H1 Tools");
    await page.getByRole("button", { name: "Skip to content" }).press("Enter");
    expect(await page.evaluate("document.activeElement.id")).toBe("main");
  });
});
