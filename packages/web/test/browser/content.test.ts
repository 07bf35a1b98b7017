/** Tests skills and live resources on the page. */
import { skillsStdio } from "@plugboard/testkit/start-server";
import { describe, expect, it, vi } from "vitest";
import { goTo, startPageHost, useBrowser } from "../helpers/page-fixture.ts";

const { openPage } = useBrowser();
const NOTE = "note://today";

describe("the skills on the page", () => {
  it("are read with the state of each file, and a hostile skill is only text", async () => {
    const host = await startPageHost({ k: skillsStdio("modern"), old: skillsStdio("legacy") });
    const page = await openPage(host, "#/content");
    await page.getByRole("tab", { name: "Skills" }).click();
    await page.getByText("8 skills").waitFor();
    await page.getByText("skill://incomplete/SKILL.md can't be used").first().waitFor();
    const list = page.getByRole("group", { name: "Skills" });
    const open = (text: string) => list.getByRole("button").filter({ hasText: text }).first().click();
    const files = page.getByRole("list", { name: "Files" });

    await open("refundsold");
    await page.getByRole("heading", { name: "refunds · old" }).waitFor();
    await page.getByRole("heading", { name: "Refunds", exact: true }).waitFor();
    await page.getByText("Use the email in examples/").waitFor();
    await files.getByText("matches its digest").waitFor();
    await files.getByText("not read yet").waitFor();
    await files.getByRole("button", { name: "examples/email.md" }).click();
    await page.getByText("Dear customer,").waitFor();
    await vi.waitFor(async () => expect(await files.getByText("matches its digest").count()).toBe(2));

    await open("hostilek");
    await page.getByRole("heading", { name: "Hostile", exact: true }).waitFor();
    // Hidden characters are visible in the list, in the description and in the text.
    const hidden = "Harm<U+200B>less <U+202E>evil";
    await list.getByText(hidden).first().waitFor();
    await page.getByRole("region", { name: "hostile · k" }).getByText(hidden).waitFor();
    await page.locator(".markdown").getByText(hidden).waitFor();
    await page.getByText(`<svg onload="document.title='owned'"></svg>`).waitFor();
    await page.getByText("not loaded: https://attacker.example/pixel.png").waitFor();
    expect(await page.locator("main svg[onload], main img, main a[href^='javascript']").count()).toBe(0);
    expect(await page.title()).toContain("Resources");
    expect(await page.getByText("does not match").count()).toBe(0);
    await files.getByRole("button", { name: "run.sh" }).click();
    await page.getByRole("alert").getByText("The content does not match the digest").waitFor();
    await files.getByText("does not match its digest").waitFor();

    await open("otherk");
    await page.getByRole("alert").getByText("The frontmatter of the file differs").waitFor();
    await open("dailyk");
    await page.getByText("lists no digests").waitFor();
    await page.getByText("It is generated.").waitFor();
    expect(await page.getByRole("alert").count()).toBe(0);
  });
});

describe("a live resource on the page", () => {
  it("is read again after each update, also after a reconnect, until its view is closed", async () => {
    const servers = {
      k: skillsStdio("modern"),
      old: skillsStdio("legacy"),
      plain: skillsStdio("legacy", "--no-subscriptions"),
    };
    const host = await startPageHost(servers, { allow: ["*"] });
    const { tools, servers: control } = host.daemon.workspace;
    const subscriptions = async (server: string) => {
      const [block] = (await tools.call(`${server}:subscriptions`)).content;
      return JSON.parse((block as { text: string }).text) as string[];
    };
    const page = await openPage(host, "#/content");
    const live = page.getByRole("switch", { name: "Live: read again after each update" });
    const open = async (server: string) => {
      await page.getByLabel("Filter resources").fill(`${server} ${NOTE}`);
      await page.getByRole("group", { name: "Resources" }).getByRole("button").click();
      await page.getByText("Nothing yet").waitFor();
    };

    for (const server of ["old", "k"]) {
      await open(server);
      await live.click();
      await page.getByText("No update yet").waitFor();
      await vi.waitFor(async () => expect(await subscriptions(server)).toEqual([NOTE]));
      await tools.call(`${server}:write`, { uri: NOTE, text: "The news" });
      await page.getByText("The news").waitFor();
      await page.getByText(/^Updated \d+:\d+:\d+/).waitFor();
    }
    // The other resource is no longer shown.
    await vi.waitFor(async () => expect(await subscriptions("old")).toEqual([]));
    await control.reconnect("k");
    await page.getByText("Nothing yet").waitFor();
    await vi.waitFor(async () => expect(await subscriptions("k")).toEqual([NOTE]));
    await tools.call("k:write", { uri: NOTE, text: "After the restart" });
    await page.getByText("After the restart").waitFor();

    await live.click();
    await vi.waitFor(async () => expect(await subscriptions("k")).toEqual([]));
    await live.click();
    await vi.waitFor(async () => expect(await subscriptions("k")).toEqual([NOTE]));
    await goTo(page, "#/servers");
    await vi.waitFor(async () => expect(await subscriptions("k")).toEqual([]));
    await goTo(page, "#/content");
    await open("plain");
    expect(await live.count()).toBe(0);
  });
});
