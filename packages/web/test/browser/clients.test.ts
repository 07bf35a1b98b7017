/** Tests the clients of the gateway on the page: how they are set up and removed, tokens, and the connected clients. */
import { mkdir, readFile, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { scriptedLegacy } from "@plugboard/testkit/start-server";
import { describe, expect, it, onTestFinished } from "vitest";
import { openClient } from "../../../gateway/test/helpers/official-clients.ts";
import { SCRIPT, startPageHost, useBrowser } from "../helpers/page-fixture.ts";

const { openPage } = useBrowser();

describe("the clients of this machine on the page", () => {
  it("sets up a client after showing the change of its file, and removing Plugboard restores the file", async () => {
    const host = await startPageHost({});
    const shared = { command: "missing", args: ["shared"], env: { KEY: { $secret: "other.KEY" } } };
    const config = { mcp: { servers: { other: shared }, profiles: { work: { servers: ["other"] } } } };
    await writeFile(host.configFile, JSON.stringify(config));
    await host.daemon.workspace.config.reload();
    const file = join(host.folder, ".cursor", "mcp.json");
    // Unusual spaces, to see that the rest of the file stays.
    const before =
      '{"mcpServers": {\n\t"other": { "command":"missing",  "args": ["shared"], "env": {"KEY": "canary-secret-1"} }\n}}\n';
    await mkdir(join(host.folder, ".cursor"));
    await writeFile(file, before);
    const page = await openPage(host, "#/clients");
    const cursor = page.getByRole("group", { name: "Cursor" });
    await cursor.getByRole("button", { name: "Set up", exact: true }).click();
    const dialog = page.getByRole("dialog");
    await dialog.getByLabel("What it may use").selectOption("work");
    const diff = dialog.getByRole("group", { name: "Change of the file" });
    await diff.getByText('"--profile"').waitFor();
    const added = (await diff.innerText()).split("\n").filter((line) => line.startsWith("+"));
    expect(await diff.innerText()).not.toContain("canary");
    expect(await readFile(file, "utf8")).toBe(before);

    await dialog.getByRole("button", { name: "Write the file" }).click();
    await cursor.getByText("set up", { exact: true }).waitFor();
    // The dialog is closed, and the page still says what to do next.
    await cursor.getByText("Open Cursor's settings, and enable plugboard under MCP if it is off.").waitFor();
    await cursor.getByText(`Cursor still starts its own other. Remove it from ${file}`).waitFor();
    const q = (text: string) => JSON.stringify(text);
    const entry = [
      '\t"plugboard": {',
      `\t\t"command": ${q(process.execPath)},`,
      `\t\t"args": [${q(SCRIPT)}, "stdio", "--profile", "work"],`,
      '\t\t"env": {',
      `\t\t\t"PLUGBOARD_CONFIG_PATH": ${q(host.configFile)},`,
      `\t\t\t"XDG_STATE_HOME": ${q(join(host.folder, "state"))}`,
      "\t\t}",
      "\t}",
    ];
    expect(await readFile(file, "utf8")).toBe(before.replace("\n}}", `,\n${entry.join("\n")}\n}}`));
    expect(added.slice(1).map((line) => line.slice(1).trim())).toEqual(entry.map((line) => line.trim()));

    await cursor.getByRole("button", { name: "Remove" }).click();
    await diff.getByText('"plugboard"').waitFor();
    await dialog.getByRole("button", { name: "Write the file" }).click();
    await cursor.getByRole("button", { name: "Set up", exact: true }).waitFor();
    expect(await readFile(file, "utf8")).toBe(before);
  });

  it("shows the text for the file of a client that is not installed", async () => {
    const host = await startPageHost({});
    await mkdir(join(host.folder, ".codex"));
    await writeFile(join(host.folder, ".codex", "config.toml"), "model = [");
    const page = await openPage(host, "#/clients");
    const entry = page.getByRole("group", { name: "Entry with a command" });
    await entry.getByText(`"command": ${JSON.stringify(process.execPath)}`).waitFor();
    await page.getByText("Clients that were not found").click();
    await page.getByRole("group", { name: "Goose" }).getByRole("button", { name: "Set up", exact: true }).click();
    const dialog = page.getByRole("dialog");
    expect(await dialog.getByRole("group", { name: "Entry with a command" }).innerText()).toMatch(
      /^extensions:\n +plugboard:\n[^]*- stdio/,
    );
    expect(await dialog.getByRole("group", { name: "Entry with a URL" }).innerText()).toContain(
      `uri: ${host.daemon.endpoint}/mcp`,
    );
    await dialog.getByRole("group", { name: "Command that sets it up" }).getByText("plugboard connect goose").waitFor();
    await page.keyboard.press("Escape");

    // A file that can't be changed shows its error, and the text is still there.
    await page.getByRole("group", { name: "Codex" }).getByRole("button", { name: "Set up", exact: true }).click();
    await dialog.getByRole("alert").getByText("config.toml").waitFor();
    expect(await dialog.getByRole("button", { name: "Write the file" }).isDisabled()).toBe(true);
    await dialog.getByRole("tab", { name: "By hand" }).click();
    await dialog.getByText("[mcp_servers.plugboard]").first().waitFor();
  });
});

describe("a token of the page", () => {
  it("is shown once, lets a client in with its profile, and locks the client out after the token is revoked", async () => {
    const host = await startPageHost({});
    const config = {
      servers: { s: scriptedLegacy(), other: scriptedLegacy() },
      profiles: { work: { servers: ["s"] } },
    };
    await writeFile(host.configFile, JSON.stringify({ mcp: { ...config, permissions: { allow: ["*"] } } }));
    await host.daemon.workspace.config.reload();
    const page = await openPage(host, "#/clients");
    await page.getByText("No client is connected").waitFor();
    await page.getByRole("button", { name: "New token" }).click();
    const dialog = page.getByRole("dialog");
    await page.locator('input[aria-required="true"]:focus').waitFor();
    await page.keyboard.type("cursor");
    await dialog.getByLabel("What it may use").selectOption("work");
    await dialog.getByRole("button", { name: "Create" }).click();
    const token = await dialog.getByRole("group", { name: "Token", exact: true }).locator("pre").innerText();
    // On a second Escape, the browser would close a dialog that has only prevented the first.
    for (let times = 0; times < 3; times++) await page.keyboard.press("Escape");
    await dialog.getByText(`"url": "${host.daemon.endpoint}/mcp/p/work"`).waitFor();
    await dialog.getByRole("button", { name: "Done" }).click();
    await page.getByRole("group", { name: "Token cursor" }).getByText("profile work").waitFor();
    const left = "document.documentElement.outerHTML + JSON.stringify({ ...localStorage, ...sessionStorage })";
    expect(await page.evaluate(left)).not.toContain(token);

    const url = `${host.daemon.endpoint}/mcp`;
    const served = { url, token, env: host.env, daemon: host.daemon, close: async () => {} };
    const client = await openClient("modern over HTTP", served, () => ({ action: "cancel" }));
    onTestFinished(() => client.close());
    const row = page.getByRole("row", { name: "front" });
    await row.waitFor();
    const cells = () => row.getByRole("cell").allInnerTexts();
    expect((await cells()).slice(0, 5)).toEqual(["front 1.0.0", "cursor", "HTTP", "modern 2026-07-28", "work"]);
    expect((await cells()).slice(6)).toEqual(["0", "none"]);
    expect(await client.call("s__echo", { text: "hi" })).toBe("hi");
    await row.getByRole("cell", { name: "1", exact: true }).waitFor();
    await row.getByText("ago").waitFor();
    await page.getByRole("group", { name: "Token cursor" }).getByText("in use").waitFor();

    await page.getByRole("button", { name: "Revoke" }).click();
    await dialog.getByText("A client is using it now.").waitFor();
    await dialog.getByRole("button", { name: "Cancel" }).click();
    expect(await client.call("s__echo", { text: "hi" })).toBe("hi");
    await page.getByRole("button", { name: "Revoke" }).click();
    await dialog.getByRole("button", { name: "Revoke" }).click();
    await page.getByText("No client is connected").waitFor();
    await page.getByText("No client has a token of its own.").waitFor();
    await expect(client.call("s__echo", { text: "hi" })).rejects.toThrow(/401|UNAUTHORIZED/i);
  });
});

describe("connected clients on the page", () => {
  it("lists a stdio client with its era until it disconnects", async () => {
    const host = await startPageHost({ s: scriptedLegacy() });
    const page = await openPage(host, "#/clients");
    await page.getByText("No client is connected").waitFor();
    const served = { url: "", token: "", env: host.env, daemon: host.daemon, close: async () => {} };
    const client = await openClient("legacy over stdio", served, () => ({ action: "cancel" }));
    onTestFinished(() => client.close());
    const row = page.getByRole("row", { name: "front" });
    await row.getByText("legacy").waitFor();
    expect((await row.getByRole("cell").allInnerTexts()).slice(1, 5)).toEqual([
      "none",
      "stdio",
      "legacy 2025-11-25",
      "all servers",
    ]);
    await client.close();
    await page.getByText("No client is connected").waitFor();
  });
});
