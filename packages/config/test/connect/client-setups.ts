/** Makes a home folder with a project. Has the config file of each client as the client's documentation shows it. */
import { mkdir, mkdtemp, readFile, realpath, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { dirname, extname, join } from "node:path";
import type { ClientName } from "@plugboard/contracts";
import { onTestFinished } from "vitest";
import { ConnectionRecords } from "#connect/connection-records.js";
import { planConnect } from "#connect/plan-connect.js";
import { planDisconnect } from "#connect/plan-disconnect.js";
import { writeChange } from "#connect/write-change.js";
import type { GatewayTarget } from "#connect/gateway-entry.js";
import type { ClientPlaces } from "#clients/formats/client.js";

interface DocumentedFile {
  /** The page that describes the file. */
  readonly page: string;
  readonly fixture: string;
  /** Relative to the home folder. */
  readonly path: string;
}

export const DOCUMENTED: { readonly [Name in ClientName]: DocumentedFile } = {
  "claude-desktop": {
    page: "https://modelcontextprotocol.io/docs/develop/connect-local-servers",
    fixture: "claude-desktop.json",
    path: ".config/Claude/claude_desktop_config.json",
  },
  "claude-code": {
    page: "https://code.claude.com/docs/en/mcp",
    fixture: "claude-code.json",
    path: ".claude.json",
  },
  cursor: { page: "https://cursor.com/docs/mcp", fixture: "cursor.json", path: ".cursor/mcp.json" },
  vscode: {
    page: "https://code.visualstudio.com/docs/copilot/reference/mcp-configuration",
    fixture: "vscode.jsonc",
    path: ".config/Code/User/mcp.json",
  },
  codex: { page: "https://developers.openai.com/codex/mcp", fixture: "codex.toml", path: ".codex/config.toml" },
  gemini: {
    page: "https://geminicli.com/docs/tools/mcp-server/",
    fixture: "gemini.json",
    path: ".gemini/settings.json",
  },
  opencode: {
    page: "https://opencode.ai/docs/mcp-servers/",
    fixture: "opencode.jsonc",
    path: ".config/opencode/opencode.json",
  },
  windsurf: {
    page: "https://docs.windsurf.com/windsurf/cascade/mcp",
    fixture: "windsurf.json",
    path: ".codeium/windsurf/mcp_config.json",
  },
  zed: { page: "https://zed.dev/docs/ai/mcp", fixture: "zed.jsonc", path: ".config/zed/settings.json" },
  goose: {
    page: "https://block.github.io/goose/docs/guides/config-files",
    fixture: "goose.yaml",
    path: ".config/goose/config.yaml",
  },
};

export const fixtureText = (client: ClientName) =>
  readFile(new URL(`fixtures/${DOCUMENTED[client].fixture}`, import.meta.url), "utf8");

/** Returns the path of the expected file, such as `codex.connected-http.toml`. */
export const goldenFile = (client: ClientName, kind: string) => {
  const { fixture } = DOCUMENTED[client];
  return new URL(`fixtures/${client}.${kind}${extname(fixture)}`, import.meta.url).pathname;
};

export const STDIO: GatewayTarget = {
  kind: "stdio",
  command: "/usr/bin/node",
  args: ["/opt/plugboard/bin/plugboard.js", "stdio"],
  env: {},
};

export const withProfile = (profile: string): GatewayTarget => ({
  ...STDIO,
  args: [...STDIO.args, "--profile", profile],
});

export const HTTP: GatewayTarget = {
  kind: "http",
  url: "http://127.0.0.1:7431/mcp",
  headers: { Authorization: "Bearer canary-token-123" },
};

/** Makes a home folder with a project and a state folder. */
export async function setUpHome(client: ClientName) {
  const root = await realpath(await mkdtemp(join(tmpdir(), "plugboard-connect-")));
  onTestFinished(() => rm(root, { recursive: true }));
  const home = join(root, "home");
  const project = join(home, "project");
  await mkdir(project, { recursive: true });
  const places: ClientPlaces = { home, project, env: {}, platform: "linux" };
  const file = join(home, DOCUMENTED[client].path);
  const records = new ConnectionRecords(join(root, "state"));
  return {
    root,
    home,
    project,
    places,
    file,
    records,
    read: () => readFile(file, "utf8"),
    async write(text: string) {
      await mkdir(dirname(file), { recursive: true });
      await writeFile(file, text);
    },
    plan: (target: GatewayTarget = STDIO, scope: "user" | "project" = "user") =>
      planConnect(client, scope, target, places),
    async connect(target: GatewayTarget = STDIO, scope: "user" | "project" = "user") {
      const plan = await planConnect(client, scope, target, places);
      await writeChange(plan, records);
      return plan;
    },
    async disconnect({ restore = false, scope }: { restore?: boolean; scope?: "user" | "project" } = {}) {
      const change = await planDisconnect(client, { restore, scope }, places, records);
      await writeChange(change, records);
      return change;
    },
    /** Disconnects without the records of earlier changes, as after a reinstallation. */
    withoutRecords: (records_ = new ConnectionRecords(join(root, "other-state"))) => ({
      async disconnect() {
        const change = await planDisconnect(client, { restore: false, scope: undefined }, places, records_);
        await writeChange(change, records_);
        return change;
      },
    }),
  };
}
