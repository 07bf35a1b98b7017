/** Reads a file of each client. The expected servers are in `fixtures/<name>.imported.json`. */
import { readFileSync, writeFileSync } from "node:fs";
import { CLIENTS } from "#clients/client-table.js";
import { entryNotes } from "#clients/entry/entry-notes.js";
import { readClientText } from "#clients/read-client-file.js";
import type { ClientServers } from "#clients/read-client-file.js";
import { expect, it } from "vitest";

const FIXTURES = [
  {
    client: "claude-desktop",
    file: "claude-desktop.json",
    path: "/home/ada/.config/Claude/claude_desktop_config.json",
  },
  { client: "claude-code", file: "claude-code.json", path: "/home/ada/.claude.json" },
  { client: "cursor", file: "cursor.json", path: "/home/ada/site/.cursor/mcp.json", scope: "project" },
  { client: "vscode", file: "vscode.jsonc", path: "/home/ada/site/.vscode/mcp.json", scope: "project" },
  { client: "codex", file: "codex.toml", path: "/home/ada/.codex/config.toml" },
  { client: "gemini", file: "gemini.json", path: "/home/ada/.gemini/settings.json" },
  { client: "opencode", file: "opencode.jsonc", path: "/home/ada/.config/opencode/opencode.jsonc" },
  { client: "opencode", file: "opencode-servers.json", path: "/home/ada/site/opencode.json", scope: "project" },
  { client: "windsurf", file: "windsurf.json", path: "/home/ada/.codeium/windsurf/mcp_config.json" },
  { client: "zed", file: "zed.jsonc", path: "/home/ada/.config/zed/settings.json" },
  { client: "goose", file: "goose.yaml", path: "/home/ada/.config/goose/config.yaml" },
  { client: "other", file: "other.json", path: "/home/ada/servers.json" },
] as const;

const fixture = (name: string) => new URL(`fixtures/${name}`, import.meta.url);

it.each(FIXTURES)("readClientText reads $file as a file of $client", async ({ client, file, path, ...rest }) => {
  const text = readFileSync(fixture(file), "utf8");
  const scope = "scope" in rest ? rest.scope : "user";
  const imported = await readClientText(path, text, { project: "/home/ada/site", platform: "linux", scope });
  expect(imported.client).toBe(client);
  const golden = fixture(file.replace(/\.\w+$/, ".imported.json"));
  if (process.env["UPDATE_GOLDEN"]) writeFileSync(golden, `${JSON.stringify(summary(imported), undefined, 2)}\n`);
  expect(summary(imported)).toEqual(JSON.parse(readFileSync(golden, "utf8")));
});

function summary({ servers, skipped }: ClientServers): object {
  const shown = servers.map((server) => {
    const { id, scope, enabled, entry } = server;
    return { id, scope, enabled, entry, notes: entryNotes(server) };
  });
  return { servers: shown, skipped };
}

it("every client has a fixture", () => {
  expect(new Set(FIXTURES.map(({ client }) => client))).toEqual(new Set([...Object.keys(CLIENTS), "other"]));
});
