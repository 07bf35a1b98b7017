/** Tests that the commands for clients, transfer and tokens do the same with and without a running host. */
import { mkdir, readFile, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { command, runPiped, setUp, startCommand } from "../../helpers/run-plugboard.ts";
import type { Setup } from "../../helpers/run-plugboard.ts";

const CODEX = `model = "m"

[mcp_servers.memory]
command = "plugboard-test-missing"

[mcp_servers.memory.env]
API_KEY = "sk-canary-0123456789"
`;
const CURSOR = {
  mcpServers: { memory: { command: "plugboard-test-other" }, files: { command: "plugboard-test-files" } },
};
const CONFIG = {
  mcp: {
    servers: { own: { command: "plugboard-test-own", enabled: false } },
    profiles: { work: { servers: ["own"] } },
  },
};

/** Makes a home folder with a project, and the files of two clients. */
async function setUpHome(): Promise<Setup & { readonly home: string }> {
  const { cwd: home, env } = await setUp(CONFIG);
  const cwd = join(home, "project");
  for (const folder of [cwd, join(home, ".codex"), join(home, ".cursor")]) await mkdir(folder, { recursive: true });
  await writeFile(join(home, ".codex/config.toml"), CODEX);
  await writeFile(join(home, ".cursor/mcp.json"), JSON.stringify(CURSOR));
  return { cwd, home, env: { ...env, PATH: "" } };
}

async function startHost({ home, env }: { readonly home: string; readonly env: Setup["env"] }): Promise<void> {
  // The environment of the command decides where the files of clients are, not that of the host.
  const elsewhere = { ...env, CODEX_HOME: join(home, "nowhere"), PATH: process.env["PATH"] ?? "" };
  const host = startCommand({ cwd: home, env: elsewhere }, "serve", "--port", "0");
  await host.stdout.waitFor("Stop with Ctrl-C", 15_000);
}

/** Runs the lines, and returns their output and the files afterwards, without what differs between two runs. */
async function runLines(setup: Setup & { readonly home: string }, lines: readonly string[]): Promise<unknown[]> {
  const { home } = setup;
  const plain = (text: string) =>
    text
      .replaceAll(home, "")
      .replaceAll(command, "/plugboard.js")
      .replaceAll(/plugboard_[\w-]{43}/g, "<token>")
      .replaceAll(/[0-9a-f]{16}-/g, "")
      .replaceAll(/"createdAt": ?\d+/g, "createdAt");
  const results: unknown[] = [];
  for (const line of lines) {
    const { status, stdout, stderr } = await runPiped(setup, ...line.split(" "));
    results.push([line, status, plain(stdout), plain(stderr)]);
  }
  for (const file of [".codex/config.toml", ".cursor/mcp.json", "config.json"])
    results.push(plain(await readFile(join(home, file), "utf8")));
  return results;
}

describe("a command does the same with and without a running host", () => {
  it.each([
    ["connect", ["connect", "connect codex --profile work --yes", "connect --json", "connect codex --dry-run --json"]],
    [
      "connect --http",
      ["connect codex --http --port 1 --yes", "token list --json", "connect codex --yes", "token list"],
    ],
    ["disconnect", ["connect cursor --yes", "disconnect cursor --dry-run", "disconnect cursor --restore --yes"]],
    ["import", ["import --json", "import codex --yes", "import cursor --replace --yes --json", "import codex --json"]],
    ["import --all", ["import --all --dry-run", "import --all --yes", "import --all --json"]],
    ["export", ["export cursor", "export zed --only own --json", "export codex --mcp-server more=x --show-secrets"]],
    [
      "token",
      ["token show", "token create ci --profile wrk", "token list --json", "token revoke ci --json", "token list"],
    ],
    ["errors", ["connect codex --profile wrk", "connect codex --port 1", "import codx", "export zed --only ow"]],
  ])("%s", async (_, lines) => {
    const [alone, hosted] = [await setUpHome(), await setUpHome()];
    await startHost(hosted);
    expect(await runLines(hosted, lines)).toEqual(await runLines(alone, lines));
  });
});
