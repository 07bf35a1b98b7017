/** Tests the paths of each client's files, and how a file is recognised. */
import { mkdir, mkdtemp, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { CLIENTS } from "#clients/client-table.js";
import { detectClient } from "#clients/detect-client.js";
import { findClientFiles } from "#clients/find-client-files.js";
import type { ClientPlaces } from "#clients/formats/client.js";
import type { ClientName } from "@plugboard/contracts";
import { describe, expect, it } from "vitest";

const LINUX: ClientPlaces = { home: "/home/ada", project: "/p", env: {}, platform: "linux" };
const MAC: ClientPlaces = { home: "/Users/ada", project: "/p", env: {}, platform: "darwin" };
const WINDOWS: ClientPlaces = {
  home: "C:\\Users\\ada",
  project: "D:\\p",
  env: { APPDATA: "C:\\Users\\ada\\AppData\\Roaming" },
  platform: "win32",
};

const PATHS: [ClientName, ClientPlaces, string[]][] = [
  [
    "claude-desktop",
    LINUX,
    ["/home/ada/.config/claude/claude_desktop_config.json", "/home/ada/.config/Claude/claude_desktop_config.json"],
  ],
  ["claude-desktop", MAC, ["/Users/ada/Library/Application Support/Claude/claude_desktop_config.json"]],
  ["claude-desktop", WINDOWS, ["C:\\Users\\ada\\AppData\\Roaming\\Claude\\claude_desktop_config.json"]],
  ["claude-code", LINUX, ["/home/ada/.claude.json", "/p/.claude/settings.local.json"]],
  [
    "claude-code",
    { ...LINUX, env: { CLAUDE_CONFIG_DIR: "/cc" } },
    ["/cc/.claude.json", "/p/.claude/settings.local.json"],
  ],
  ["cursor", LINUX, ["/home/ada/.cursor/mcp.json", "/p/.cursor/mcp.json"]],
  ["vscode", LINUX, ["/home/ada/.config/Code/User/mcp.json", "/p/.vscode/mcp.json"]],
  ["vscode", MAC, ["/Users/ada/Library/Application Support/Code/User/mcp.json", "/p/.vscode/mcp.json"]],
  ["vscode", WINDOWS, ["C:\\Users\\ada\\AppData\\Roaming\\Code\\User\\mcp.json", "D:\\p\\.vscode\\mcp.json"]],
  ["codex", LINUX, ["/home/ada/.codex/config.toml", "/p/.codex/config.toml"]],
  ["codex", { ...LINUX, env: { CODEX_HOME: "/ch" } }, ["/ch/config.toml", "/p/.codex/config.toml"]],
  ["gemini", WINDOWS, ["C:\\Users\\ada\\.gemini\\settings.json", "D:\\p\\.gemini\\settings.json"]],
  [
    "opencode",
    { ...LINUX, env: { XDG_CONFIG_HOME: "/xdg" } },
    ["/xdg/opencode/opencode.json", "/xdg/opencode/opencode.jsonc", "/p/opencode.json", "/p/opencode.jsonc"],
  ],
  ["windsurf", MAC, ["/Users/ada/.codeium/windsurf/mcp_config.json"]],
  ["zed", MAC, ["/Users/ada/.config/zed/settings.json", "/p/.zed/settings.json"]],
  ["zed", WINDOWS, ["C:\\Users\\ada\\AppData\\Roaming\\Zed\\settings.json", "D:\\p\\.zed\\settings.json"]],
  ["goose", { ...LINUX, env: { XDG_CONFIG_HOME: "relative" } }, ["/home/ada/.config/goose/config.yaml"]],
  ["goose", WINDOWS, ["C:\\Users\\ada\\AppData\\Roaming\\Block\\goose\\config\\config.yaml"]],
];

it.each(PATHS)("the files of %s are at the documented paths on %o", (name, places, expected) => {
  const files = CLIENTS[name].files(places);
  expect(files.map(({ path }) => path)).toEqual(expected);
  for (const { path, scope } of files) expect(path.startsWith(places.project)).toBe(scope === "project");
});

describe("detectClient", () => {
  it.each(PATHS)("recognises the files of %s by their paths on %o", (name, places, paths) => {
    // CODEX_HOME moves the first file into any folder, so it is recognised by its content instead.
    const isCustom = places.env["CODEX_HOME"] !== undefined;
    for (const path of paths.slice(isCustom ? 1 : 0)) expect(detectClient(path, {}).name).toBe(name);
  });

  it.each([
    ["codex", { mcp_servers: { x: { command: "y" } } }],
    ["zed", { context_servers: {} }],
    ["goose", { extensions: {} }],
    ["vscode", { inputs: [], servers: {} }],
    ["claude-code", { mcpServers: {}, projects: {} }],
    ["opencode", { mcp: { x: { type: "local", command: ["y"] } } }],
    ["opencode", { mcp: { servers: { x: { type: "remote", url: "https://example.com" } } } }],
    ["other", { mcp: { servers: { x: { command: "y" } } } }],
    ["other", { mcpServers: {} }],
    ["other", { servers: {} }],
    ["other", {}],
  ])("recognises a file of %s by its content", (name, document) => {
    expect(detectClient("/tmp/file", document).name).toBe(name);
  });
});

it("findClientFiles returns only files that exist, of the user and of the project", async () => {
  const root = await mkdtemp(join(tmpdir(), "plugboard-clients-"));
  const places: ClientPlaces = { home: join(root, "home"), project: join(root, "p"), env: {}, platform: "linux" };
  const files = [".codex/config.toml", ".config/zed/settings.json"].map((name) => join(places.home, name));
  for (const file of [...files, join(places.project, ".cursor/mcp.json")]) {
    await mkdir(dirname(file), { recursive: true });
    await writeFile(file, "{}");
  }
  const found = await findClientFiles(places);
  expect(found.map(({ client, scope }) => [client.name, scope])).toEqual([
    ["cursor", "project"],
    ["codex", "user"],
    ["zed", "user"],
  ]);
  expect(await findClientFiles(places, [CLIENTS.zed])).toHaveLength(1);
});
