/** Tests the page with more servers than it draws at once. */
import { describe, expect, it } from "vitest";
import { goTo, startPageHost, useBrowser } from "../helpers/page-fixture.ts";

const { openPage } = useBrowser();
const COUNT = 250;

/** Returns servers that can't start. Only the last `enabled` servers are enabled. */
const definitions = (enabled: number) =>
  Object.fromEntries(
    Array.from({ length: COUNT }, (_, at) => [
      `server-${String(at).padStart(3, "0")}`,
      { command: "no-such-command", args: [String(at)], enabled: at >= COUNT - enabled },
    ]),
  );

describe("the page with hundreds of servers", () => {
  it("draws a part of the list, shows more by keyboard, finds every server, and reads few statuses when many fail", async () => {
    const host = await startPageHost(definitions(0));
    const page = await openPage(host);
    const names = page.locator(".server-name");
    await page.getByText(`100 of ${COUNT} servers`).waitFor();
    expect(await names.count()).toBe(100);

    await page.getByRole("button", { name: "Show 100 more" }).press("Enter");
    await page.getByText(`200 of ${COUNT} servers`).waitFor();
    expect(await page.evaluate("document.activeElement.textContent")).toBe("server-100");
    await page.getByRole("button", { name: "Show 50 more" }).press("Enter");
    await page.getByText(`of ${COUNT} servers`).waitFor({ state: "detached" });
    expect(await page.evaluate("document.activeElement.textContent")).toBe("server-200");
    expect(await names.count()).toBe(COUNT);

    await page.getByRole("searchbox", { name: "Filter servers" }).pressSequentially("server-24");
    await names.nth(9).waitFor();
    expect(await names.allInnerTexts()).toEqual(Array.from({ length: 10 }, (_, at) => `server-24${at}`));

    let requests = 0;
    page.on("request", (request) => void (request.url().endsWith("/status") && requests++));
    await host.writeConfig(definitions(100));
    await expect
      .poll(() => page.locator("tbody .badge").allInnerTexts(), { timeout: 30_000 })
      .toEqual(Array.from({ length: 10 }, () => "failed"));
    await page.getByRole("searchbox", { name: "Filter servers" }).fill("error");
    await expect.poll(() => names.count(), { timeout: 30_000 }).toBe(100);
    // Each of the hundred servers reports several states. Starts take turns, so the reads are spread over some time.
    expect(requests).toBeLessThan(25);
    await goTo(page, "#/tools");
    await page.getByText("No server offers tools yet.").waitFor();
  });
});
