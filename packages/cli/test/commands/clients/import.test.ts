/** Tests `plugboard import`. The files of other clients are those of the host's tests. */
import { copyFile, mkdir, readFile, rm, writeFile } from "node:fs/promises";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";
import { CLIENT_NAMES } from "@plugboard/contracts";
import type { ClientName } from "@plugboard/contracts";
import { describe, expect, it } from "vitest";
import { parseOutput } from "../../helpers/json-schema.ts";
import { runInTerminal, runPiped, runPipedProcess, setUp } from "../../helpers/run-plugboard.ts";
import type { Setup } from "../../helpers/run-plugboard.ts";

/** The fixture of each client, and the path of its file in the home folder or in the project. */
const FILES: { readonly [Name in ClientName]: readonly [fixture: string, path: string] } = {
  "claude-desktop": ["claude-desktop.json", "home/.config/Claude/claude_desktop_config.json"],
  "claude-code": ["claude-code.json", "home/.claude.json"],
  cursor: ["cursor.json", "home/project/.cursor/mcp.json"],
  vscode: ["vscode.jsonc", "home/project/.vscode/mcp.json"],
  codex: ["codex.toml", "home/.codex/config.toml"],
  gemini: ["gemini.json", "home/.gemini/settings.json"],
  opencode: ["opencode.jsonc", "home/.config/opencode/opencode.jsonc"],
  windsurf: ["windsurf.json", "home/.codeium/windsurf/mcp_config.json"],
  zed: ["zed.jsonc", "home/.config/zed/settings.json"],
  goose: ["goose.yaml", "home/.config/goose/config.yaml"],
};

interface ImportSetup extends Setup {
  readonly home: string;
  readonly root: string;
  /** The user's config file, which does not exist at first. */
  readonly userFile: string;
  readonly projectFile: string;
  readonly localFile: string;
}

/** Makes a home folder with a project, and the files of the given clients. */
async function setUpClients(...clients: readonly ClientName[]): Promise<ImportSetup> {
  const { cwd: root, env } = await setUp();
  const home = join(root, "home");
  const cwd = join(home, "project");
  await mkdir(cwd, { recursive: true });
  for (const client of clients) {
    const [fixture, path] = FILES[client];
    await mkdir(dirname(join(root, path)), { recursive: true });
    const source = fileURLToPath(new URL(`../../../../config/test/clients/fixtures/${fixture}`, import.meta.url));
    await copyFile(source, join(root, path));
  }
  const userFile = join(home, ".config/plugboard/config.json");
  const folder = join(cwd, ".plugboard");
  const projectFile = join(folder, "config.json");
  const rest = Object.fromEntries(Object.entries(env).filter(([name]) => name !== "PLUGBOARD_CONFIG_PATH"));
  const localFile = join(folder, "config.local.json");
  return { cwd, env: { ...rest, HOME: home }, root, home, userFile, projectFile, localFile };
}

const readJson = async (file: string) => JSON.parse(await readFile(file, "utf8")) as { mcp: { servers: object } };
const serverIds = async (file: string) => Object.keys((await readJson(file)).mcp.servers);
const withoutRoot = (text: string, { root }: ImportSetup) => text.replaceAll(root, "");

describe("plugboard import without a name", () => {
  it("shows which clients have files, and how many servers are new", async () => {
    const setup = await setUpClients(...CLIENT_NAMES);
    await writeFile(join(setup.home, ".gemini/settings.json"), "{ broken");
    const { status, stdout, stderr } = await runPiped(setup, "import");
    expect({ status, stderr }).toEqual({ status: 0, stderr: "" });
    await expect(withoutRoot(stdout, setup)).toMatchFileSnapshot("../../golden/import.txt");
    const { stdout: json } = await runPiped(setup, "import", "--json");
    const { files } = (await parseOutput("import", json)) as { files: { client: string; error?: string }[] };
    expect(new Set(files.map(({ client }) => client))).toEqual(new Set(CLIENT_NAMES));
    expect(files.filter(({ error }) => error !== undefined)).toMatchObject([{ client: "gemini" }]);
  });

  it("lists each file once if it runs in the home folder, which is no project", async () => {
    const setup = await setUpClients("codex", "zed");
    const { status, stdout } = await runPiped({ ...setup, cwd: setup.home }, "import", "--json");
    expect(status).toBe(0);
    const { files } = JSON.parse(stdout) as { files: { client: string }[] };
    expect(files.map(({ client }) => client)).toEqual(["codex", "zed"]);
  });

  it("says that no client has a file", async () => {
    const { stdout } = await runPiped(await setUpClients(), "import");
    expect(stdout).toBe("No other client has a config file here.\n");
  });
});

it.each(CLIENT_NAMES)(
  "plugboard import %s shows the plan, writes only with --yes, and then finds nothing new",
  async (client) => {
    const setup = await setUpClients(client);
    const dryRun = await runPiped(setup, "import", client, "--dry-run");
    expect(dryRun).toMatchObject({ status: 0, stderr: "" });
    await expect(withoutRoot(dryRun.stdout, setup)).toMatchFileSnapshot(`../../golden/import-${client}.txt`);
    await expect(readFile(setup.userFile)).rejects.toMatchObject({ code: "ENOENT" });

    const imported = await runPipedProcess(setup, "import", client, "--yes", "--json");
    expect(imported).toMatchObject({ status: 0, stderr: "" });
    const { files } = (await parseOutput("import", imported.stdout)) as {
      files: { servers: { imported: boolean }[] }[];
    };
    const servers = files.flatMap((file) => file.servers);
    expect(servers.length).toBeGreaterThan(1);
    expect(servers.every((server) => server.imported)).toBe(true);
    expect(imported.stdout + dryRun.stdout).not.toContain("canary");

    const again = await runPiped(setup, "import", client, "--json");
    const { files: known } = (await parseOutput("import", again.stdout)) as {
      files: { servers: { action: string }[] }[];
    };
    expect(new Set(known.flatMap((file) => file.servers.map(({ action }) => action)))).toEqual(new Set(["none"]));
    expect((await runPiped(setup, "list")).stderr).toBe("");
  },
);

describe("the servers that plugboard import writes", () => {
  it("are in the user's config if they come from the user's file, with secrets that are stored elsewhere", async () => {
    const setup = await setUpClients("claude-desktop");
    await runPiped(setup, "import", "claude-desktop", "--yes");
    const name = "brave-search.BRAVE_API_KEY";
    expect(await readJson(setup.userFile)).toMatchObject({
      mcp: { servers: { "brave-search": { env: { BRAVE_API_KEY: { $secret: name } } } } },
    });
    expect(await readFile(setup.userFile, "utf8")).not.toContain("canary");
    const { stdout: secrets } = await runPiped(setup, "secret", "list", "--json");
    expect(JSON.parse(secrets)).toMatchObject({ secrets: [{ name, state: "stored", servers: ["brave-search"] }] });
    const { stdout } = await runPiped(setup, "list", "--json");
    expect(JSON.parse(stdout)).toMatchObject([{ id: "filesystem", source: "user" }, { id: "brave-search" }]);
  });

  it("contain their secrets in plain text with --plain-secrets", async () => {
    const setup = await setUpClients("claude-desktop");
    const { stdout } = await runPiped(setup, "import", "claude-desktop", "--yes", "--plain-secrets");
    expect(stdout).toContain(
      "BRAVE_API_KEY is a secret in plain text. Run `plugboard secret set brave-search.BRAVE_API_KEY`",
    );
    expect(await readJson(setup.userFile)).toMatchObject({
      mcp: { servers: { "brave-search": { env: { BRAVE_API_KEY: "BSA-canary-0123456789abcdef" } } } },
    });
    expect(JSON.parse((await runPiped(setup, "secret", "list", "--json")).stdout)).toMatchObject({ secrets: [] });
  });

  it("contain their secrets in plain text if the secret store can't be read, and the command says so", async () => {
    const setup = await setUpClients("claude-desktop");
    await runPiped(setup, "secret", "list");
    const stateFolder = join(setup.env["XDG_STATE_HOME"]!, "plugboard");
    await mkdir(stateFolder, { recursive: true });
    await writeFile(join(stateFolder, "secrets.json"), "{ broken");
    const { stderr } = await runPiped(setup, "import", "claude-desktop", "--yes");
    expect(stderr).toContain("Secrets can't be stored, so they stay in the definitions, in plain text.");
    expect(await readFile(setup.userFile, "utf8")).toContain("BSA-canary-0123456789abcdef");
  });

  it("wait for approval if they come from a project's file", { meta: { covers: ["A1"] } }, async () => {
    const setup = await setUpClients("vscode");
    const { stdout } = await runPiped(setup, "import", "vscode", "--yes");
    expect(stdout).toContain("Before these servers run, they need your approval: plugboard trust\n");
    const listed = JSON.parse((await runPiped(setup, "list", "--json")).stdout) as { untrusted?: true }[];
    expect(listed.every(({ untrusted }) => untrusted === true)).toBe(true);
    expect(await serverIds(setup.projectFile)).toEqual(["perplexity", "github", "tenant", "memory"]);
  });

  it("are local if Claude Code has or disables them for this project", async () => {
    const setup = await setUpClients("claude-code");
    const text = await readFile(join(setup.home, ".claude.json"), "utf8");
    await writeFile(join(setup.home, ".claude.json"), text.replace("/home/ada/site", setup.cwd));
    await runPiped(setup, "import", "claude-code", "--yes");
    expect(await readJson(setup.localFile)).toMatchObject({
      mcp: { servers: { playwright: { command: "npx" }, shell: { enabled: false } } },
    });
    expect(await serverIds(setup.userFile)).toEqual(["github", "db", "slack", "internal", "events"]);
  });

  it("are only disabled if Claude Code's settings for this project disable them", async () => {
    const setup = await setUpClients();
    await mkdir(join(setup.cwd, ".claude"));
    const settings = { permissions: { allow: ["Bash"] }, disabledMcpjsonServers: ["shell"] };
    await writeFile(join(setup.cwd, ".claude/settings.local.json"), JSON.stringify(settings));
    const { stdout } = await runPiped(setup, "import", "claude-code", "--yes");
    expect(stdout).toContain("(only disables the server)");
    expect(await readJson(setup.localFile)).toMatchObject({ mcp: { servers: { shell: { enabled: false } } } });
  });

  it("are in the scope that the user chooses, and are only the servers that the user names", async () => {
    const setup = await setUpClients("vscode");
    await runPiped(setup, "import", "vscode", "--yes", "--scope", "global", "--only", "github, tenant");
    expect(await serverIds(setup.userFile)).toEqual(["github", "tenant"]);
  });
});

describe("plugboard import of a server that the config defines differently", () => {
  it("leaves it, and replaces it with --replace", async () => {
    const setup = await setUpClients("windsurf");
    await mkdir(dirname(setup.userFile), { recursive: true });
    const config = { mcp: { servers: { git: { command: "mine" } }, permissions: { deny: ["git:push"] } } };
    await writeFile(setup.userFile, JSON.stringify(config));
    const { stdout } = await runPiped(setup, "import", "windsurf", "--yes");
    expect(stdout).toContain("Not imported, because your config defines them differently: git. Use --replace");
    expect(await readJson(setup.userFile)).toMatchObject({ mcp: { servers: { git: { command: "mine" }, figma: {} } } });
    await runPiped(setup, "import", "windsurf", "--yes", "--replace");
    expect(await readJson(setup.userFile)).toMatchObject({
      mcp: { servers: { git: { command: "uvx" } }, permissions: { deny: ["git:push"] } },
    });
  });
});

describe("plugboard import --all", () => {
  it("imports from all clients after one question, and only the first of several servers with the same id", async () => {
    const setup = await setUpClients("windsurf", "gemini");
    const gemini = join(setup.home, ".gemini/settings.json");
    await writeFile(gemini, JSON.stringify({ mcpServers: { git: { command: "other" }, more: { command: "more" } } }));
    const terminal = runInTerminal(setup, "import", "--all");
    const shown = await terminal.waitFor("Import these 3 servers? y / n: ");
    expect(shown).toContain("Windsurf:");
    expect(shown).toMatch(/skip +git .*settings\.json has another server with this id/);
    terminal.type("y\r");
    expect(await terminal.exited).toMatchObject({ exitCode: 0 });
    expect((await serverIds(setup.userFile)).toSorted()).toEqual(["figma", "git", "more"]);
    expect((await readJson(setup.userFile)).mcp.servers).toMatchObject({ git: { command: "other" } });
    const { stdout } = await runPiped(setup, "import", "--all", "--yes");
    expect(stdout).toContain("Nothing was imported.");
  });

  it("imports from the clients that it can read, and shows the files that it can't", async () => {
    const setup = await setUpClients("windsurf", "gemini");
    await writeFile(join(setup.home, ".gemini/settings.json"), "{ broken");
    const { status, stdout } = await runPiped(setup, "import", "--all", "--yes", "--json");
    expect(status).toBe(0);
    expect(await parseOutput("import", stdout)).toMatchObject({
      files: [
        { client: "windsurf", servers: [{ imported: true }, { imported: true }] },
        { client: "gemini", error: expect.stringContaining("not JSON") as string },
      ],
    });
    expect(await serverIds(setup.userFile)).toEqual(["figma", "git"]);
  });

  it("says so if no client has a file", async () => {
    const { status, stdout } = await runPiped(await setUpClients(), "import", "--all", "--yes");
    expect([status, stdout]).toEqual([0, "No other client has a config file here.\n\nNothing was imported.\n"]);
  });
});

describe("plugboard import on a terminal", () => {
  it("asks before it writes, and writes nothing unless the user agrees", async () => {
    const setup = await setUpClients("windsurf");
    for (const [typed, exitCode] of [
      ["\r", 5],
      ["n\r", 5],
      ["\x03", 130],
    ] as const) {
      const terminal = runInTerminal(setup, "import", "windsurf");
      expect(await terminal.waitFor("Import these 2 servers? y / n: ")).toContain("https://figma.example.com/mcp");
      terminal.type(typed);
      expect(await terminal.exited).toMatchObject({ exitCode });
    }
    await expect(readFile(setup.userFile)).rejects.toMatchObject({ code: "ENOENT" });
    const terminal = runInTerminal(setup, "import", "windsurf");
    await terminal.waitFor("y / n: ");
    terminal.type("y\r");
    expect(await terminal.exited).toMatchObject({ exitCode: 0 });
    expect(await serverIds(setup.userFile)).toEqual(["figma", "git"]);
  });

  it("shows no control characters of a file", { meta: { covers: ["A7"] } }, async () => {
    const setup = await setUpClients();
    const evil = "\u001b[2J\u001b]52;c;ZXZpbA==\u0007\u202e";
    const servers = { [`x${evil}`]: { command: `run${evil}`, args: [evil], env: { [evil]: "1" } }, [evil]: evil };
    await writeFile(join(setup.cwd, "evil.json"), JSON.stringify({ mcpServers: servers }));
    const terminal = runInTerminal(setup, "import", "evil.json", "--dry-run");
    await terminal.exited;
    for (const sequence of ["\u001b[2J", "\u001b]52", "\u202e"]) expect(terminal.output()).not.toContain(sequence);
  });
});

describe("plugboard import rejects", () => {
  it.each([
    [["codex"], "There is no terminal to ask on. Add --yes to import these servers, or --dry-run to only see them"],
    [["codx", "--yes"], 'There is no client or file called "codx". Did you mean codex?'],
    [["cursor"], "There is no config file of Cursor ("],
    [["./missing.json"], "missing.json"],
    [["./.mcp.json", "--yes"], "Plugboard reads the .mcp.json of a project itself"],
    [["codex", "--only", "figm"], 'there is no server "figm". Did you mean figma?'],
    [["--yes"], "name the client or file to import from, or use --all"],
    [["codex", "--all"], "name a client or file, or use --all, but not both"],
    [["codex", "--scope", "project"], "Your home folder can't be a project."],
  ])("the command line %j", async (words, message) => {
    const setup = await setUpClients("codex");
    const inHome = words.includes("project") ? { ...setup, cwd: setup.home } : setup;
    const { status, stderr } = await runPiped(inHome, "import", ...words);
    expect({ status, stderr }).toMatchObject({ status: 2, stderr: expect.stringContaining(message) as string });
  });

  it("a broken config file, and does not change it", { meta: { covers: ["F38"] } }, async () => {
    const setup = await setUpClients("codex");
    await mkdir(dirname(setup.userFile), { recursive: true });
    await writeFile(setup.userFile, "{ broken");
    const { status, stderr } = await runPiped(setup, "import", "codex", "--yes");
    expect({ status, stderr }).toMatchObject({
      status: 2,
      stderr: expect.stringContaining("CONFIG_INVALID") as string,
    });
    expect(await readFile(setup.userFile, "utf8")).toBe("{ broken");
  });
});

it(
  "plugboard import reads any file with servers, and its servers need approval",
  { meta: { covers: ["R0.89"] } },
  async () => {
    const setup = await setUpClients();
    await writeFile(join(setup.cwd, "servers.toml"), '[mcp_servers.x]\ncommand = "run"\n');
    await writeFile(join(setup.cwd, "servers.yaml"), "mcpServers:\n  y:\n    command: run\n");
    for (const file of ["servers.toml", "servers.yaml"]) await runPiped(setup, "import", file, "--yes");
    const { stdout } = await runPiped(setup, "list", "--json");
    expect(JSON.parse(stdout)).toMatchObject([
      { id: "x", source: "project", untrusted: true },
      { id: "y", source: "project", untrusted: true },
    ]);
  },
);

it("plugboard import says what it wrote before an error, and continues from there", async () => {
  const setup = await setUpClients("claude-code");
  const text = await readFile(join(setup.home, ".claude.json"), "utf8");
  await writeFile(join(setup.home, ".claude.json"), text.replace("/home/ada/site", setup.cwd));
  const obstacle = dirname(setup.localFile);
  await writeFile(obstacle, "");
  const failed = await runPiped(setup, "import", "claude-code", "--yes");
  expect(failed.status).not.toBe(0);
  expect(failed.stderr).toContain("Imported before the error: github, db, slack, internal, events.\n");
  await rm(obstacle);
  const { stdout } = await runPiped(setup, "import", "claude-code", "--yes");
  expect(stdout).toContain(`Wrote playwright, shell to ${setup.localFile}.\n`);
});

it("plugboard list --config reads a file of another client, and warns about what it leaves out", async () => {
  const setup = await setUpClients("codex");
  const { stdout, stderr } = await runPiped(setup, "list", "--json", "--config", "../.codex/config.toml");
  expect(JSON.parse(stdout)).toMatchObject([
    { id: "context7", source: "invocation" },
    { id: "figma", enabled: false },
    { id: "ada-s-server" },
  ]);
  const lost = '"context7": default_tools_approval_mode is left out, because Plugboard has no such setting\n';
  expect(stderr).toContain(lost);
});

it("plugboard import replaces a server in the file of the project that defines it", async () => {
  const setup = await setUpClients("cursor");
  const file = join(setup.cwd, ".mcp.json");
  await writeFile(file, JSON.stringify({ mcpServers: { linear: { url: "https://old.example.com" } } }));
  await runPiped(setup, "import", "cursor", "--yes", "--replace");
  expect(JSON.parse(await readFile(file, "utf8"))).toMatchObject({
    mcpServers: { linear: { url: "https://mcp.linear.app/mcp" } },
  });
  expect(await serverIds(setup.projectFile)).toEqual(["scripts", "oauth"]);
});

it("plugboard import says where it expects servers in a file that has none", async () => {
  const setup = await setUpClients();
  await writeFile(join(setup.cwd, "odd.json"), '{ "tools": { "x": { "command": "y" } } }');
  const { status, stdout } = await runPiped(setup, "import", "odd.json");
  expect(status).toBe(0);
  expect(stdout).toBe(
    `${join(setup.cwd, "odd.json")}\n\nThe file defines no servers. A file that names no client must have them in "mcpServers", "servers" or "mcp.servers".\n\nNothing was imported.\n`,
  );
});

it("plugboard import prefers the later of two files of a client", async () => {
  const setup = await setUpClients();
  const define = (command: string) => JSON.stringify({ mcp: { x: { type: "local", command: [command] } } });
  await writeFile(join(setup.cwd, "opencode.json"), define("first"));
  await writeFile(join(setup.cwd, "opencode.jsonc"), define("second"));
  const { stdout } = await runPiped(setup, "import", "opencode", "--yes");
  expect(stdout).toContain(`${join(setup.cwd, "opencode.jsonc")} defines it, too`);
  expect(await readJson(setup.projectFile)).toMatchObject({ mcp: { servers: { x: { command: "second" } } } });
});

it("plugboard import moves the arguments of a command to args, and says so", async () => {
  const setup = await setUpClients();
  const file = join(setup.cwd, "servers.json");
  await writeFile(file, JSON.stringify({ mcpServers: { a: { command: "npx -y foo" }, b: { command: 'node "a b"' } } }));
  const { stdout } = await runPiped(setup, "import", file, "--yes");
  expect(stdout).toContain("the words after npx in command are moved to args");
  expect(JSON.parse(await readFile(setup.projectFile, "utf8"))).toMatchObject({
    mcp: { servers: { a: { command: "npx", args: ["-y", "foo"] }, b: { command: 'node "a b"' } } },
  });
});
