/** Reads files of other clients that are passed with `--config`. */
import { copyFile, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { readConfig } from "#read/read-config.js";
import { expect, it } from "vitest";
import { temporaryFolder } from "../../../store/test/helpers/run-child.ts";

const fixture = (name: string) => fileURLToPath(new URL(`../clients/fixtures/${name}`, import.meta.url));

async function readForeign(name: string, source: string) {
  const cwd = await temporaryFolder();
  const env = { HOME: cwd };
  await copyFile(fixture(source), join(cwd, name));
  return { cwd, ...(await readConfig({ cwd, configFiles: [name] }, env, { layers: [] })) };
}

it.each([
  ["config.toml", "codex.toml", ["context7", "figma", "ada-s-server"]],
  ["goose.yaml", "goose.yaml", ["github", "remote", "nested"]],
  ["settings.json", "zed.jsonc", ["some-server", "older", "remote"]],
  ["opencode.json", "opencode.jsonc", ["everything", "sentry", "jira"]],
  ["mcp.json", "vscode.jsonc", ["perplexity", "github", "tenant", "memory"]],
  ["claude.json", "claude-code.json", ["github", "db", "slack", "internal", "events"]],
])("readConfig reads %s of another client, given with --config", async (name, source, ids) => {
  const { servers, cwd } = await readForeign(name, source);
  expect([...servers.keys()]).toEqual(ids);
  for (const server of servers.values()) {
    expect(server).toMatchObject({ source: "invocation", file: join(cwd, name), folder: cwd });
    expect(server.definition).not.toHaveProperty("invalid");
  }
});

it("readConfig gives a warning for each lost setting of another client's file", async () => {
  const { problems, servers } = await readForeign("mcp.json", "vscode.jsonc");
  expect(servers.get("perplexity")!.definition).toMatchObject({
    env: { PERPLEXITY_API_KEY: { $secret: "perplexity-key" } },
  });
  expect(problems).toContainEqual({
    severity: "warning",
    file: expect.stringContaining("mcp.json"),
    server: "setting",
    message: "it is ignored: it uses ${config:my.setting}, which Plugboard can't translate",
  });
  expect(problems.every(({ severity }) => severity === "warning")).toBe(true);
});

it("readConfig reads a JSON file in its own format without a conversion", async () => {
  const cwd = await temporaryFolder();
  const env = { HOME: cwd };
  await writeFile(join(cwd, "own.json"), '{ "mcpServers": { "x": { "command": "y", "args": ["${env:NO}"] } } }');
  const { problems } = await readConfig({ cwd, configFiles: ["own.json"] }, env, { layers: [] });
  expect(problems).toMatchObject([{ severity: "error", line: 1, column: 51 }]);
});

it("readConfig rejects a broken file of another client with its position", async () => {
  const cwd = await temporaryFolder();
  const env = { HOME: cwd };
  await writeFile(join(cwd, "broken.toml"), "[mcp_servers.x\n");
  await expect(readConfig({ cwd, configFiles: ["broken.toml"] }, env, { layers: [] })).rejects.toMatchObject({
    code: "CONFIG_INVALID",
    details: { line: 1, reason: expect.stringContaining("not TOML: ") },
  });
});
