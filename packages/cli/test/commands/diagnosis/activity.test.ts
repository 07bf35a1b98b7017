/** Tests `plugboard activity` as a process, with a host of its own and with a running host. */
import { mkdir, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { writeCallStats } from "@plugboard/testkit/write-call-stats";
import { describe, expect, it } from "vitest";
import { parseOutput } from "../../helpers/json-schema.ts";
import {
  puppetServer,
  runInTerminal,
  runPiped,
  runPipedProcess,
  setUp,
  startCommand,
} from "../../helpers/run-plugboard.ts";
import type { Setup } from "../../helpers/run-plugboard.ts";

const CANARY = "canary-7f3b9e2d41";

describe("plugboard activity", () => {
  it(
    "shows calls and changes of servers, oldest first, without arguments and results",
    { meta: { covers: ["A12"] } },
    async () => {
      const result = { content: [{ type: "text", text: CANARY }], isError: true };
      const setup = await setUp({ mcpServers: { files: puppetServer({ result }) } });
      await runPiped(setup, "call", "files:go", `--args={"x":"${CANARY}"}`);
      const { status, stdout } = await runPipedProcess(setup, "activity", "--states");
      expect(status).toBe(0);
      expect(stdout).not.toContain(CANARY);
      await expect(withoutVolatile(stdout)).toMatchFileSnapshot("../../golden/activity.txt");
    },
  );

  it("prints one JSON object per line with --json, and only entries of the given server", async () => {
    const setup = await setUp({ mcpServers: { a: puppetServer({}), b: puppetServer({ copies: 2 }) } });
    await runPiped(setup, "call", "a:go");
    await runPiped(setup, "call", "b:go");
    const { stdout } = await runPipedProcess(setup, "activity", "--json", "--states", "--server", "a", "--limit", "2");
    const entries = await Promise.all(
      stdout
        .trimEnd()
        .split("\n")
        .map((line) => parseOutput("activity", line)),
    );
    expect(entries).toHaveLength(2);
    expect(entries).toMatchObject([{ server: "a" }, { server: "a" }]);
  });

  it("leaves out the states of servers without --states, except for failures", async () => {
    const setup = await setUp({ mcpServers: { a: puppetServer({}), b: { command: "no-such-command" } } });
    for (let run = 0; run < 3; run++) await runPiped(setup, "call", "a:go");
    await runPiped(setup, "call", "b:go");
    const { stdout } = await runPiped(setup, "activity", "--limit", "4");
    const rows = stdout.trimEnd().split("\n").slice(1);
    expect(rows.filter((row) => row.includes("a:go"))).toHaveLength(3);
    expect(stdout).toContain("SERVER_SPAWN_FAILED");
    expect(stdout).not.toContain("ready");
  });

  it("distinguishes a denied call from a failed one", async () => {
    const setup = await setUp({ mcpServers: { a: puppetServer({}) }, permissions: { deny: ["a:go"] } });
    await runPiped(setup, "call", "a:go");
    expect((await runPiped(setup, "activity")).stdout).toMatch(/a:go +denied .*TOOL_DENIED/);
  });

  it("suggests the right id for a typo, and says if nothing has happened", async () => {
    const setup = await setUp({ mcpServers: { github: puppetServer({}) } });
    expect(await runPiped(setup, "activity")).toMatchObject({ status: 0, stdout: "Nothing has happened yet.\n" });
    const typo = await runPiped(setup, "activity", "--server", "githb");
    expect(typo).toMatchObject({ status: 2, stdout: "" });
    expect(typo.stderr).toContain('Did you mean "github"?');
  });

  it("shows hostile names of tools as text", { meta: { covers: ["A7"] } }, async () => {
    const tool = { name: "\u001b[2Jx\u202e", inputSchema: { type: "object" } };
    const setup = await setUp({ mcpServers: { evil: puppetServer({ tools: [tool] }) } });
    await runPiped(setup, "call", `evil:${tool.name}`);
    const { stdout } = await runPiped(setup, "activity");
    expect(stdout).toContain("evil:<U+001B>[2Jx");
    expect(stdout).not.toMatch(/[\u001b\u202e]/);
  });
});

describe("plugboard activity --stats", () => {
  const stateFolder = ({ env }: Setup) => join(env["XDG_STATE_HOME"]!, "plugboard");

  it("counts the calls of the last hour, of the last 24 hours and of longer spans, including those of this run", async () => {
    const setup = await setUp({ mcpServers: { files: puppetServer({}) } });
    await writeCallStats(stateFolder(setup), [
      { server: "files", tool: "go", minutesAgo: 20, calls: 957 },
      { server: "files", tool: "stop", minutesAgo: 5 * 60, calls: 3000, failed: true },
      { server: "github", tool: "search", minutesAgo: 3 * 24 * 60, calls: 40 },
    ]);
    await runPiped(setup, "call", "files:go");
    const { status, stdout } = await runPiped(setup, "activity", "--stats");
    expect(status).toBe(0);
    const rows = stdout.split("\n").map((line) => line.split(/\s{2,}/));
    expect(rows.map(([name, calls, failed]) => [name, calls, failed])).toEqual([
      ["LAST", "CALLS", "FAILED"],
      ["5 minutes", "1", "0"],
      ["hour", "958", "0"],
      ["24 hours", "3958", "3000"],
      ["7 days", "3998", "3000"],
      ["60 days", "3998", "3000"],
      ["", undefined, undefined],
      ["SERVER:TOOL, LAST 24 HOURS", "CALLS", "FAILED"],
      ["files:stop", "3000", "3000"],
      ["files:go", "958", "0"],
      ["", undefined, undefined],
    ]);
  });

  it("prints one JSON object per time span, and only calls of the given server", async () => {
    const setup = await setUp({ mcpServers: { files: puppetServer({}) } });
    await writeCallStats(stateFolder(setup), [
      { server: "files", tool: "go", minutesAgo: 1, calls: 2 },
      { server: "github", tool: "search", minutesAgo: 1, calls: 40 },
    ]);
    const { stdout } = await runPiped(setup, "activity", "--stats", "--json", "--server", "files");
    const lines = await Promise.all(
      stdout
        .trimEnd()
        .split("\n")
        .map((line) => parseOutput("activity", line)),
    );
    expect(lines).toHaveLength(5);
    for (const line of lines) {
      expect(line).toMatchObject({ type: "stats", calls: 2, tools: [{ server: "files", tool: "go", calls: 2 }] });
    }
  });

  it("says that the file was damaged and where it is now", async () => {
    const setup = await setUp({ mcpServers: {} });
    await mkdir(stateFolder(setup), { recursive: true, mode: 0o700 });
    const file = join(stateFolder(setup), "call-stats.json");
    await writeFile(file, "{");
    const { stdout, stderr } = await runPiped(setup, "activity", "--stats");
    expect(stdout).toBe("No call has ended yet.\n");
    expect(stderr).toBe(
      `STORE_UNREADABLE: ${file} can't be used: it is damaged, so the statistics of calls start from zero. The file was moved to ${file}.damaged. Delete it if you don't need it.\n`,
    );
  });

  it("suggests the right id for a typo, and says if there was no call", async () => {
    const setup = await setUp({ mcpServers: { github: puppetServer({}) } });
    expect((await runPiped(setup, "activity", "--stats")).stdout).toBe("No call has ended yet.\n");
    const typo = await runPiped(setup, "activity", "--stats", "--server", "githb");
    expect(typo).toMatchObject({ status: 2, stdout: "" });
    expect(typo.stderr).toContain('Did you mean "github"?');
  });
});

describe("plugboard activity --tail", () => {
  it("says that no host is running", async () => {
    const setup = await setUp();
    const { status, stderr } = await runPiped(setup, "activity", "--tail");
    expect(status).toBe(3);
    expect(stderr).toContain("No host is running, so there are no new entries. Start one with `plugboard serve`.");
  });

  it("shows the calls of the running host as they end, until Ctrl-C", async () => {
    const setup = await withRunningHost();
    const terminal = runInTerminal(setup, "activity", "--tail");
    await terminal.waitFor("SERVER:TOOL");
    await runPiped(setup, "call", "files:go");
    await terminal.waitFor(/cli +files:go +ok +\d+ ms/);
    expect(terminal.output().split("SERVER:TOOL")[1]).not.toContain("working");
    terminal.type("\x03");
    expect(await terminal.exited).toMatchObject({ exitCode: 130 });
  });

  it("prints one JSON object per line with --json, and ends with the host", async () => {
    const setup = await withRunningHost();
    const { stdout, stderr, exited } = startCommand(
      setup,
      "activity",
      "--tail",
      "--states",
      "--json",
      "--server",
      "files",
    );
    await stdout.waitFor('"state":"ready"', 15_000);
    await runPiped(setup, "call", "files:go");
    await stdout.waitFor('"tool":"go"', 15_000);
    setup.host.child.kill("SIGTERM");
    expect(await exited).toBe(0);
    expect(stderr.text).toContain("The host has ended.");
    const lines = stdout.text.trimEnd().split("\n");
    await Promise.all(lines.map((line) => parseOutput("activity", line)));
    expect(new Set(lines).size).toBe(lines.length);
  });
});

async function withRunningHost(): Promise<Setup & { readonly host: ReturnType<typeof startCommand> }> {
  const setup = await setUp({ mcpServers: { files: puppetServer({}) } });
  const host = startCommand(setup, "serve", "--port", "0");
  await host.stdout.waitFor("Plugboard is running", 15_000);
  // Waits for the servers, because the address is printed before they are ready.
  await runPiped(setup, "status", "--connect");
  return { ...setup, host };
}

function withoutVolatile(text: string): string {
  return text.replaceAll(/\d{4}-\d\d-\d\d \d\d:\d\d:\d\d/g, "<time>").replaceAll(/\d+ ms +/g, "<ms>  ");
}
