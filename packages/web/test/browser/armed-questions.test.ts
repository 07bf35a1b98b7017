/** Tests that a question can't be accepted at the moment when it appears, because an App can choose that moment. */
import { appsStdio, scriptedLegacy } from "@plugboard/testkit/start-server";
import type { Locator, Page } from "playwright-core";
import { describe, expect, it } from "vitest";
import { startPageHost, useBrowser } from "../helpers/page-fixture.ts";

const { openPage } = useBrowser();

/** Lets the time of the page pass in small steps. */
async function stepUntilShown(page: Page, shown: Locator): Promise<void> {
  await expect
    .poll(async () => {
      await page.clock.runFor(20);
      return shown.count();
    })
    .toBe(1);
}

/** Clicks at the place of the button, even if the button is disabled. */
async function clickAt(page: Page, button: Locator): Promise<void> {
  await button.scrollIntoViewIfNeeded();
  const { x, y, width, height } = (await button.boundingBox())!;
  await page.mouse.click(x + width / 2, y + height / 2);
}

describe("a question on the page", () => {
  it("about a call ignores clicks in its first 600 ms, and accepts a later click", async () => {
    const host = await startPageHost({ s: scriptedLegacy() });
    const page = await openPage(host, "#/tools/s/echo");
    await page.getByLabel("text").fill("hi");
    await page.clock.install();
    await page.clock.pauseAt(Date.now() + 1000);
    await page.getByRole("button", { name: "Call", exact: true }).click();
    const allow = page.getByRole("button", { name: "Allow once" });
    await stepUntilShown(page, allow);
    await clickAt(page, allow);
    await page.clock.runFor(550);
    await clickAt(page, allow);
    expect(await allow.isDisabled()).toBe(true);
    await page.clock.runFor(50);
    await clickAt(page, allow);
    await stepUntilShown(page, page.getByText("done", { exact: true }));
    expect(await allow.count()).toBe(0);
  });

  it("about an App ignores clicks in its first 600 ms, and accepts a later click", async () => {
    const page = await openPage(await startPageHost({ apps: appsStdio() }, { allow: ["*"] }), "#/tools/apps/show");
    await page.context().route("http://127.0.0.1:9/**", (route) => route.fulfill({ body: "opened" }));
    await page.getByRole("button", { name: "Call", exact: true }).click();
    const app = page.frameLocator("iframe.app-frame").frameLocator("iframe");
    await app.getByText("structuredContent").waitFor();
    await page.clock.install();
    await page.clock.pauseAt(Date.now() + 1000);
    await app.getByRole("button", { name: "Link", exact: true }).click();
    const open = page.getByRole("button", { name: "Open it" });
    await stepUntilShown(page, open);
    await clickAt(page, open);
    await page.clock.runFor(550);
    await clickAt(page, open);
    expect(await open.isDisabled()).toBe(true);
    expect(page.context().pages()).toHaveLength(1);
    await page.clock.runFor(50);
    const opened = page.context().waitForEvent("page");
    await clickAt(page, open);
    await opened;
    await open.waitFor({ state: "detached" });
  });
});
