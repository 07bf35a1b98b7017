/** Tests the parts that look at the real system: files, sockets, ports and programs. */
import { once } from "node:events";
import { chmod, mkdir, mkdtemp, rm, symlink, utimes, writeFile } from "node:fs/promises";
import { createServer } from "node:http";
import { createServer as createSocketServer } from "node:net";
import type { AddressInfo, Server } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { inspectProgram } from "#doctor/facts/inspect-program.js";
import { inspectStateFolder } from "#doctor/facts/inspect-state-folder.js";
import { NodeVersions } from "#doctor/facts/node-versions.js";
import { probeHost } from "#doctor/facts/probe-host.js";
import { probePort } from "#doctor/facts/probe-port.js";
import { describe, expect, it, onTestFinished } from "vitest";
import { setUp, startCommand } from "../../helpers/run-plugboard.ts";

async function makeFolder(): Promise<string> {
  const folder = await mkdtemp(join(tmpdir(), "plugboard-doctor-"));
  onTestFinished(async () => {
    await chmod(folder, 0o700);
    await rm(folder, { recursive: true });
  });
  return folder;
}

async function writeProgram(folder: string, name: string, script: string): Promise<void> {
  await mkdir(folder, { recursive: true });
  await writeFile(join(folder, name), `#!/bin/sh\n${script}\n`, { mode: 0o755 });
}

describe("inspectProgram", () => {
  it("finds a program on PATH with a similar name, or says that a folder is missing", async () => {
    const folder = await makeFolder();
    await writeProgram(folder, "weather", "exit");
    const program = { command: "wether", args: [], cwd: folder, path: folder };
    const found = await inspectProgram(program, {}, new NodeVersions());
    expect(found).toMatchObject({ similar: "weather", problem: expect.stringContaining('"wether" was not found') });
    const elsewhere = await inspectProgram({ ...program, cwd: join(folder, "gone") }, {}, new NodeVersions());
    expect(elsewhere.problem).toContain("does not exist; create it or correct its `cwd`");
  });

  it("asks the node on the server's PATH for its version, and reads the engines of a package that npx has", async () => {
    const folder = await makeFolder();
    await writeProgram(folder, "node", "echo v18.2.1");
    await writeProgram(folder, "npx", "exit 1");
    const installed = join(folder, "cache", "_npx", "0123", "node_modules", "@x", "server");
    await mkdir(installed, { recursive: true });
    await writeFile(join(installed, "package.json"), JSON.stringify({ version: "1.0.0", engines: { node: ">=20" } }));
    const env = { npm_config_cache: join(folder, "cache") };
    const inspect = (spec: string) =>
      inspectProgram(
        { command: "npx", args: ["-y", spec], cwd: folder, path: `${folder}:/usr/bin:/bin` },
        env,
        new NodeVersions(),
      );
    const npx = { name: "@x/server", installed: true };
    expect(await inspect("@x/server")).toEqual({ npx, node: "18.2.1", engines: ">=20" });
    expect(await inspect("@x/server@1.0.0")).toMatchObject({ npx });
    expect(await inspect("@x/server@2.0.0")).toEqual({ npx: { ...npx, installed: false }, node: "18.2.1" });
  });

  it("reads the engines of the package that a script belongs to", async () => {
    const folder = await makeFolder();
    await mkdir(join(folder, "dist"));
    await writeFile(join(folder, "package.json"), JSON.stringify({ engines: { node: "^1" } }));
    const program = { command: "node", args: ["--no-warnings", "dist/server.js"], cwd: folder };
    const found = await inspectProgram(program, {}, new NodeVersions());
    expect(found).toEqual({ node: process.versions.node, engines: "^1" });
  });
});

describe("inspectStateFolder", () => {
  const NOW = Date.now();

  async function stateIn() {
    const folder = await makeFolder();
    const state = join(folder, "plugboard");
    return { env: { XDG_STATE_HOME: folder }, folder, state };
  }

  it("accepts a folder that does not exist yet", async () => {
    const { env, state } = await stateIn();
    expect(await inspectStateFolder(env, NOW)).toMatchObject({ path: state, exists: false });
    expect(await inspectStateFolder(env, NOW)).not.toHaveProperty("problem");
  });

  it("finds open permissions and old locks", async () => {
    const { env, state } = await stateIn();
    await mkdir(state);
    await chmod(state, 0o755);
    await writeFile(join(state, "mcp-auth.json"), "{}", { mode: 0o600 });
    await chmod(join(state, "mcp-auth.json"), 0o644);
    for (const name of ["trust.json.lock", "decisions.json.lock"]) await writeFile(join(state, name), "{}");
    await utimes(join(state, "trust.json.lock"), 0, 0);
    expect(await inspectStateFolder(env, NOW)).toEqual({
      path: state,
      exists: true,
      isOpen: true,
      exposedFiles: [join(state, "mcp-auth.json")],
      oldLocks: [join(state, "trust.json.lock")],
    });
  });

  it("finds a link in place of the folder", async () => {
    const { env, state, folder } = await stateIn();
    await symlink(folder, state);
    expect(await inspectStateFolder(env, NOW)).toMatchObject({ problem: "not a folder" });
  });

  it("finds a folder that can't be created, because there is a file above it", async () => {
    const { folder } = await stateIn();
    const file = join(folder, "file");
    await writeFile(file, "");
    expect(await inspectStateFolder({ XDG_STATE_HOME: file }, NOW)).toMatchObject({ problem: "not writable" });
  });
});

describe("probePort", () => {
  async function listen(server: Server): Promise<number> {
    server.listen(0, "127.0.0.1");
    await once(server, "listening");
    onTestFinished(() => void server.close());
    return (server.address() as AddressInfo).port;
  }

  it("recognises a free port, another program and a Plugboard", async () => {
    const closed = createSocketServer();
    const free = await listen(closed);
    closed.close();
    await once(closed, "close");
    expect(await probePort(free)).toEqual({ port: free, state: "free" });
    const other = await listen(createServer((_, response) => response.end("hello")));
    expect(await probePort(other)).toEqual({ port: other, state: "taken" });
    const host = startCommand(await setUp(), "serve", "--port", "0");
    await host.stdout.waitFor(/running at http:\/\/127.0.0.1:\d+/, 15_000);
    const port = Number(/127\.0\.0\.1:(\d+)/.exec(host.stdout.text)![1]);
    expect(await probePort(port)).toEqual({ port, state: "plugboard" });
  });
});

describe("probeHost", () => {
  it("recognises a host of another version", async () => {
    const { env } = await setUp();
    const folder = join(env["XDG_STATE_HOME"]!, "plugboard");
    await mkdir(folder, { recursive: true, mode: 0o700 });
    const skew = { code: "VERSION_SKEW", message: "", details: { host: "0.0.9", client: "1.0.0" } };
    const old = createServer((_, response) => response.writeHead(409).end(JSON.stringify({ error: skew })));
    old.listen(join(folder, "host.sock"));
    await once(old, "listening");
    onTestFinished(() => void old.close());
    expect(await probeHost(env)).toMatchObject({
      state: "unusable",
      error: { code: "VERSION_SKEW", details: skew.details },
    });
  });

  it("recognises that there is no host, a running host, and the socket of a dead host", async () => {
    const setup = await setUp();
    expect(await probeHost(setup.env)).toEqual({ state: "none" });
    const { child, stdout, exited } = startCommand(setup, "serve", "--port", "0");
    await stdout.waitFor("Plugboard is running", 15_000);
    const port = Number(/127\.0\.0\.1:(\d+)/.exec(stdout.text)![1]);
    expect(await probeHost(setup.env)).toEqual({ state: "running", outdated: false, port });
    child.kill("SIGKILL");
    await exited;
    const socket = join(setup.env["XDG_STATE_HOME"]!, "plugboard", "host.sock");
    expect(await probeHost(setup.env)).toEqual({ state: "stale", socket });
  });
});
