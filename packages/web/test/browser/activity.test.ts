/** Tests how the page shows calls: who made them, how they ended, and why they failed. */
import { writeFile } from "node:fs/promises";
import { join } from "node:path";
import { everythingStdio, fileDrivenServer, scriptedLegacy } from "@plugboard/testkit/start-server";
import { writeCallStats } from "@plugboard/testkit/write-call-stats";
import { describe, expect, it } from "vitest";
import { goTo, startPageHost, useBrowser } from "../helpers/page-fixture.ts";

const { openPage } = useBrowser();

describe("the activity on the page", () => {
  it("counts all calls of the chosen time span, not only the latest calls, which it lists", async () => {
    const host = await startPageHost({ s: scriptedLegacy() }, { allow: ["*"] });
    await writeCallStats(join(host.folder, "state", "plugboard"), [
      { server: "s", tool: "echo", minutesAgo: 20, calls: 957 },
      { server: "s", tool: "echo", minutesAgo: 5 * 60, calls: 3000, failed: true },
      { server: "old", tool: "gone", minutesAgo: 3 * 24 * 60, calls: 40 },
    ]);
    await host.daemon.workspace.tools.call("s:echo", { text: "hi" });
    const page = await openPage(host, "#/activity");
    const stat = (name: string) => page.locator(".stat", { hasText: name }).locator(".stat-value");
    const shows = async (calls: string, failed: string) => {
      await stat("Calls")
        .filter({ hasText: new RegExp(`^${calls}$`) })
        .waitFor();
      expect(await stat("Failed").innerText()).toBe(failed);
    };
    const span = page.getByLabel("Time span of the charts");
    await shows("1", "0");
    await span.selectOption("Last 1 hour");
    await shows("958", "0");
    await span.selectOption("Last 24 hours");
    await shows("3,958", "3,000");
    await page.getByRole("img", { name: "3,958 calls, 3000 failed" }).waitFor();
    await span.selectOption("Last 7 days");
    await shows("3,998", "3,000");
    await page.getByRole("table", { name: "Calls by server" }).getByRole("button", { name: "old" }).click();
    await shows("40", "0");
    await goTo(page, "#/servers/s");
    await stat("Calls in 24 h").filter({ hasText: "3,958" }).waitFor();
  });

  it("shows the calls of each server, and leads from a failed call to its reason and the live log", async () => {
    const host = await startPageHost({ s: scriptedLegacy() }, { allow: ["*"] });
    const file = join(host.folder, "tools.json");
    const results = { fails: { isError: true, content: [{ type: "text", text: "the `db` is locked" }] } };
    await writeFile(file, JSON.stringify({ tools: [{ name: "fails", inputSchema: { type: "object" } }], results }));
    const { command, args } = fileDrivenServer(file, join(host.folder, "journal"));
    const signal = join(host.folder, "signal");
    const script = `(until [ -e ${signal} ]; do sleep 0.1; done; echo a late line >&2) & exec "$@"`;
    const db = { command: "sh", args: ["-c", script, "sh", command, ...args] };
    await host.writeConfig({ s: scriptedLegacy(), db });
    const { tools, config } = host.daemon.workspace;
    await config.reload();
    await host.daemon.workspace.start();
    await tools.call("s:echo", { text: "hi" });
    await tools.call("db:fails", { table: "users", password: "hunter2" });

    const page = await openPage(host, "#/activity");
    const row = page.locator("tr", { has: page.getByRole("link", { name: "db:fails" }) });
    await row.getByText("tool error").waitFor();
    expect(await row.locator('td[data-label="Sent"]').innerText()).toBe("38 B");
    expect(await row.locator('td[data-label="Received"]').innerText()).toMatch(/^\d+ B$/);
    expect(await row.locator('td[data-label="Caller"]').innerText()).toBe("a program");

    const button = page.getByRole("button", { name: "s", exact: true });
    const live = page.getByRole("table", { name: "Calls by server" }).locator("tr", { has: button });
    await live.getByText("1", { exact: true }).waitFor();
    await tools.call("s:echo", { text: "again" });
    await live.getByText("2", { exact: true }).waitFor();
    await button.click();
    await row.waitFor({ state: "detached" });
    await button.click();

    await page.getByRole("button", { name: "Why db:fails failed" }).click();
    const dialog = page.getByRole("dialog", { name: "Why db:fails failed" });
    expect(await dialog.locator(".notice").innerText()).toBe("the db is locked");
    await dialog.getByText("The tool ran and reports an error itself.").waitFor();
    const shown = dialog.getByRole("group", { name: "Arguments" }).locator("pre");
    expect(JSON.parse(await shown.innerText())).toEqual({ table: "users", password: "***" });
    await dialog.getByText("Values that may be secrets are shown as ***.").waitFor();
    await dialog.getByRole("button", { name: "Try again in Tools" }).click();
    await page.getByRole("tab", { name: "JSON" }).click();
    const json = page.getByLabel("Arguments as JSON");
    expect(JSON.parse(await json.inputValue())).toEqual({ table: "users", password: "***" });
    await goTo(page, "#/activity");
    await page.getByRole("button", { name: "Why db:fails failed" }).click();
    await dialog.getByRole("link", { name: "Show its log" }).click();
    await page.getByRole("heading", { name: "End of stderr" }).waitFor();
    expect(page.url()).toMatch(/#\/servers\/db\/log$/);
    await page.getByText("The server has written nothing to stderr.").waitFor();
    await writeFile(signal, "");
    await page.getByText("a late line").waitFor();
  });

  it("offers to repeat a call as JSON if the form can't show its arguments, and shows no size if it was not sent", async () => {
    const host = await startPageHost({ every: everythingStdio() });
    const args = { a: true, b: 5 };
    const page = await openPage(host, "#/tools/every/get-sum");
    await page.getByRole("tab", { name: "JSON" }).click();
    await page.getByLabel("Arguments as JSON").fill(JSON.stringify(args));
    await page.getByRole("button", { name: "Call", exact: true }).click();
    // The page asks no question about the call, because its arguments are invalid.
    await page.getByText("INVALID_ARGUMENTS").first().waitFor();
    await goTo(page, "#/activity");
    const row = page.locator("tr", { hasText: "INVALID_ARGUMENTS" });
    expect(await row.locator('td[data-label="Sent"]').innerText()).toBe("–");
    await row.getByRole("button", { name: "Why every:get-sum failed" }).click();
    await page.getByRole("button", { name: "Try again in Tools" }).click();
    expect(JSON.parse(await page.getByLabel("Arguments as JSON").inputValue())).toEqual(args);
  });

  it("says that long arguments of a failed call are cut, and does not offer to repeat it with a part of them", async () => {
    const host = await startPageHost({ s: scriptedLegacy() }, { allow: ["*"] });
    await host.daemon.workspace.tools.call("s:echo", { text: 7, more: "x".repeat(20_000) }).catch(() => {});
    const page = await openPage(host, "#/activity");
    await page.getByRole("button", { name: "Why s:echo failed" }).click();
    const dialog = page.getByRole("dialog", { name: "Why s:echo failed" });
    await dialog.getByText("They are cut").waitFor();
    expect(await dialog.getByRole("group", { name: "Arguments" }).innerText()).toMatch(/^\{"text":7,"more":"x+\s/);
    await dialog.getByRole("link", { name: "Open the tool" }).waitFor();
    expect(await dialog.getByRole("button", { name: "Try again in Tools" }).count()).toBe(0);
  });
});
