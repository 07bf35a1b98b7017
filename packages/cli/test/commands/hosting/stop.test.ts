/** Tests `plugboard stop` and `plugboard restart`, and the state that a killed host leaves behind. */
import { cp, mkdir, readdir, readFile, symlink, writeFile } from "node:fs/promises";
import { existsSync } from "node:fs";
import { dirname, join } from "node:path";
import { isAlive, waitUntilDead } from "@plugboard/testkit/process-alive";
import { scriptedLegacy } from "@plugboard/testkit/start-server";
import { describe, expect, it, onTestFinished, vi } from "vitest";
import {
  hostInfo,
  initialize,
  isReachable,
  message,
  oneServer,
  serve,
  serverPid,
  startStdioClient,
  stopAfterTest,
} from "../../helpers/hosting.ts";
import { parseOutput } from "../../helpers/json-schema.ts";
import { command, runInShell, runPiped, runPipedProcess, setUp, startCommand } from "../../helpers/run-plugboard.ts";
import type { Setup } from "../../helpers/run-plugboard.ts";

const callEcho = (id: number, text: string) => message(id, "tools/call", { name: "tested__echo", arguments: { text } });
const hold = (id: number) => message(id, "tools/call", { name: "tested__hold", arguments: {} });

describe("plugboard stop", () => {
  it("stops the host and its servers, and disconnects two clients", async () => {
    const setup = await setUp(oneServer());
    const [first, second] = [await startStdioClient(setup), await startStdioClient(setup)];
    first.child.stdin.write(callEcho(2, "hi"));
    await first.stdout.waitFor('"text":"hi"', 20_000);
    const [{ pid }, server] = [await hostInfo(setup), await serverPid(setup)];
    expect((await runPiped(setup, "activity")).stdout).toMatch(/ x +tested:echo +ok /);
    const { status, stdout } = await runPiped(setup, "stop");
    expect({ status, stdout }).toEqual({
      status: 0,
      stdout: `Stopped the host (process ${pid}). Disconnected: 2 stdio clients (x, x).\n`,
    });
    expect([isAlive(pid), isAlive(server!)]).toEqual([false, false]);
    for (const client of [first, second]) {
      expect(await client.exited).toBe(3);
      expect(client.stderr.text).toContain(
        "HOST_UNREACHABLE: The host can't be reached: it was stopped or restarted; ",
      );
    }
    expect(await hostInfo(setup)).toEqual({ running: false });
  });

  it("stops a serve in a terminal, and says there that another command did it", async () => {
    const setup = await setUp(oneServer());
    const { stdout, exited } = await serve(setup);
    expect(await parseOutput("stop", (await runPiped(setup, "stop", "--json")).stdout)).toMatchObject({
      stopped: true,
    });
    expect(await exited).toBe(0);
    expect(stdout.text).toContain("The host was stopped by another command.");
  });

  it("does nothing if no host is running", async () => {
    const setup = await setUp();
    expect(await runPiped(setup, "stop")).toEqual({ status: 0, stdout: "No host is running.\n", stderr: "" });
    expect(await parseOutput("stop", (await runPiped(setup, "stop", "--json")).stdout)).toEqual({ stopped: false });
  });

  it("lets pending calls finish and answers the rest with an error", { meta: { covers: ["F46"] } }, async () => {
    const setup = await setUp(oneServer());
    const [done, stuck] = [await startStdioClient(setup), await startStdioClient(setup)];
    done.child.stdin.write(callEcho(2, "finished"));
    stuck.child.stdin.write(hold(2));
    await done.stdout.waitFor("finished", 20_000);
    expect(await runPiped(setup, "stop")).toMatchObject({ status: 0 });
    expect(await stuck.exited).toBe(3);
    const answers = stuck.stdout.text.trimEnd().split("\n");
    expect(JSON.parse(answers.at(-1)!)).toMatchObject({ id: 2 });
    expect(answers.at(-1)).toContain("HOST_CLOSED");
  });

  it("kills a host that does not answer, with --force", { meta: { covers: ["F49"] } }, async () => {
    const setup = await setUp(oneServer());
    const { child } = await serve(setup);
    const server = await serverPid(setup);
    child.kill("SIGSTOP");
    onTestFinished(() => void child.kill("SIGCONT"));
    const refused = await runPipedProcess(setup, "stop");
    expect(refused.status).toBe(3);
    expect(refused.stderr).toMatch(/^HOST_NOT_RESPONDING: .*`plugboard stop --force`/);
    expect(await runPipedProcess(setup, "stop", "--force")).toMatchObject({ status: 0 });
    await waitUntilDead(child.pid!, 5000);
    await waitUntilDead(server!, 5000);
  });
});

describe("plugboard restart", () => {
  it(
    "waits for other restarts that run at the same time, and a later stop stops the last host",
    { timeout: 60_000 },
    async () => {
      const setup = await setUp(oneServer());
      await startStdioClient(setup);
      const outputs = await Promise.all([1, 2].map(() => runPipedProcess(setup, "restart", "--json")));
      const restarted = outputs.map(({ stdout }) => JSON.parse(stdout) as object);
      expect(restarted).toMatchObject([{ restarted: true }, { restarted: true }]);
      expect(await runPiped(setup, "stop", "--json")).toMatchObject({ status: 0 });
      expect(await hostInfo(setup)).toEqual({ running: false });
    },
  );

  it("continues with the same port and folder in the background", async () => {
    const setup = await setUp(oneServer());
    stopAfterTest(setup);
    const before = await serve(setup);
    await startStdioClient(setup);
    const { status, stdout } = await runPipedProcess(setup, "restart");
    expect(status).toBe(0);
    expect(await before.exited).toBe(0);
    const { pid } = await hostInfo(setup);
    expect(pid).not.toBe(before.child.pid);
    expect(stdout).toContain(`Restarted the host at ${before.endpoint} (process ${pid}).`);
    expect(stdout).toContain("now runs in the background. Disconnected: 1 stdio client (x).\n");
    expect(await isReachable(before.endpoint)).toBe(true);
    const again = await runPipedProcess(setup, "restart", "--json");
    expect(await parseOutput("restart", again.stdout)).toMatchObject({ restarted: true, stopped: pid });
  });

  it("does nothing if no host is running", async () => {
    const { status, stdout } = await runPiped(await setUp(), "restart");
    expect({ status, stdout }).toEqual({
      status: 0,
      stdout: "No host is running, so none was restarted. Start one with `plugboard serve --detach`.\n",
    });
  });
});

describe("a host that is killed during calls", { meta: { covers: ["F40"] } }, () => {
  it("fails its clients, leaves no server behind, and the next command starts a new host", async () => {
    const setup = await setUp(oneServer());
    const client = await startStdioClient(setup);
    client.child.stdin.write(hold(2));
    const [{ pid }, server] = [await hostInfo(setup), await vi.waitFor(async () => (await serverPid(setup))!)];
    const socket = join(setup.env["XDG_STATE_HOME"]!, "plugboard", "host.sock");
    process.kill(pid, "SIGKILL");
    expect(await client.exited).toBe(3);
    expect(client.stderr.text).toContain("HOST_UNREACHABLE");
    await waitUntilDead(server, 5000);
    expect(existsSync(socket)).toBe(true);
    const next = startCommand(setup, "stdio");
    next.child.stdin.write(initialize + callEcho(2, "again"));
    await next.stdout.waitFor('"text":"again"', 20_000);
    const { pid: nextPid } = await hostInfo(setup);
    expect(nextPid).not.toBe(pid);
    expect(await readFile(join(dirname(socket), "host.pid"), "utf8")).toBe(`${nextPid}\n`);
  });
});

describe("a host that was started before an upgrade", () => {
  /** Installs a copy of the command whose build differs, and returns its script. */
  async function installOtherBuild(folder: string, version?: string): Promise<string> {
    const source = dirname(dirname(command));
    const target = join(folder, "upgraded");
    await mkdir(join(target, "dist"), { recursive: true });
    await cp(join(source, "bin"), join(target, "bin"), { recursive: true });
    await cp(join(source, "dist", "bundle"), join(target, "dist", "bundle"), { recursive: true });
    await cp(join(source, "package.json"), join(target, "package.json"));
    await symlink(join(source, "..", "..", "node_modules"), join(target, "node_modules"));
    // The id is derived from the real one, because it names the folder of the stored compiled code.
    const buildId = await readFile(join(source, "dist", "bundle", "build-id"), "utf8");
    await writeFile(join(target, "dist", "bundle", "build-id"), `${buildId.trim()}-${version ?? "other"}\n`);
    if (version !== undefined) await replaceVersion(join(target, "dist", "bundle"), version);
    return join(target, "bin", "plugboard.js");
  }

  async function replaceVersion(bundle: string, version: string): Promise<void> {
    for (const name of (await readdir(bundle)).filter((file) => file.endsWith(".js"))) {
      const text = await readFile(join(bundle, name), "utf8");
      if (text.includes("`0.1.0`")) await writeFile(join(bundle, name), text.replaceAll("`0.1.0`", `\`${version}\``));
    }
  }

  function run(script: string, setup: Setup, ...args: string[]) {
    return runInShell(setup, [process.execPath, script, ...args].map((word) => `'${word}'`).join(" "));
  }

  it("is noted by every command, and replaced by restart", async () => {
    const setup = await setUp(oneServer());
    stopAfterTest(setup);
    await runPipedProcess(setup, "serve", "--detach", "--port", "0");
    const script = await installOtherBuild(setup.cwd);
    const note = /started before the last upgrade.*`plugboard restart`/;
    const called = await run(script, setup, "call", "tested:echo", "text=hi");
    expect(called).toMatchObject({ status: 0, stdout: "hi\n", stderr: expect.stringMatching(note) as string });
    expect((await run(script, setup, "status", "--host")).stdout).toContain("Run `plugboard restart`");
    expect(await run(script, setup, "restart")).toMatchObject({ status: 0 });
    expect((await run(script, setup, "call", "tested:echo", "text=hi")).stderr).toBe("");
  });

  it("of another version is rejected by other commands, and replaced by restart", async () => {
    const setup = await setUp({ mcp: { servers: { tested: scriptedLegacy() } } });
    stopAfterTest(setup);
    await runPipedProcess(setup, "serve", "--detach", "--port", "0");
    const script = await installOtherBuild(setup.cwd, "0.2.0");
    const rejected = await run(script, setup, "status");
    expect(rejected.status).toBe(3);
    expect(rejected.stderr).toMatch(/^VERSION_SKEW: .*0\.1\.0.*0\.2\.0.*`plugboard restart`/);
    expect(await run(script, setup, "restart")).toMatchObject({ status: 0 });
    expect(await run(script, setup, "status")).toMatchObject({ status: 0 });
    expect(await run(script, setup, "stop")).toMatchObject({ status: 0 });
  });
});
