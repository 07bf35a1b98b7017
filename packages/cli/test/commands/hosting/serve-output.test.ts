/** Tests what `plugboard serve` prints: the address at once, then a line for each server, call, reload and problem. */
import { writeFile } from "node:fs/promises";
import { serversOf } from "@plugboard/testkit/process-alive";
import { scriptedLegacy } from "@plugboard/testkit/start-server";
import { describe, expect, it, vi } from "vitest";
import { endpointIn, isReachable, oneServer, serve } from "../../helpers/hosting.ts";
import { parseOutput } from "../../helpers/json-schema.ts";
import { setUpProject } from "../../helpers/project-setup.ts";
import { runInTerminal, runPiped, setUp, startCommand } from "../../helpers/run-plugboard.ts";

const TIME = String.raw`^\d\d:\d\d:\d\d {2}`;
const line = (text: string) => new RegExp(`${TIME}${text}`, "m");

describe("the output of plugboard serve", () => {
  it("begins with the address, without waiting for a server that never answers", async () => {
    const setup = await setUp({
      mcp: { servers: { slow: scriptedLegacy("--never-start"), tested: scriptedLegacy() } },
    });
    const { child, stdout, exited } = startCommand(setup, "serve", "--port", "0");
    await stdout.waitFor("Plugboard is running at", 20_000);
    expect(await isReachable(endpointIn(stdout.text))).toBe(true);
    await stdout.waitFor("tested: ready", 20_000);
    expect(stdout.text).not.toContain("slow:");
    expect(serversOf(child.pid!)).toHaveLength(2);
    child.kill("SIGHUP");
    expect(await exited).toBe(0);
  });

  it("has a line for each server that failed, or waits for approval, and says what to do", async () => {
    const config = { mcp: { servers: { bad: { command: "no-such-command" }, tested: scriptedLegacy() } } };
    const { stdout } = await serve(await setUpProject({ shared: { command: "x" } }, config));
    await stdout.waitFor("bad: failed", 20_000);
    expect(stdout.text).toMatch(line("bad: failed: SERVER_SPAWN_FAILED: .*no-such-command"));
    expect(stdout.text).toMatch(line("shared: waits for your approval. Run `plugboard trust`"));
  });

  it("has a line for each call with its result, and for each reload and config error", async () => {
    const setup = await setUp(oneServer());
    const { stdout } = await serve(setup);
    await runPiped(setup, "call", "tested:echo", "text=hi");
    await stdout.waitFor("tested:echo", 20_000);
    expect(stdout.text).toMatch(line(String.raw`tested:echo done after \d+ ms, called by cli$`));
    await runPiped(setup, "call", "tested:crash");
    await stdout.waitFor("tested:crash", 20_000);
    expect(stdout.text).toMatch(line(String.raw`tested:crash failed \(SERVER_CRASHED\) after \d+ ms, called by cli$`));
    const file = setup.env["PLUGBOARD_CONFIG_PATH"]!;
    await writeFile(file, JSON.stringify({ mcp: { servers: { tested: scriptedLegacy(), other: scriptedLegacy() } } }));
    await stdout.waitFor("config read again: added other", 20_000);
    await stdout.waitFor("other: ready", 20_000);
    await writeFile(file, "{");
    await stdout.waitFor("config error: CONFIG_INVALID", 20_000);
    // Two workspaces of this folder have reported the change, but it is printed once.
    expect(stdout.text.match(/config read again: added other/g)).toHaveLength(1);
    expect(stdout.text.match(/tested: ready/g)!.length).toBeLessThanOrEqual(2);
  });

  it("shows text of a server on one line, without control characters", async () => {
    const print = String.raw`printf 'boom\033[2J\nforged: ready\n' >&2; exit 3`;
    const setup = await setUp({ mcp: { servers: { tested: { command: "sh", args: ["-c", print] } } } });
    const { stdout } = startCommand(setup, "serve", "--port", "0");
    await stdout.waitFor("tested: failed", 20_000);
    expect(stdout.text).not.toContain("\u001b");
    expect(stdout.text).not.toMatch(/^forged/m);
  });

  it("says on a terminal which servers are still starting", async () => {
    const setup = await setUp({ mcp: { servers: { slow: scriptedLegacy("--never-start") } } });
    const terminal = runInTerminal(setup, "serve", "--port", "0");
    await terminal.waitFor("Plugboard is running at");
    await terminal.waitFor("starting slow");
    terminal.type("\x03");
    expect(await terminal.exited).toMatchObject({ exitCode: 0 });
  });

  it("is only the address with --quiet", async () => {
    const setup = await setUp(oneServer());
    const { child, stdout, exited } = startCommand(setup, "serve", "--port", "0", "--quiet");
    await stdout.waitFor("\n", 20_000);
    await vi.waitFor(() => expect(serversOf(child.pid!)).toHaveLength(1), 10_000);
    expect(await runPiped(setup, "call", "tested:echo", "text=hi")).toMatchObject({ status: 0 });
    child.kill("SIGINT");
    expect(await exited).toBe(0);
    expect(stdout.text).toBe(`${endpointIn(stdout.text)}\n`);
  });

  it("is one JSON object per line with --json, as its schema says", async () => {
    const setup = await setUp(oneServer());
    const { child, stdout, exited } = startCommand(setup, "serve", "--port", "0", "--json");
    await stdout.waitFor('"ready"', 20_000);
    await runPiped(setup, "call", "tested:echo", "text=hi");
    await stdout.waitFor('"call.ended"', 20_000);
    child.kill("SIGINT");
    expect(await exited).toBe(0);
    const lines = stdout.text.trimEnd().split("\n");
    for (const text of lines) await parseOutput("serve", text);
    expect(JSON.parse(lines[0]!)).toMatchObject({ type: "host.serving", pid: child.pid, attached: false });
  });
});
