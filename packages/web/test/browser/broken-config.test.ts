/** Tests the page while a config file can't be read. The host continues with the last valid config. */
import { writeFile } from "node:fs/promises";
import { controlPaths, HostError } from "@plugboard/contracts";
import { addNamedToken } from "@plugboard/host/tokens";
import { scriptedLegacy } from "@plugboard/testkit/start-server";
import { describe, expect, it } from "vitest";
import { connectClient } from "../helpers/connect-client.ts";
import { goTo, startPageHost, useBrowser } from "../helpers/page-fixture.ts";

const { openPage } = useBrowser();
const TIMEOUT = { timeout: 60_000 };

describe("the page with a broken config", () => {
  it("shows the error on every view until the config is repaired, also after a reload", TIMEOUT, async () => {
    const servers = { s: scriptedLegacy() };
    const host = await startPageHost(servers);
    const page = await openPage(host, "#/servers");
    const error = page.getByText("the last valid config stays in effect");
    const row = page.getByRole("link", { name: "s", exact: true });
    await row.waitFor();
    await writeFile(host.configFile, "{ broken");
    await error.waitFor();
    await page.reload();
    await row.waitFor();
    await error.waitFor();
    expect(await page.getByText("Add your first server").count()).toBe(0);
    await goTo(page, "#/tools");
    await page.getByRole("heading", { level: 1, name: "Tools" }).waitFor();
    await error.waitFor();
    await host.writeConfig(servers);
    await error.waitFor({ state: "detached" });
    await page.reload();
    await page.getByRole("heading", { level: 1, name: "Tools" }).waitFor();
    await page.getByText("echo", { exact: true }).first().waitFor();
    expect(await error.count()).toBe(0);
  });

  it("still has the open questions after a reload", TIMEOUT, async () => {
    const host = await startPageHost({ s: scriptedLegacy() });
    const page = await openPage(host, "#/inbox");
    const token = await addNamedToken(host.env, { name: "desk", profile: undefined, mayApprove: false, now: 0 });
    const client = await connectClient(`${host.daemon.endpoint}/mcp`, token);
    const result = client.callTool({ name: "s__echo", arguments: { text: "hi" } });
    const allow = page.getByRole("button", { name: "Allow once" });
    await allow.waitFor();
    await writeFile(host.configFile, "{ broken");
    await page.getByText("the last valid config stays in effect").waitFor();
    await page.reload();
    await allow.click();
    expect(await result).toMatchObject({ content: [{ type: "text", text: "hi" }] });
  });

  it("shows the host's error instead of views that look empty", TIMEOUT, async () => {
    const host = await startPageHost({ s: scriptedLegacy() });
    const page = await openPage(host);
    const error = new HostError("CONFIG_INVALID", {
      file: "/home/me/config.json",
      line: 3,
      reason: "a comma is missing",
    });
    await page.route(`**${controlPaths.channels}`, (route) =>
      route.fulfill({ status: 422, json: { error: error.toJSON() } }),
    );
    await page.reload();
    await page.getByRole("alert").getByText("a comma is missing").waitFor();
    await page.getByText("Connecting…").waitFor();
    expect(await page.getByRole("heading", { level: 1 }).count()).toBe(0);
    await page.unroute(`**${controlPaths.channels}`);
    await page.getByRole("link", { name: "s", exact: true }).waitFor();
    expect(await page.getByRole("alert").count()).toBe(0);
  });
});
