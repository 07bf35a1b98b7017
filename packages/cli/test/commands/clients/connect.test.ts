/** Tests `plugboard connect` and `plugboard disconnect`. The host's tests cover the files of all clients. */
import { chmod, copyFile, mkdir, readFile, rm, stat, writeFile } from "node:fs/promises";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";
import { CLIENT_NAMES } from "@plugboard/contracts";
import { describe, expect, it } from "vitest";
import { parseOutput } from "../../helpers/json-schema.ts";
import { command, runInTerminal, runPiped, runPipedProcess, setUp } from "../../helpers/run-plugboard.ts";

const fixture = (name: string) =>
  fileURLToPath(new URL(`../../../../config/test/connect/fixtures/${name}`, import.meta.url));

/** Makes a home folder with a project, and with a config file of Codex as in its documentation. */
async function setUpCodex(config: object = {}) {
  const { cwd: home, env } = await setUp(config);
  const cwd = join(home, "project");
  const file = join(home, ".codex/config.toml");
  for (const folder of [cwd, dirname(file)]) await mkdir(folder, { recursive: true });
  await copyFile(fixture("codex.toml"), file);
  const text = await readFile(file, "utf8");
  // With an empty PATH, the programs of clients on this machine are not found.
  return { cwd, env: { ...env, PATH: "" }, home, file, text, read: () => readFile(file, "utf8") };
}

const words = ["connect", "codex"];
const plain = (text: string, home: string) =>
  text
    .replaceAll(home, "")
    .replaceAll(command, "/plugboard.js")
    .replaceAll(process.execPath, "/node")
    .replace(/[0-9a-f]{16}-/, "");

async function listTokens(setup: Parameters<typeof runPiped>[0]) {
  const { stdout } = await runPiped(setup, "token", "list", "--json");
  return (JSON.parse(stdout) as { tokens: { name: string; profile?: string }[] }).tokens;
}

describe("plugboard connect", () => {
  it("shows the change, writes it with --yes, and disconnect takes it back", async () => {
    const { home, text, read, ...setup } = await setUpCodex();
    const shown = await runPiped(setup, ...words, "--dry-run");
    expect(shown).toMatchObject({ status: 0, stderr: "" });
    await expect(plain(shown.stdout, home)).toMatchFileSnapshot("../../golden/connect-dry-run.txt");
    expect(await read()).toBe(text);

    const connected = await runPipedProcess(setup, ...words, "--yes");
    expect(connected).toMatchObject({ status: 0, stderr: "" });
    await expect(plain(connected.stdout, home)).toMatchFileSnapshot("../../golden/connect.txt");
    expect(await read()).toContain(`command = "${process.execPath}"\nargs = ["${command}", "stdio"]\n`);
    // This variable decides which host the command uses, and Codex does not pass it to its servers.
    expect(await read()).toContain(`XDG_STATE_HOME = "${join(home, "state")}"`);
    expect((await runPiped(setup, ...words, "--yes")).stdout).toContain("Codex is connected to Plugboard. Nothing was");

    const disconnected = await runPipedProcess(setup, "disconnect", "codex", "--yes");
    expect(disconnected).toMatchObject({ status: 0, stderr: "" });
    await expect(plain(disconnected.stdout, home)).toMatchFileSnapshot("../../golden/disconnect.txt");
    expect(await read()).toBe(text);
    expect((await runPiped(setup, "disconnect", "codex", "--yes")).stdout).toContain("Codex is not connected to Plug");
  });

  it("finds a client by its config folder, unless the folder is empty", async () => {
    const { home, file: _, ...setup } = await setUpCodex();
    for (const folder of [".config/Code/User/snippets", ".cursor/extensions", ".claude/projects", ".config/zed"])
      await mkdir(join(home, folder), { recursive: true });
    const { stdout } = await runPiped(setup, "connect");
    for (const client of ["vscode", "cursor", "claude-code"])
      expect(stdout).toMatch(new RegExp(`^${client} +yes +no +plugboard connect ${client}$`, "m"));
    expect(stdout).toMatch(/^zed +not found/m);
    expect((await runPiped(setup, "connect", "zed", "--dry-run")).stderr).toContain("note: Zed was not found");
    expect((await runPiped(setup, "connect", "cursor", "--dry-run")).stderr).toBe("");
  });

  it("says which servers of the client Plugboard has already", async () => {
    const { file, read: _, text: __, ...setup } = await setUpCodex();
    await writeFile(file, '[mcp_servers.memory]\ncommand = "memory"\n\n[mcp_servers.other]\ncommand = "other"\n');
    const shown = async () => (await runPiped(setup, ...words, "--dry-run")).stdout;
    expect(await shown()).toContain("itself: memory, other. To run them only once, run `plugboard import codex`");
    await runPiped(setup, "import", "codex", "--yes");
    expect(await shown()).toContain(`Plugboard already has memory, other. Remove them from ${file}.\n`);
    await writeFile(file, `${await readFile(file, "utf8")}\n[mcp_servers.third]\ncommand = "third"\n`);
    expect(await shown()).toContain("To run third only once, run `plugboard import codex`");
  });

  it("shows all clients without a name", async () => {
    const { home, file, ...setup } = await setUpCodex();
    await runPiped(setup, ...words, "--yes");
    await mkdir(join(home, ".gemini"));
    await writeFile(join(home, ".gemini/settings.json"), "{ broken");
    await mkdir(join(home, ".cursor"));
    await writeFile(join(home, ".cursor/mcp.json"), "{}");
    const { status, stdout, stderr } = await runPiped(setup, "connect");
    expect({ status, stderr }).toEqual({ status: 0, stderr: "" });
    await expect(plain(stdout, home)).toMatchFileSnapshot("../../golden/connect-clients.txt");
    const { clients } = (await parseOutput("connect", (await runPiped(setup, "connect", "--json")).stdout)) as {
      clients: { client: string; files: { connections: object[] }[] }[];
    };
    expect(clients.map(({ client }) => client)).toEqual(CLIENT_NAMES);
    expect(clients.find(({ client }) => client === "codex")).toMatchObject({
      installed: true,
      files: [{ file, scope: "user", connections: [{ name: "plugboard", kind: "stdio" }] }],
    });
  });

  it("prints JSON without secrets", async () => {
    const { read, ...setup } = await setUpCodex();
    const outputs: string[] = [];
    for (const args of [["--dry-run"], ["--yes"], ["--yes", "--http"], ["--yes", "--http"]]) {
      const { stdout, stderr } = await runPiped(setup, ...words, "--json", ...args);
      expect(stderr).toBe("");
      outputs.push(stdout);
    }
    const parsed = await Promise.all(outputs.map((output) => parseOutput("connect", output)));
    expect(parsed).toMatchObject([
      { action: "add", written: false, servers: ["context7"] },
      { action: "add", written: true, backup: expect.any(String) as string },
      { action: "change", written: true, entry: { http_headers: { Authorization: "***" } } },
      { action: "none", written: false, diff: [] },
    ]);
    const token = /Bearer (\S+?)"/.exec(await read())![1]!;
    const tokens = async () =>
      (JSON.parse((await runPiped(setup, "token", "list", "--json")).stdout) as { tokens: object[] }).tokens;
    expect(await tokens()).toMatchObject([{ name: "connect-codex", mayApprove: false }]);
    expect(outputs.join()).not.toContain("canary");
    expect(outputs.join()).not.toContain(token);
    const { stdout } = await runPiped(setup, "disconnect", "codex", "--json", "--yes");
    expect(await parseOutput("disconnect", stdout)).toMatchObject({ action: "remove", written: true });
    expect(stdout).not.toContain(token);
    expect(await tokens()).toEqual([]);
  });

  it.skipIf(process.platform === "win32")(
    "warns before it writes a token to a file that other users can read, and keeps the mode",
    { meta: { covers: ["A12"] } },
    async () => {
      const { file, ...setup } = await setUpCodex();
      await chmod(file, 0o644);
      expect((await runPiped(setup, ...words, "--yes")).stdout).not.toContain("chmod");
      const { stdout } = await runPiped(setup, ...words, "--http", "--yes");
      expect(stdout).toContain(`chmod 600 '${file}'`);
      expect(stdout).toContain("Calls that no rule allows ask you");
      expect((await stat(file)).mode & 0o777).toBe(0o644);
      await chmod(file, 0o600);
      expect((await runPiped(setup, ...words, "--http", "--port", "1", "--yes")).stdout).not.toContain("chmod");
    },
  );

  it("writes the profile of a command and of a URL, and the port", async () => {
    const { read, ...setup } = await setUpCodex({ mcp: { profiles: { work: { servers: [] } } } });
    await runPiped(setup, ...words, "--profile", "work", "--yes");
    expect(await read()).toContain('"stdio", "--profile", "work"]');
    await runPiped(setup, ...words, "--profile", "work", "--http", "--port", "8080", "--yes");
    expect(await read()).toContain('url = "http://127.0.0.1:8080/mcp/p/work"');
    expect((await runPiped(setup, "token", "list")).stdout).toMatch(/connect-codex +work/);
    expect((await runPiped(setup, "connect")).stdout).toContain("yes (http, profile work)");
  });

  it("makes a new token, bound to the profile, if another profile is chosen, and otherwise keeps the token", async () => {
    const profiles = { work: { servers: ["*"] } };
    const { file: _, read, home: __, text: ___, ...setup } = await setUpCodex({ mcp: { profiles } });
    const connect = async (...more: string[]) => {
      expect(await runPiped(setup, ...words, "--http", "--port", "1", "--yes", ...more)).toMatchObject({ status: 0 });
      return /Bearer ([^"]+)"/.exec(await read())![1]!;
    };
    const tokens = () => listTokens(setup);
    const first = await connect();
    expect(await connect()).toBe(first);
    expect(await tokens()).toMatchObject([{ name: "connect-codex" }]);
    expect((await tokens())[0]?.profile).toBeUndefined();
    const bound = await connect("--profile", "work");
    expect(bound).not.toBe(first);
    expect(await tokens()).toMatchObject([{ name: "connect-codex", profile: "work" }]);
    expect(await connect("--profile", "work")).toBe(bound);
  });

  it("revokes the client's own token on disconnect, but not a token that the user has created", async () => {
    const { file, read, home: _, text: __, ...setup } = await setUpCodex();
    const names = async () => (await listTokens(setup)).map(({ name }) => name).toSorted();
    const { stdout } = await runPiped(setup, "token", "create", "mine", "--json");
    const { token } = JSON.parse(stdout) as { token: string };
    await runPiped(setup, ...words, "--http", "--port", "1", "--yes");
    expect(await names()).toEqual(["connect-codex", "mine"]);
    await writeFile(file, (await read()).replace(/Bearer [^"]+"/, `Bearer ${token}"`));
    await runPiped(setup, "disconnect", "codex", "--yes");
    expect(await names()).toContain("mine");
    await runPiped(setup, ...words, "--http", "--port", "1", "--yes");
    await runPiped(setup, "disconnect", "codex", "--yes");
    expect(await names()).toEqual(["mine"]);
  });

  it("writes the name of the command, and no path, to a project's file", async () => {
    const setup = await setUpCodex();
    const { stdout } = await runPiped(setup, "connect", "claude-code", "--scope", "project", "--yes");
    expect(JSON.parse(await readFile(join(setup.cwd, ".mcp.json"), "utf8"))).toEqual({
      mcpServers: { plugboard: { type: "stdio", command: "plugboard", args: ["stdio"], alwaysLoad: true } },
    });
    expect(stdout).toContain("It asks whether you approve the servers of this project.");
    // Plugboard reads this file, too, but ignores its own entry there.
    expect((await runPiped(setup, "list", "--json")).stdout).toBe("[]\n");
  });

  it("restores the backup only if the file has not changed", async () => {
    const { file, text, read, ...setup } = await setUpCodex();
    await runPiped(setup, ...words, "--yes");
    const connected = await read();
    await writeFile(file, `${connected}# later\n`);
    const refused = await runPiped(setup, "disconnect", "codex", "--restore", "--yes");
    expect(refused).toMatchObject({ status: 2, stderr: expect.stringContaining("has changed since") as string });
    await writeFile(file, connected);
    const restored = await runPiped(setup, "disconnect", "codex", "--restore", "--yes");
    expect(restored.stdout).toContain("Its file is as it was before.");
    expect(await read()).toBe(text);
  });
});

describe("plugboard connect on a terminal", () => {
  it("asks before it writes, and writes nothing unless the user agrees", async () => {
    const { text, read, ...setup } = await setUpCodex();
    for (const [typed, exitCode] of [
      ["n\r", 5],
      ["\x03", 130],
    ] as const) {
      const terminal = runInTerminal(setup, ...words);
      expect(await terminal.waitFor("Connect Codex to Plugboard? y / n: ")).toContain("[mcp_servers.plugboard]");
      terminal.type(typed);
      expect(await terminal.exited).toMatchObject({ exitCode });
      expect(terminal.output()).toContain("Nothing was written.");
    }
    expect(await read()).toBe(text);
    for (const line of [words, ["disconnect", "codex"]]) {
      const terminal = runInTerminal(setup, ...line);
      await terminal.waitFor("y / n: ");
      terminal.type("y\r");
      expect(await terminal.exited).toMatchObject({ exitCode: 0 });
      expect((await read()) === text).toBe(line !== words);
    }
  });
});

describe("plugboard connect rejects", () => {
  it.each([
    [["codex"], "There is no terminal to ask on. Add --yes to write the change, or --dry-run to only see it"],
    [["codx"], "Did you mean codex?"],
    [["--yes"], "name the client to connect"],
    [["claude-desktop", "--http"], "Claude Desktop can't use a URL from its file"],
    [["goose", "--scope", "project"], "Goose has no file for projects"],
    [["cursor", "--scope", "project", "--http"], "must not be in a project's file"],
    [["codex", "--port", "1"], "--port is only for --http"],
    [["codex", "--profile", "nosuch"], "`plugboard profile set nosuch` adds one"],
    [["codex", "--profile", "wrk"], 'there is no profile "wrk". Did you mean work?'],
  ])("the command line %j", async (args, message) => {
    const setup = await setUpCodex({ mcp: { profiles: { work: { servers: [] } } } });
    const { status, stderr } = await runPiped(setup, "connect", ...args);
    expect({ status, stderr }).toMatchObject({ status: 2, stderr: expect.stringContaining(message) as string });
    expect(await setup.read()).toBe(setup.text);
  });

  it("a broken file, with its position, and does not change it", async () => {
    const { file, read, ...setup } = await setUpCodex();
    await writeFile(file, "a = 1\nb =\n");
    const { status, stderr } = await runPiped(setup, ...words, "--yes");
    expect({ status, stderr }).toMatchObject({ status: 2, stderr: expect.stringContaining(`${file}:2:`) as string });
    expect(await read()).toBe("a = 1\nb =\n");
    await rm(file);
  });
});
