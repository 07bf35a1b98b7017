/** Tests that `plugboard tools` and short names of tools use the lists of earlier runs instead of starting servers. */
import { readdir, readFile, rm, utimes, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { scriptedLegacy } from "@plugboard/testkit/start-server";
import { describe, expect, it } from "vitest";
import { puppetServer, runPiped, setUp } from "../../helpers/run-plugboard.ts";
import type { Setup } from "../../helpers/run-plugboard.ts";

/** A server that appends its name to a file at each start. */
function counted(name: string, { command, args }: { command: string; args: readonly string[] }, file: string) {
  return { command: "sh", args: ["-c", `echo ${name} >> "$0"; exec "$@"`, file, command, ...args] };
}

/** `starts` returns the servers that were started since it was last called. */
async function setUpCounted(others: object = {}): Promise<Setup & { starts(): Promise<string[]> }> {
  const setup = await setUp();
  const file = join(setup.cwd, "starts");
  const servers = {
    a: counted("a", scriptedLegacy(), file),
    b: counted("b", puppetServer({ tools: [{ name: "go", inputSchema: { type: "object" } }] }), file),
  };
  await setServers(setup, { ...servers, ...others });
  const starts = async () => {
    const text = await readFile(file, "utf8").catch(() => "");
    await rm(file, { force: true });
    return text.split("\n").filter(Boolean).toSorted();
  };
  return { ...setup, starts };
}

const setServers = (setup: Setup, mcpServers: object) =>
  writeFile(setup.env["PLUGBOARD_CONFIG_PATH"]!, JSON.stringify({ mcpServers }));

/** Makes the stored lists older. */
async function ageLists({ env }: Setup, hours: number): Promise<void> {
  const folder = join(env["XDG_STATE_HOME"]!, "plugboard", "catalog");
  const time = new Date(Date.now() - hours * 3_600_000);
  for (const name of await readdir(folder)) await utimes(join(folder, name), time, time);
}

describe("plugboard tools with lists of an earlier run", () => {
  it("starts no server, and says how old the lists are", async () => {
    const setup = await setUpCounted();
    const first = await runPiped(setup, "tools");
    expect(await setup.starts()).toEqual(["a", "b"]);
    expect(first.stderr).toBe("");
    await ageLists(setup, 3);
    const second = await runPiped(setup, "tools");
    expect(await setup.starts()).toEqual([]);
    expect(second).toMatchObject({ status: 0, stdout: first.stdout });
    expect(second.stderr).toBe(
      "Listed by an earlier run: a (3 h 0 min ago), b (3 h 0 min ago). --refresh asks the servers.\n",
    );
    expect((await runPiped(setup, "tools", "a:echo")).stdout).toContain("name for models: mcp__a__echo");
    expect((await runPiped(setup, "tools", "--search", "echo")).stdout).toMatch(/^a:echo/);
    expect(await setup.starts()).toEqual([]);
  });

  it("asks all servers with --refresh", async () => {
    const setup = await setUpCounted();
    await runPiped(setup, "tools");
    await setup.starts();
    expect(await runPiped(setup, "tools", "--refresh")).toMatchObject({ status: 0, stderr: "" });
    expect(await setup.starts()).toEqual(["a", "b"]);
    expect(await runPiped(setup, "tools", "b", "--refresh")).toMatchObject({
      status: 0,
      stdout: "b:go()\n",
      stderr: "",
    });
    expect(await setup.starts()).toEqual(["b"]);
  });

  it("starts only a server that was never listed", async () => {
    const setup = await setUpCounted();
    await runPiped(setup, "tools");
    await setup.starts();
    const config = JSON.parse(await readFile(setup.env["PLUGBOARD_CONFIG_PATH"]!, "utf8")) as { mcpServers: object };
    const added = counted(
      "c",
      puppetServer({ tools: [{ name: "new", inputSchema: { type: "object" } }] }),
      join(setup.cwd, "starts"),
    );
    await setServers(setup, { ...config.mcpServers, c: added });
    const { stdout } = await runPiped(setup, "tools");
    expect(stdout).toMatch(/^a:echo.*^b:go.*^c:new/ms);
    expect(await setup.starts()).toEqual(["c"]);
  });
});

describe("a short name of a tool", () => {
  it("starts only the server that had the tool in an earlier run, even if another server never starts", async () => {
    const setup = await setUpCounted({ dead: { command: "sh", args: ["-c", "sleep 60"] } });
    await Promise.all([runPiped(setup, "tools", "a"), runPiped(setup, "tools", "b")]);
    await setup.starts();
    const began = Date.now();
    expect(await runPiped(setup, "call", "echo", "text=hi")).toMatchObject({ status: 0, stdout: "hi\n", stderr: "" });
    expect(Date.now() - began).toBeLessThan(20_000);
    expect(await setup.starts()).toEqual(["a"]);
  });

  it("finds a tool that the server has got since the earlier run", async () => {
    const setup = await setUp();
    const list = join(setup.cwd, "tools.json");
    const script = `const fs = require("fs"); const { spawn } = require("child_process");
      spawn(process.execPath, [process.argv[1], fs.readFileSync(process.argv[2], "utf8")], { stdio: "inherit" });`;
    const [puppet] = puppetServer({}).args;
    await setServers(setup, { s: { command: process.execPath, args: ["-e", script, puppet!, list] } });
    const tool = (name: string) => ({ name, inputSchema: { type: "object" } });
    await writeFile(list, JSON.stringify({ tools: [tool("old")], mirror: true }));
    await runPiped(setup, "tools");
    await writeFile(list, JSON.stringify({ tools: [tool("old"), tool("new")], mirror: true }));
    expect(await runPiped(setup, "call", "new")).toMatchObject({ status: 0, stdout: "{}\n" });
  });
});

describe("plugboard tools --search", () => {
  const tool = (name: string, description: string) => ({ name, description, inputSchema: { type: "object" } });

  it("leaves out weak hits", async () => {
    const tools = [
      tool("read_file", "Reads a file from the disk"),
      tool("send_mail", "Sends a message. The text can come from a file"),
      tool("add_numbers", "Adds two numbers"),
    ];
    const setup = await setUp({ mcpServers: { s: puppetServer({ tools }) } });
    const { stdout } = await runPiped(setup, "tools", "--search", "read file");
    expect(stdout).toMatch(/^s:read_file/);
    expect(stdout).not.toContain("send_mail");
  });

  it("shows 20 hits, or as many as --limit says", async () => {
    const setup = await setUp({ mcpServers: { s: puppetServer({ tools: [tool("go", "Goes")], copies: 30 }) } });
    const lines = (text: string) => text.trimEnd().split("\n").length;
    const { stdout, stderr } = await runPiped(setup, "tools", "--search", "go");
    expect(lines(stdout)).toBe(20);
    expect(stderr).toContain("10 more. --limit sets how many are shown.\n");
    expect(lines((await runPiped(setup, "tools", "--search", "go", "--limit", "25")).stdout)).toBe(25);
    expect(lines((await runPiped(setup, "tools", "--limit", "3")).stdout)).toBe(3);
  });
});
