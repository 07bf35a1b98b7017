/** Tests links of an App: the page shows the URL that the browser would open, and opens only web pages. */
import { appsStdio } from "@plugboard/testkit/start-server";
import { describe, expect, it } from "vitest";
import { startPageHost, useBrowser } from "../helpers/page-fixture.ts";

const { openPage } = useBrowser();

interface LinkAnswer {
  readonly result?: { readonly isError?: boolean };
  readonly error?: { readonly code: number };
}

async function openApp() {
  const page = await openPage(await startPageHost({ apps: appsStdio() }, { allow: ["*"] }), "#/tools/apps/show");
  // Answers for the sites that the links lead to.
  const isExample = ({ hostname }: URL) => hostname.endsWith(".example");
  await page.context().route(isExample, (route) => route.fulfill({ contentType: "text/html", body: "A site" }));
  await page.getByRole("button", { name: "Call", exact: true }).click();
  await page.frameLocator("iframe.app-frame").frameLocator("iframe").getByText("structuredContent").waitFor();
  const frame = page.frames().find((one) => one.url() === "about:srcdoc")!;
  const requestLink = (url: string) =>
    frame.evaluate<LinkAnswer>(`request("ui/open-link", ${JSON.stringify({ url })})`);
  return { page, frame, requestLink };
}

describe("a link of an App", () => {
  it("shows and opens the same URL, with the host name in Punycode", async () => {
    const { page, requestLink } = await openApp();
    const dialog = page.getByRole("dialog");
    for (const [url, href, host] of [
      [
        "HTTP://Exämple.example:80/a/../b c?x=1#y",
        "http://xn--exmple-cua.example/b%20c?x=1#y",
        "xn--exmple-cua.example",
      ],
      // A Cyrillic letter, which looks like "a".
      ["https://аpple.example/", "https://xn--pple-43d.example/", "xn--pple-43d.example"],
      ["https://good.example@evil.example/pay", "https://good.example@evil.example/pay", "evil.example"],
      ["https://exa\tmp\nle.ex\rample/\u202Egnp.exe", "https://example.example/%E2%80%AEgnp.exe", "example.example"],
    ] as const) {
      const answer = requestLink(url);
      await dialog.locator("pre").waitFor();
      expect(await dialog.locator("pre").innerText()).toBe(href);
      expect(await dialog.locator("strong").innerText()).toBe(host);
      const opened = page.context().waitForEvent("page");
      await dialog.getByRole("button", { name: "Open it" }).click();
      const tab = await opened;
      await tab.waitForURL((current) => current.href !== "about:blank");
      expect(tab.url()).toBe(href);
      expect(await tab.evaluate("window.opener")).toBeNull();
      expect((await answer).result).not.toMatchObject({ isError: true });
      await tab.close();
    }
  });

  it("is not opened, and a file is not saved, if the user declines or closes the question", async () => {
    const { page, frame, requestLink } = await openApp();
    const events: string[] = [];
    page.context().on("page", (tab) => events.push(`opened ${tab.url()}`));
    page.on("download", (file) => events.push(`saved ${file.suggestedFilename()}`));
    const dialog = page.getByRole("dialog");
    const contents = [{ type: "resource", resource: { uri: "file:///a.txt", text: "a" } }];
    for (const decline of [
      () => dialog.getByRole("button", { name: "No" }).click(),
      () => page.keyboard.press("Escape"),
    ]) {
      const link = requestLink("https://a.example/");
      await dialog.getByText("wants to open a page").waitFor();
      await decline();
      expect(await link).toMatchObject({ result: { isError: true } });
      const download = frame.evaluate<LinkAnswer>(`request("ui/download-file", ${JSON.stringify({ contents })})`);
      await dialog.getByText("wants to save files").waitFor();
      await decline();
      expect(await download).toMatchObject({ result: { isError: true } });
    }
    // Everything that the declined links would have opened would be there before the page of an accepted link.
    const accepted = requestLink("https://b.example/");
    await dialog.getByRole("button", { name: "Open it" }).click();
    expect((await accepted).result).toEqual({});
    await expect.poll(() => events).toHaveLength(1);
    const [, tab] = page.context().pages();
    await tab!.waitForURL("https://b.example/");
    expect(events).toHaveLength(1);
  });

  it("is refused without a question if it leads to no web page", async () => {
    const { page, requestLink } = await openApp();
    for (const url of [
      "javascript:alert(1)",
      " javascript:alert(1)",
      "java\nscript:alert(1)",
      "data:text/html,<script>alert(1)</script>",
      "blob:http://127.0.0.1/x",
      "file:///etc/passwd",
      "//a.example/",
      "http://",
    ]) {
      expect(await requestLink(url), url).toMatchObject({ error: { code: -32602 } });
      expect(await page.getByRole("dialog").count(), url).toBe(0);
    }
    expect(page.context().pages()).toHaveLength(1);
  });
});
