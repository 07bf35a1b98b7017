/** Tests the sign-in of the page in a real browser. */
import { scriptedLegacy } from "@plugboard/testkit/start-server";
import { describe, expect, it } from "vitest";
import { startPageHost, useBrowser } from "../helpers/page-fixture.ts";

const { openPage, openTab } = useBrowser();

describe("the sign-in of the page", () => {
  it(
    "removes the code from the URL at once, and stays signed in after a reload",
    { meta: { covers: ["S16"] } },
    async () => {
      const host = await startPageHost({ s: scriptedLegacy() });
      const page = await openTab(host);
      const { url } = host.daemon.openPage();
      await page.goto(url);
      await page.getByRole("link", { name: "s", exact: true }).waitFor();
      expect(page.url()).toBe(`${host.daemon.endpoint}/`);
      expect(await page.evaluate("[history.length, document.cookie]")).toEqual([2, ""]);
      await page.reload();
      await page.getByRole("link", { name: "s", exact: true }).waitFor();
    },
  );

  it("refuses a link that was used, and says how to get another one", async () => {
    const host = await startPageHost({});
    const { url } = host.daemon.openPage();
    const [first, second] = [await openTab(host), await openTab(host)];
    await first.goto(url);
    await first.getByRole("heading", { name: "Servers" }).waitFor();
    await second.goto(url);
    await second.getByRole("heading", { name: "This browser is not signed in" }).waitFor();
    expect(await second.getByText("plugboard ui").count()).toBe(1);
    await second.getByText("This link is not valid any more.").waitFor();
    expect(second.url()).not.toContain("code");
  });

  it("stays valid in a browser that opens the used link again", async () => {
    const host = await startPageHost({});
    const { url } = host.daemon.openPage();
    const first = await openTab(host);
    await first.goto(url);
    await first.getByRole("heading", { name: "Servers" }).waitFor();
    const again = await first.context().newPage();
    await again.goto(url);
    await again.getByRole("heading", { name: "Servers" }).waitFor();
    await first.reload();
    await first.getByRole("heading", { name: "Servers" }).waitFor();
  });

  it("ends when the user signs out", async () => {
    const page = await openPage(await startPageHost({}));
    await page.getByRole("button", { name: "Sign out" }).click();
    await page.getByRole("heading", { name: "This browser is not signed in" }).waitFor();
    await page.reload();
    await page.getByRole("heading", { name: "This browser is not signed in" }).waitFor();
  });
});
