/** Tests how the page imports the servers of other clients. */
import { mkdir, readFile, writeFile } from "node:fs/promises";
import { dirname, join } from "node:path";
import { scriptedLegacy } from "@plugboard/testkit/start-server";
import { describe, expect, it } from "vitest";
import { startPageHost, useBrowser } from "../helpers/page-fixture.ts";
import type { PageHost } from "../helpers/page-fixture.ts";

const { openPage } = useBrowser();
type Config = { mcp: { servers: { [id: string]: { env?: object } } } };
const readConfig = async (file: string) => JSON.parse(await readFile(file, "utf8")) as Config;

/** Opens the dialog with the servers of these files of other clients, by their paths in the home folder. */
async function openImport(host: PageHost, files: { readonly [path: string]: string }, options?: object) {
  for (const [path, text] of Object.entries(files)) {
    await mkdir(dirname(join(host.folder, path)), { recursive: true });
    await writeFile(join(host.folder, path), text);
  }
  const page = await openPage(host, "#/servers", options);
  await page.getByRole("button", { name: "Add server" }).click();
  const dialog = page.getByRole("dialog");
  await dialog.getByRole("tab", { name: "Another client" }).click();
  return { page, dialog };
}

const stateOf = (id: string) => `tr:has(a:text-is("${id}")) .badge`;

describe("the import of servers on the page", () => {
  it("shows what would run, imports the chosen servers of two clients, and leaves their files alone", async () => {
    const { command, args } = scriptedLegacy();
    const host = await startPageHost({ same: { command, args } });
    const proof = join(host.folder, "ran");
    const noted = ["-c", `touch '${proof}'; exec "$@"`, "sh", command, ...args];
    const tomlList = (words: readonly string[]) => `[${words.map((word) => JSON.stringify(word)).join(", ")}]`;
    const files = {
      ".cursor/mcp.json": JSON.stringify({
        mcpServers: { echo: { command, args, env: { API_KEY: "canary-secret-1" } }, same: { command, args } },
      }),
      ".codex/config.toml": `# mine\n[mcp_servers.notes]\ncommand = "sh"\nargs = ${tomlList(noted)}\n`,
      ".codeium/windsurf/mcp_config.json": '{ "mcpServers": {',
    };
    const { page, dialog } = await openImport(host, files);

    const cursor = dialog.getByRole("region", { name: /^Cursor / });
    await cursor
      .getByText([command, ...args].join(" "))
      .first()
      .waitFor();
    const same = cursor.locator(".import-row", { hasText: "already here" });
    expect(await same.getByRole("checkbox").isDisabled()).toBe(true);
    expect(await same.innerText()).toContain("same");
    const codex = dialog.getByRole("region", { name: /^Codex / });
    await codex.getByText("Whole definition").click();
    await codex.getByText(`touch '${proof}'; exec "$@"`).last().waitFor();
    expect(await dialog.innerText()).not.toContain("canary-secret");
    const broken = dialog.getByRole("region", { name: /^Windsurf / });
    expect(await broken.innerText()).toMatch(/mcp_config\.json:1:18: not JSON[^]*Correct the file/);
    expect(await readFile(host.configFile, "utf8")).not.toContain("notes");

    await cursor.getByRole("checkbox", { name: /^echo / }).check();
    await codex.getByRole("checkbox", { name: "notes" }).check();
    await dialog.getByRole("button", { name: "Import 2 servers" }).click();
    await page.getByText("2 servers imported").waitFor();
    for (const id of ["echo", "notes", "same"]) await page.locator(stateOf(id)).getByText("ready").waitFor();

    expect((await readConfig(host.configFile)).mcp.servers).toMatchObject({
      same: { command, args },
      echo: { command, args },
      notes: { command: "sh", args: noted },
    });
    for (const [path, text] of Object.entries(files))
      expect(await readFile(join(host.folder, path), "utf8")).toBe(text);
  });

  it("selects all servers at once, but only one of two servers with the same id", async () => {
    const { command, args } = scriptedLegacy();
    const host = await startPageHost({ same: { command, args } });
    const define = (servers: object) => JSON.stringify({ mcpServers: servers });
    const { page, dialog } = await openImport(host, {
      ".cursor/mcp.json": define({ same: { command, args }, one: { command, args }, both: { command, args } }),
      ".gemini/settings.json": define({ both: { command, args: [...args, "--verbose"] }, two: { command, args } }),
    });
    await dialog.getByRole("button", { name: "Select all" }).click();
    await dialog.getByText("3 of 4 servers selected").waitFor();
    const gemini = dialog.getByRole("region", { name: /^Gemini / });
    await gemini.getByText("Another client has a server with this id, too.").waitFor();
    await gemini.getByRole("checkbox", { name: "both" }).check();
    const cursor = dialog.getByRole("region", { name: /^Cursor / });
    expect(await cursor.getByRole("checkbox", { name: "both" }).isChecked()).toBe(false);
    await dialog.getByRole("button", { name: "Select none" }).click();
    expect(await dialog.getByRole("button", { name: "Import 0 servers" }).isDisabled()).toBe(true);
    await dialog.getByRole("button", { name: "Select all" }).click();
    await dialog.getByRole("button", { name: "Import 3 servers" }).click();
    await page.getByText("3 servers imported").waitFor();
    const { servers } = (await readConfig(host.configFile)).mcp;
    expect(Object.keys(servers).toSorted()).toEqual(["both", "one", "same", "two"]);
  });

  it("names the server that can't be imported, and can go on after that", async () => {
    const { command, args } = scriptedLegacy();
    const host = await startPageHost({});
    const servers = { one: { command, args }, two: { command, args }, three: { command, args } };
    const { page, dialog } = await openImport(host, { ".cursor/mcp.json": JSON.stringify({ mcpServers: servers }) });
    await dialog.getByRole("button", { name: "Select all" }).click();
    const mine = { command, args: [...args, "--mine"] };
    await host.writeConfig({ two: mine });
    await dialog.getByRole("button", { name: "Import 3 servers" }).click();
    await page.getByText(/"two" was not imported\. .* is already defined in .* Imported before: one\./).waitFor();
    await page.locator(stateOf("one")).getByText("ready").waitFor();
    expect((await readConfig(host.configFile)).mcp.servers).toEqual({ one: { command, args }, two: mine });

    const row = (id: string) => dialog.locator(".import-row", { hasText: id });
    await row("one").getByText("already here").waitFor();
    await row("two").getByText("replaces yours").waitFor();
    await dialog.getByText("0 of 2 servers selected").waitFor();
    await dialog.getByRole("checkbox", { name: /^three / }).check();
    await dialog.getByRole("button", { name: "Import 1 server" }).click();
    await page.getByText("1 server imported").waitFor();
    await page.locator(stateOf("three")).getByText("ready").waitFor();
    expect((await readConfig(host.configFile)).mcp.servers["two"]).toEqual(mine);
  });

  it("stores the secrets of a server outside the config, unless the owner wants them there", async () => {
    const { command, args } = scriptedLegacy();
    const host = await startPageHost({});
    const define = (value: string) => ({ command, args, env: { API_KEY: value, LOG_LEVEL: "debug" } });
    const servers = { stored: define("canary-stored"), plain: define("canary-plain") };
    const { page, dialog } = await openImport(host, { ".cursor/mcp.json": JSON.stringify({ mcpServers: servers }) });
    const row = (id: string) => dialog.locator(".import-row", { hasText: id });
    const secret = (id: string) => row(id).getByRole("checkbox", { name: "Store API_KEY as a secret" });
    await secret("stored").waitFor();
    expect(await secret("stored").isChecked()).toBe(true);
    await row("stored").getByText("The config file only refers to stored.API_KEY.").waitFor();
    await secret("plain").uncheck();
    await row("plain").getByText("The config file has it in plain text.").waitFor();
    expect(await dialog.innerText()).not.toContain("canary");
    await dialog.getByRole("button", { name: "Select all" }).click();
    await dialog.getByRole("button", { name: "Import 2 servers" }).click();
    await page.getByText("2 servers imported").waitFor();

    expect((await readConfig(host.configFile)).mcp.servers).toMatchObject({
      stored: { env: { API_KEY: { $secret: "stored.API_KEY" }, LOG_LEVEL: "debug" } },
      plain: { env: { API_KEY: "canary-plain", LOG_LEVEL: "debug" } },
    });
    for (const id of ["stored", "plain"]) await page.locator(stateOf(id)).getByText("ready").waitFor();
    const { secrets } = await host.daemon.workspace.secrets.list();
    expect(secrets).toMatchObject([{ name: "stored.API_KEY", state: "stored", servers: ["stored"] }]);
  });

  it("imports a server with its secrets in plain text if the secret store is damaged, and says why", async () => {
    const { command, args } = scriptedLegacy();
    const host = await startPageHost({});
    const stateFolder = join(host.env["XDG_STATE_HOME"]!, "plugboard");
    await writeFile(join(stateFolder, "secrets.json"), "{ broken");
    const server = { command, args, env: { API_KEY: "canary" } };
    const { page, dialog } = await openImport(host, {
      ".cursor/mcp.json": JSON.stringify({ mcpServers: { x: server } }),
    });
    await dialog.getByText(/Secrets can’t be stored now: .*secrets\.json/).waitFor();
    const secret = dialog.getByRole("checkbox", { name: "Store API_KEY as a secret" });
    expect([await secret.isChecked(), await secret.isDisabled()]).toEqual([false, true]);
    await dialog.getByRole("checkbox", { name: /^x / }).check();
    await dialog.getByRole("button", { name: "Import 1 server" }).click();
    await page.getByText("1 server imported").waitFor();
    expect((await readConfig(host.configFile)).mcp.servers).toMatchObject({ x: { env: { API_KEY: "canary" } } });
  });
});
