/** Tests the running host: `serve`, `token`, `stdio`, and commands that connect to it. */
import { once } from "node:events";
import { chmod, mkdir } from "node:fs/promises";
import { connect, createServer } from "node:net";
import { readFile } from "node:fs/promises";
import { join } from "node:path";
import { isAlive } from "@plugboard/testkit/process-alive";
import { scriptedLegacy } from "@plugboard/testkit/start-server";
import { describe, expect, it, onTestFinished, vi } from "vitest";
import {
  hostInfo,
  initialize,
  initializeOverHttp,
  message,
  oneServer,
  serve,
  serverPid,
  stopAfterTest,
} from "../../helpers/hosting.ts";
import { runInTerminal, runPiped, setUp, startCommand } from "../../helpers/run-plugboard.ts";
import type { Setup } from "../../helpers/run-plugboard.ts";

/** Makes another state folder whose socket forwards to the running host, and records the data that a command sends. */
async function recordRequests(setup: Setup) {
  const state = join(setup.cwd, "state-of-the-client");
  await mkdir(join(state, "plugboard"), { recursive: true, mode: 0o700 });
  let sent = "";
  const proxy = createServer((client) => {
    const host = connect(join(setup.env["XDG_STATE_HOME"]!, "plugboard", "host.sock"));
    client.on("data", (piece: Buffer) => (sent += piece.toString()));
    for (const socket of [client, host]) socket.on("error", () => {});
    client.pipe(host).pipe(client);
  });
  onTestFinished(() => void proxy.close());
  await once(proxy.listen(join(state, "plugboard", "host.sock")), "listening");
  await chmod(join(state, "plugboard", "host.sock"), 0o600);
  return { setup: { ...setup, env: { ...setup.env, XDG_STATE_HOME: state } }, sent: () => sent };
}

describe("plugboard serve", () => {
  it("prints its URL and the servers, and answers at that URL", { meta: { covers: ["R3.49"] } }, async () => {
    const setup = await setUp(oneServer());
    const { endpoint, stdout } = await serve(setup);
    expect(stdout.text).toMatch(/^\d\d:\d\d:\d\d {2}tested: ready, \d+ tools$/m);
    expect(stdout.text).toContain(`${endpoint}/mcp`);
    expect((await fetch(`${endpoint}/healthz`)).status).toBe(200);
    expect(await initializeOverHttp(setup, endpoint)).toMatchObject({ result: { serverInfo: { name: "plugboard" } } });
  });

  it("stops its servers when it is stopped", { meta: { covers: ["R3.51", "R3.55"] } }, async () => {
    const { command, args } = scriptedLegacy();
    const start = `echo $$ >"$HOME/pid"; exec "$@"`;
    const server = { command: "sh", args: ["-c", start, "sh", command, ...args], env: { HOME: "${HOME}" } };
    const setup = await setUp({ mcp: { servers: { server } } });
    const { child, exited, stdout } = await serve(setup);
    const pid = Number(await readFile(join(setup.cwd, "pid"), "utf8"));
    expect(isAlive(pid)).toBe(true);
    child.kill("SIGINT");
    expect(await exited).toBe(0);
    expect(stdout.text).toMatch(/The host has stopped\.\n$/);
    expect(isAlive(pid)).toBe(false);
  });

  it(
    "gives its servers time to stop when SIGINT and SIGTERM arrive together",
    { meta: { covers: ["F44"] } },
    async () => {
      const { command, args } = scriptedLegacy();
      const flush = `"$@"; sleep 0.3; echo flushed >"$HOME/log"`;
      const server = { command: "sh", args: ["-c", flush, "sh", command, ...args], env: { HOME: "${HOME}" } };
      const setup = await setUp({ mcp: { servers: { server } } });
      const { child, exited } = await serve(setup);
      child.kill("SIGINT");
      child.kill("SIGTERM");
      expect(await exited).toBe(0);
      expect(await readFile(join(setup.cwd, "log"), "utf8")).toBe("flushed\n");
    },
  );

  it("rejects an invalid port", async () => {
    expect(await runPiped(await setUp(), "serve", "--port", "http")).toMatchObject({ status: 2 });
  });
});

describe("a command while a host is running", () => {
  it("uses the servers of the running host", { meta: { covers: ["R0.46", "R2.99"] } }, async () => {
    const setup = await setUp(oneServer());
    await serve(setup);
    const pid = await serverPid(setup);
    expect(await runPiped(setup, "call", "tested:echo", "text=hi")).toEqual({ status: 0, stdout: "hi\n", stderr: "" });
    expect(await serverPid(setup)).toBe(pid);
  });

  it("sends only the environment variables that definitions refer to", { meta: { covers: ["A2"] } }, async () => {
    const entry = { ...scriptedLegacy(), env: { KEY: "${MENTIONED}" } };
    const setup = await setUp({ mcp: { servers: { tested: entry } } });
    await serve({ ...setup, env: { ...setup.env, MENTIONED: "of-the-host" } });
    const proxied = await recordRequests(setup);
    const env = { ...proxied.setup.env, MENTIONED: "canary-mentioned", UNMENTIONED: "canary-unmentioned" };
    expect(await runPiped({ ...setup, env }, "status")).toMatchObject({ status: 0 });
    expect(proxied.sent()).toContain("canary-mentioned");
    expect(proxied.sent()).not.toContain("canary-unmentioned");
    expect(proxied.sent()).not.toContain("UNMENTIONED");
  });

  it("uses a separate host with --private", async () => {
    const setup = await setUp(oneServer());
    await serve(setup);
    const { stdout } = await runPiped(setup, "status", "--json", "--private");
    expect(JSON.parse(stdout)).toMatchObject([{ state: "idle" }]);
  });

  it("asks the questions of its calls on its own terminal", async () => {
    const setup = await setUp(oneServer());
    await serve(setup);
    const terminal = runInTerminal(setup, "call", "tested:ask");
    await terminal.waitFor(" asks for name: ");
    terminal.type("Ann\r");
    await terminal.waitFor('"name":"Ann"');
    expect(await terminal.exited).toMatchObject({ exitCode: 0 });
  });

  it("cancels its call on Ctrl-C, and the host continues", async () => {
    const setup = await setUp(oneServer());
    await serve(setup);
    const terminal = runInTerminal(setup, "call", "tested:ask");
    await terminal.waitFor(" asks for name: ");
    terminal.type("\x03");
    expect(await terminal.exited).toMatchObject({ exitCode: 130 });
    expect(await runPiped(setup, "call", "tested:echo", "text=on")).toMatchObject({ status: 0, stdout: "on\n" });
  });
});

describe("plugboard stdio", () => {
  it("says on a terminal what it is for", async () => {
    const setup = await setUp(oneServer());
    stopAfterTest(setup);
    const terminal = runInTerminal(setup, "stdio");
    await terminal.waitFor("`plugboard stdio` is for MCP clients");
    terminal.kill();
    await terminal.exited;
  });

  it("starts a host if none is running, shares it with the next client, and ends when its stdin ends", async () => {
    const setup = await setUp(oneServer());
    stopAfterTest(setup);
    const clients = [startCommand(setup, "stdio"), startCommand(setup, "stdio")];
    for (const { child, stdout } of clients) {
      child.stdin.write(initialize);
      await stdout.waitFor('"serverInfo"', 15_000);
      child.stdin.write(message(2, "tools/call", { name: "tested__echo", arguments: { text: "hi" } }));
      await stdout.waitFor('"text":"hi"', 15_000);
    }
    const pid = await serverPid(setup);
    expect(isAlive(pid!)).toBe(true);
    for (const { child, exited } of clients) {
      child.stdin.end();
      expect(await exited).toBe(0);
    }
    // The host waits for the next client, and keeps the server for a while.
    await vi.waitFor(async () => expect(await hostInfo(setup)).toMatchObject({ clients: { stdio: 0, other: 0 } }));
    expect(isAlive(pid!)).toBe(true);
    expect(await runPiped(setup, "stop")).toMatchObject({ status: 0 });
    expect(isAlive(pid!)).toBe(false);
  });
});
