/** Servers that send the page more than a person can read. */
import { asksFloodStdio } from "@plugboard/testkit/start-server";
import type { Page } from "playwright-core";
import { describe, expect, it } from "vitest";
import { goTo, startPageHost, useBrowser } from "../helpers/page-fixture.ts";

const { openPage } = useBrowser();

async function callAsk(page: Page, values: { readonly [name: string]: number }): Promise<void> {
  for (const [name, value] of Object.entries(values)) await page.getByLabel(name).fill(String(value));
  await page.getByRole("button", { name: "Call", exact: true }).click();
}

describe("a server that asks ten thousand questions", () => {
  it("leaves the inbox usable and the questions of other servers in sight", async () => {
    const quiet = { ...asksFloodStdio(), env: { NAME: "quiet" } };
    const host = await startPageHost({ flood: asksFloodStdio(), quiet }, { allow: ["*"] });
    const page = await openPage(host, "#/tools/flood/ask");
    await callAsk(page, { count: 10_000, choices: 3 });
    await page.getByText("90 more questions of flood follow").waitFor();
    await goTo(page, "#/tools/quiet/ask");
    await page.getByRole("heading", { name: "ask" }).waitFor();
    await callAsk(page, { count: 1 });
    await page.getByRole("region", { name: "quiet asks you" }).waitFor();
    await goTo(page, "#/inbox");
    await page.getByText("90 more questions of flood follow").waitFor();
    expect(await page.getByRole("region", { name: "flood asks you" }).count()).toBe(10);
    const other = page.getByRole("region", { name: "quiet asks you" });
    await other.getByRole("button", { name: "Decline" }).click();
    await other.waitFor({ state: "detached" });

    await page.getByRole("button", { name: "Dismiss them" }).click();
    await page.getByText("more questions of flood follow").waitFor({ state: "detached" });
    const first = page.getByRole("region", { name: "flood asks you" }).first();
    await first.getByRole("button", { name: "Decline" }).click();
    await expect.poll(() => page.getByRole("region", { name: "flood asks you" }).count()).toBeLessThan(10);
  });
});
