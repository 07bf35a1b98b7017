/** Tests that all commands share one host: `serve` attaches to it, opens its port and closes it again. */
import { once } from "node:events";
import { mkdir } from "node:fs/promises";
import { createServer } from "node:net";
import type { AddressInfo } from "node:net";
import { join } from "node:path";
import { isAlive } from "@plugboard/testkit/process-alive";
import { describe, expect, it, onTestFinished, vi } from "vitest";
import {
  endpointIn,
  hostInfo,
  initialize,
  initializeOverHttp,
  isReachable,
  message,
  oneServer,
  serve,
  serverPid,
  startStdioClient,
  stopAfterTest,
} from "../../helpers/hosting.ts";
import { parseOutput } from "../../helpers/json-schema.ts";
import { runInTerminal, runPiped, runPipedProcess, setUp, startCommand } from "../../helpers/run-plugboard.ts";

describe("plugboard stdio while the host does not answer", () => {
  it("waits longer than other commands, and connects when the host answers", async () => {
    const setup = await setUp(oneServer());
    const { child } = await serve(setup);
    child.kill("SIGSTOP");
    onTestFinished(() => void child.kill("SIGCONT"));
    const client = startCommand(setup, "stdio");
    client.child.stdin.write(initialize);
    expect((await runPipedProcess(setup, "status", "--host")).stderr).toMatch(/^HOST_NOT_RESPONDING: /);
    child.kill("SIGCONT");
    await client.stdout.waitFor('"serverInfo"', 20_000);
  });
});

describe("plugboard serve while a host is running", () => {
  it("opens the port of the host that stdio has started, and both clients use the same server", async () => {
    const setup = await setUp(oneServer());
    const client = await startStdioClient(setup);
    const { pid } = await hostInfo(setup);
    const { stdout, endpoint } = await serve(setup);
    expect(stdout.text).toContain(`A host was already running (process ${pid}). Its port is closed when you stop`);
    expect(await initializeOverHttp(setup, endpoint)).toMatchObject({ result: { serverInfo: { name: "plugboard" } } });
    expect(await hostInfo(setup)).toMatchObject({ pid, endpoint, clients: { stdio: 1, http: 1 } });
    const server = await serverPid(setup);
    client.child.stdin.write(message(2, "tools/call", { name: "tested__echo", arguments: { text: "through stdio" } }));
    await client.stdout.waitFor("through stdio", 20_000);
    await stdout.waitFor("tested:echo done", 20_000);
    expect(await serverPid(setup)).toBe(server);
  });

  it("closes the port on Ctrl-C, says what keeps running, and leaves the host to its other clients", async () => {
    const setup = await setUp(oneServer());
    const client = await startStdioClient(setup);
    const { pid } = await hostInfo(setup);
    const { child, stdout, exited, endpoint } = await serve(setup);
    child.kill("SIGINT");
    expect(await exited).toBe(0);
    expect(stdout.text).toContain(`${endpoint} is closed. The host (process ${pid}) keeps running`);
    expect(await isReachable(endpoint)).toBe(false);
    client.child.stdin.write(message(2, "ping", {}));
    await client.stdout.waitFor('"id":2', 20_000);
  });

  it("leaves no open port behind when it is killed", async () => {
    const setup = await setUp(oneServer());
    await startStdioClient(setup);
    const { child, endpoint } = await serve(setup);
    child.kill("SIGKILL");
    await vi.waitFor(async () => expect(await isReachable(endpoint)).toBe(false), 10_000);
    expect(await hostInfo(setup)).not.toHaveProperty("endpoint");
  });

  it("attaches to a host that serves the same folder", async () => {
    const setup = await setUp(oneServer());
    const first = await serve(setup);
    const second = startCommand(setup, "serve");
    await second.stdout.waitFor("tested: ready", 20_000);
    expect(endpointIn(second.stdout.text)).toBe(first.endpoint);
    second.child.kill("SIGINT");
    expect(await second.exited).toBe(0);
    expect(second.stdout.text).toContain(`${first.endpoint} stays open.`);
  });

  it("fails if the host serves another folder", async () => {
    const setup = await setUp(oneServer());
    const { endpoint } = await serve(setup);
    const folder = join(setup.cwd, "folder");
    await mkdir(folder);
    const { status, stderr } = await runPipedProcess({ ...setup, cwd: folder }, "serve");
    expect(status).toBe(3);
    expect(stderr).toContain(`HOST_SERVING: The running host already serves the folder ${setup.cwd} at ${endpoint}.`);
  });

  it("ends with a note when the host is stopped, and fails when the host is lost", async () => {
    const setup = await setUp(oneServer());
    await startStdioClient(setup);
    const stopped = await serve(setup);
    await runPiped(setup, "stop");
    expect(await stopped.exited).toBe(0);
    expect(stopped.stdout.text).toContain("The host was stopped by another command.");
    const client = startCommand(setup, "stdio");
    client.child.stdin.write(message(1, "ping", {}));
    await client.stdout.waitFor('"id":1', 20_000);
    const lost = await serve(setup);
    process.kill((await hostInfo(setup)).pid, "SIGKILL");
    expect(await lost.exited).toBe(3);
    expect(lost.stderr.text).toContain("HOST_UNREACHABLE");
  });
});

describe("plugboard serve on a terminal", () => {
  it("asks the permission question about a call of a client that can't show it", async () => {
    const config = oneServer();
    const setup = await setUp({ mcp: { ...config.mcp, permissions: { ask: ["tested:echo"] } } });
    const terminal = runInTerminal(setup, "serve", "--port", "0");
    await terminal.waitFor("tested: ready", 20_000);
    const client = startCommand(setup, "stdio");
    client.child.stdin.write(message(1, "initialize", INITIALIZE));
    await client.stdout.waitFor('"serverInfo"', 20_000);
    client.child.stdin.write(message(2, "tools/call", { name: "tested__echo", arguments: { text: "approved" } }));
    await terminal.waitFor("Allow tested:echo?", 20_000);
    terminal.type("y\r");
    await client.stdout.waitFor("approved", 20_000);
    await terminal.waitFor("tested:echo done", 20_000);
    terminal.type("\x03");
    expect(await terminal.exited).toMatchObject({ exitCode: 0 });
  });
});

const INITIALIZE = { protocolVersion: "2025-11-25", capabilities: {}, clientInfo: { name: "x", version: "1" } };

describe("plugboard serve --detach", () => {
  it("prints address and process, and returns when the host answers", async () => {
    const setup = await setUp(oneServer());
    stopAfterTest(setup);
    const { status, stdout } = await runPipedProcess(setup, "serve", "--detach", "--port", "0");
    expect(status).toBe(0);
    const endpoint = endpointIn(stdout);
    const { pid } = await hostInfo(setup);
    expect(stdout).toContain(`Plugboard is running in the background at ${endpoint} (process ${pid}).`);
    expect(isAlive(pid)).toBe(true);
    expect(await initializeOverHttp(setup, endpoint)).toMatchObject({ result: { serverInfo: { name: "plugboard" } } });
    await vi.waitFor(async () => expect(await serverPid(setup)).toBeDefined(), 10_000);
  });

  it("says that a host in a terminal ends with its command", async () => {
    const setup = await setUp(oneServer());
    await serve(setup);
    const { status, stdout } = await runPipedProcess(setup, "serve", "--detach");
    expect(status).toBe(0);
    expect(stdout).toContain("Plugboard is running in the terminal of a `plugboard serve`");
    expect(stdout).not.toContain("running in the background");
  });

  it("leaves no host behind if the port is taken", async () => {
    const setup = await setUp(oneServer());
    const other = createServer().listen(0, "127.0.0.1");
    onTestFinished(() => void other.close());
    await once(other, "listening");
    const { port } = other.address() as AddressInfo;
    const { status, stderr } = await runPipedProcess(setup, "serve", "--detach", "--port", String(port));
    expect(status).toBe(3);
    expect(stderr).toContain("PORT_TAKEN");
    await vi.waitFor(async () => expect(await hostInfo(setup)).toEqual({ running: false }), 10_000);
  });

  it("keeps the port of a running host open without a command, and prints JSON with --json", async () => {
    const setup = await setUp(oneServer());
    const client = await startStdioClient(setup);
    const { pid } = await hostInfo(setup);
    const detached = await runPipedProcess(setup, "serve", "--detach", "--port", "0", "--json");
    const serving = (await parseOutput("serve", detached.stdout)) as { endpoint: string };
    expect(serving).toMatchObject({ type: "host.serving", pid, attached: true });
    const { child, stdout, exited } = await serve(setup);
    expect(stdout.text).toContain("Its port stays open when you stop this command.");
    child.kill("SIGINT");
    expect(await exited).toBe(0);
    client.child.stdin.end();
    await client.exited;
    expect(await isReachable(serving.endpoint)).toBe(true);
  });
});

describe("plugboard status", () => {
  it("shows process, address and clients of the running host", async () => {
    const setup = await setUp(oneServer());
    expect((await runPiped(setup, "status", "--host")).stdout).toContain("No host is running.");
    await startStdioClient(setup);
    const { endpoint } = await serve(setup);
    const { pid } = await hostInfo(setup);
    const line = `in the background, ${endpoint} for ${setup.cwd}, 1 stdio client (x), 1 other client\n`;
    const { stdout } = await runPiped(setup, "status");
    expect(stdout.startsWith(`Host: process ${pid}, running for `)).toBe(true);
    expect(stdout).toContain(line);
    const { stdout: json } = await runPiped(setup, "status", "--host", "--json");
    expect(await parseOutput("status", json)).toMatchObject({ running: true, pid, endpoint, outdated: false });
  });
});
