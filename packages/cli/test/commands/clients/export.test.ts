/** Tests `plugboard export`. */
import { mkdir, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { CLIENT_NAMES } from "@plugboard/contracts";
import { expect, it } from "vitest";
import { parseOutput } from "../../helpers/json-schema.ts";
import { runPiped, runPipedProcess, setUp } from "../../helpers/run-plugboard.ts";

const SERVERS = {
  files: {
    command: "npx",
    args: ["-y", "server-files", "${DIR:-/tmp}"],
    cwd: "work",
    env: { KEY: "sk-canary-0123456789" },
  },
  remote: { url: "https://mcp.example.com/mcp", headers: { Authorization: "Bearer ${TOKEN}" } },
  off: { command: "off", enabled: false },
  broken: { command: 1 },
};

it.each(CLIENT_NAMES)("plugboard export %s prints a file that plugboard import reads", async (client) => {
  const setup = await setUp({ mcp: { servers: SERVERS } });
  const exported = await runPiped(setup, "export", client, "--json");
  expect(exported.status).toBe(0);
  const { text, skipped } = (await parseOutput("export", exported.stdout)) as {
    text: string;
    skipped: { id: string; reason: string }[];
  };
  expect((await runPiped(setup, "export", client)).stdout).toBe(text);
  expect(exported.stdout).not.toContain("canary");
  expect(skipped.find(({ id }) => id === "broken")!.reason).toContain("command");
  const other = await setUp({ mcp: { servers: {} } });
  const name =
    client === "opencode" ? "opencode.json" : `file.${{ codex: "toml", goose: "yaml" }[client as string] ?? "json"}`;
  await writeFile(join(other.cwd, name), text);
  const { stdout } = await runPiped(other, "import", name, "--scope", "user", "--json", "--dry-run");
  const { files } = JSON.parse(stdout) as { files: [{ servers: { id: string }[] }] };
  const ids = files[0].servers.map(({ id }) => id);
  expect(ids).toEqual(["files", "remote", "off"].filter((id) => !skipped.some((server) => server.id === id)));
});

it("plugboard export prints the text on stdout, and what is lost on stderr", async () => {
  const setup = await setUp({ mcp: { servers: SERVERS } });
  const { status, stdout, stderr } = await runPipedProcess(setup, "export", "cursor");
  expect(status).toBe(0);
  await expect(stdout).toMatchFileSnapshot("../../golden/export-cursor.json.txt");
  await expect(stderr.replaceAll(setup.cwd, "")).toMatchFileSnapshot("../../golden/export-cursor-notes.txt");
});

it(
  "plugboard export prints secrets in plain text only with --show-secrets",
  { meta: { covers: ["A12"] } },
  async () => {
    const setup = await setUp({ mcp: { servers: SERVERS } });
    const hidden = await runPiped(setup, "export", "zed", "--only", "files");
    expect(hidden.stdout + hidden.stderr).not.toContain("canary");
    const shown = await runPiped(setup, "export", "zed", "--only", "files", "--show-secrets");
    expect(shown.stdout).toContain("sk-canary-0123456789");
    expect(shown.stderr).not.toContain("canary");
  },
);

it.each([
  ["a URL with a password", "DATABASE", "postgres://u:canary@h/db"],
  ["a URL with a password and a reference", "DATABASE", "postgres://u:canary@${HOST}/db"],
  ["a URL with several hosts", "MONGO", "mongodb+srv://u:canary@c/x"],
  ["a URL without a user", "REDIS", "redis://:canary@h:1"],
  ["a secret in a query", "CALLBACK", "https://example.com/x?a=1&token=canary"],
  ["a connection string", "CONNECTION", "Server=x;Password=canary;"],
  ["JSON with a password", "OPTIONS", '{"user":"u","password":"canary"}'],
  ["JSON with a value of unknown meaning", "OPTIONS", '{"user":"u","x":"canary"}'],
  ["a URL with a user", "DATABASE", "postgres://canary@h/db"],
  ["a query of unknown meaning", "CALLBACK", "https://example.com/x?k=canary"],
  ["an assignment", "OPTIONS", "SALT=canary"],
])("plugboard export hides %s", { meta: { covers: ["A12"] } }, async (_, name, value) => {
  const setup = await setUp({ mcp: { servers: { db: { command: "x", env: { [name]: value } } } } });
  const { stdout, stderr } = await runPiped(setup, "export", "cursor");
  expect(stdout + stderr).not.toContain("canary");
  expect(stderr).toContain(`${name}: it looks like a secret and is left out`);
});

it("plugboard export shows values that are not secrets", async () => {
  const env = { MODE: "fast", DATABASE: "postgres://h/db", FOLDER: "/srv/data", AUTH: "Bearer ${PW}", PORT: "8080" };
  const setup = await setUp({ mcp: { servers: { db: { command: "x", env } } } });
  const { stdout, stderr } = await runPiped(setup, "export", "cursor");
  expect(stdout).toContain("postgres://h/db");
  expect(stderr).not.toContain("looks like a secret");
});

it("plugboard export leaves out servers that wait for approval", { meta: { covers: ["A1"] } }, async () => {
  const { cwd: home, env } = await setUp();
  const cwd = join(home, "project");
  await mkdir(cwd);
  await writeFile(join(cwd, ".mcp.json"), JSON.stringify({ mcpServers: { s: { command: "evil" } } }));
  const before = await runPiped({ cwd, env }, "export", "codex");
  expect(before).toMatchObject({ stdout: "[mcp_servers]\n", stderr: "s is left out: it waits for your approval\n" });
  await runPiped({ cwd, env }, "trust", "s", "--yes");
  expect((await runPiped({ cwd, env }, "export", "codex")).stdout).toBe('[mcp_servers.s]\ncommand = "evil"\n');
});
