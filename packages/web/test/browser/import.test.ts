/** Importing the servers of other clients on the page. */
import { mkdir, readFile, writeFile } from "node:fs/promises";
import { dirname, join } from "node:path";
import { scriptedLegacy } from "@plugboard/testkit/start-server";
import { describe, expect, it } from "vitest";
import { startPageHost, useBrowser } from "../helpers/page-fixture.ts";

const { openPage } = useBrowser();
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
    for (const [path, text] of Object.entries(files)) {
      await mkdir(dirname(join(host.folder, path)), { recursive: true });
      await writeFile(join(host.folder, path), text);
    }
    const page = await openPage(host);
    await page.getByRole("button", { name: "Add server" }).click();
    const dialog = page.getByRole("dialog");
    await dialog.getByRole("tab", { name: "Another client" }).click();

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

    await cursor.getByRole("checkbox", { name: "echo" }).check();
    await codex.getByRole("checkbox", { name: "notes" }).check();
    await dialog.getByRole("button", { name: "Import 2 servers" }).click();
    await page.getByText("2 servers imported").waitFor();
    for (const id of ["echo", "notes", "same"]) await page.locator(stateOf(id)).getByText("ready").waitFor();

    const saved = JSON.parse(await readFile(host.configFile, "utf8")) as { mcp: { servers: object } };
    expect(saved.mcp.servers).toMatchObject({
      same: { command, args },
      echo: { command, args },
      notes: { command: "sh", args: noted },
    });
    for (const [path, text] of Object.entries(files))
      expect(await readFile(join(host.folder, path), "utf8")).toBe(text);
  });
});
