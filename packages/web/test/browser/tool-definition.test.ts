/** Tests the tool view for offered, hidden and built-in tools. */
import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { everythingStdio, fileDrivenServer, scriptedLegacy } from "@plugboard/testkit/start-server";
import { describe, expect, it, onTestFinished } from "vitest";
import { goTo, startPageHost, useBrowser } from "../helpers/page-fixture.ts";

const { openPage } = useBrowser();

/** A server with the tool `erase`. */
async function eraser() {
  const folder = await mkdtemp(join(tmpdir(), "plugboard-tools-"));
  onTestFinished(() => rm(folder, { recursive: true, force: true }));
  const tool = {
    name: "erase",
    description: "Erases a whole disk.",
    inputSchema: { type: "object", properties: { disk: { type: "string" } }, required: ["disk"] },
    annotations: { destructiveHint: true },
  };
  await writeFile(join(folder, "tools.json"), JSON.stringify({ tools: [tool], results: {} }));
  return fileDrivenServer(join(folder, "tools.json"), join(folder, "journal"));
}

describe("a tool that is not offered", () => {
  it("shows its signature, description and claims, and why a call is not possible", async () => {
    const host = await startPageHost({ s: await eraser() }, { deny: ["s:erase"] });
    const page = await openPage(host, "#/tools/s/erase");
    const tool = page.getByRole("region", { name: "erase", exact: true });
    await tool.getByText("Models and clients don’t get this tool now.").waitFor();
    await tool.getByText("A rule denies it: deny s:erase (user). Choose another permission below.").waitFor();
    expect(await tool.getByRole("group", { name: "Signature" }).innerText()).toContain("disk: string");
    await tool.getByText("Erases a whole disk.").waitFor();
    await tool.getByText("destructive", { exact: true }).waitFor();
    await tool.getByText("mcp__s__erase").waitFor();
    await page.getByText("A call is not possible while the tool is not offered.").waitFor();
    expect(await page.getByRole("button", { name: "Call", exact: true }).count()).toBe(0);

    await tool.getByLabel("Permission of s:erase").selectOption("Ask each time");
    await page.getByRole("button", { name: "Call", exact: true }).waitFor();
    expect(await tool.getByText("don’t get this tool now").count()).toBe(0);
  });

  it("shows why its rules or its description can't be loaded, and claims no reason", async () => {
    const host = await startPageHost({ s: await eraser() }, { allow: ["*"] });
    for (const method of ["operations.rules", "operations.hiddenTools", "tools.describe"]) {
      const page = await openPage(host, "#/tools");
      await page.route(`**/${method}`, (route) => route.abort());
      await goTo(page, "#/tools/s/unknown");
      await page.getByRole("region", { name: "unknown" }).getByText("can't be reached").waitFor();
      expect(await page.getByText("The server does not list it.").count(), method).toBe(0);
      await page.unroute(`**/${method}`);
    }
  });

  it("is chosen by its server and its name", async () => {
    const host = await startPageHost({ s: await eraser() });
    const page = await openPage(host, "#/tools");
    for (const view of ["#/tools/", "#/tools/s", "#/tools/s/"]) {
      await goTo(page, view);
      await page.getByText("Choose a tool").waitFor();
      expect(await page.getByText("don’t get this tool now").count(), view).toBe(0);
    }
  });

  it("names the pattern or the rule that excludes it", async () => {
    const server = { ...(await eraser()), tools: { exclude: ["er*"] } };
    const host = await startPageHost({ s: server }, { deny: ["s:*"] });
    const page = await openPage(host, "#/tools/s/erase");
    const tool = page.getByRole("region", { name: "erase", exact: true });
    await tool.getByText(`A rule denies it: deny s:* (user). Change it in ${host.configFile}.`).waitFor();
    await tool.getByText("A pattern in tools.exclude of the server’s definition excludes it.").waitFor();
    await tool.getByText("Erases a whole disk.").waitFor();
    expect(await tool.getByRole("switch").count()).toBe(0);
  });
});

describe("the names of a tool", () => {
  it("are shown for chats and for clients of the gateway, and can be copied", async () => {
    const host = await startPageHost({ s: scriptedLegacy() });
    const page = await openPage(host, "#/tools/s/echo", { permissions: ["clipboard-read", "clipboard-write"] });
    const tool = page.getByRole("region", { name: "echo", exact: true });
    const nameAfter = (label: string) => tool.locator(`dt:text-is("${label}") + dd code`).innerText();
    await tool.getByText("Name for clients").waitFor();
    expect(await nameAfter("Name in chats")).toBe("mcp__s__echo");
    expect(await nameAfter("Name for clients")).toBe("s__echo");
    await tool.getByRole("button", { name: "Copy: Name for clients" }).click();
    await tool.getByText("Copied").waitFor();
    expect(await page.evaluate("navigator.clipboard.readText()")).toBe("s__echo");
  });

  it("are a single name if the config names tools the same way for chats and clients", async () => {
    const host = await startPageHost({});
    const servers = { s: scriptedLegacy() };
    const config = {
      mcp: { servers, naming: "{server}__{tool}", profiles: { p: { servers: ["s"], naming: "{tool}" } } },
    };
    await writeFile(host.configFile, JSON.stringify(config));
    const page = await openPage(host, "#/tools/s/echo");
    const tool = page.getByRole("region", { name: "echo", exact: true });
    await tool.getByText("In profile p").waitFor();
    expect(await tool.locator("dl.facts dt").allInnerTexts()).toEqual(
      expect.arrayContaining(["Origin", "Name", "In profile p", "Permission"]),
    );
    expect(await tool.getByText("Name for clients").count()).toBe(0);
  });
});

describe("a tool of Plugboard itself", () => {
  it("is shown as built in, not as the tool of a server, and can be called", async () => {
    const host = await startPageHost({ every: everythingStdio() }, { allow: ["*"] });
    const page = await openPage(host, "#/tools");
    await page.getByRole("button", { name: /^mcp_prompts_list Built in/ }).click();
    const tool = page.getByRole("region", { name: "mcp_prompts_list", exact: true });
    await tool.getByText("A tool of Plugboard itself.").waitFor();
    expect(await tool.getByRole("switch").count()).toBe(0);
    expect(await tool.locator("a[href^='#/servers']").count()).toBe(0);
    expect(await tool.getByText("Name for clients").count()).toBe(0);
    expect(await page.getByRole("tab", { name: "As a command" }).count()).toBe(0);
    await page.getByRole("button", { name: "Call", exact: true }).click();
    await page.getByText("simple-prompt").first().waitFor();
  });

  it("has a view without the actions of a server", async () => {
    const host = await startPageHost({ every: everythingStdio() });
    const page = await openPage(host, "#/servers/native");
    await page.getByRole("heading", { level: 1, name: "Servers / Built in" }).waitFor();
    const link = page.getByRole("link", { name: /^mcp_prompts_list/ });
    await link.waitFor();
    const main = page.getByRole("main");
    expect(await main.getByRole("button").count()).toBe(0);
    expect(await main.getByRole("switch").count()).toBe(0);
    await link.click();
    await page.getByRole("heading", { level: 2, name: "mcp_prompts_list" }).waitFor();
    await goTo(page, "#/tools/native/read_file");
    await page.getByText("Some built-in tools exist only in chats.").waitFor();
  });
});
