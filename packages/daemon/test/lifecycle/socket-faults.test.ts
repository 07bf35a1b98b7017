/** Tests obstacles to the socket: each causes its own error and leaves no files behind. */
import { once } from "node:events";
import { mkdir, readdir, readlink, rm, symlink, writeFile } from "node:fs/promises";
import { connect, createServer } from "node:net";
import { dirname, join } from "node:path";
import { startDaemon } from "@plugboard/daemon";
import { VERSION } from "@plugboard/host";
import { findSocket, socketPath } from "@plugboard/store";
import { connectRemote } from "@plugboard/remote";
import { nodeHttpFetch } from "@plugboard/remote/node";
import { describe, expect, it, onTestFinished } from "vitest";
import { DrainingHttpServer, connectionsFor } from "#http/draining-http-server.js";
import { testEnv } from "../helpers/running-host.ts";

/** Prepares a host. `bytes` sets the length of its socket path. */
async function setUp(bytes?: number) {
  const { env, remove } = await testEnv();
  onTestFinished(remove);
  await writeFile(env.PLUGBOARD_CONFIG_PATH, "{}");
  const padding = bytes === undefined ? 0 : bytes - Buffer.byteLength(socketPath(env));
  const paddedEnv = { ...env, XDG_STATE_HOME: env.XDG_STATE_HOME + "x".repeat(padding) };
  const path = socketPath(paddedEnv);
  const start = () => startDaemon({ env: paddedEnv, spec: { cwd: env.HOME } });
  const leftFiles = async () => (await readdir(dirname(path))).filter((name) => !["token", "activity"].includes(name));
  return { env: paddedEnv, path, start, leftFiles, parent: env.HOME };
}

describe("the socket path", { meta: { covers: ["F48"] } }, () => {
  it("may be as long as the system allows", async () => {
    const { start, path } = await setUp(process.platform === "darwin" ? 103 : 107);
    const daemon = await start();
    await once(connect(path).unref(), "connect");
    await daemon.stop();
  });

  it("is rejected if it is too long, before a file with a truncated name is created", async () => {
    const { start, leftFiles, path, parent } = await setUp(process.platform === "darwin" ? 104 : 108);
    await expect(start()).rejects.toMatchObject({ code: "SOCKET_UNUSABLE", details: { path } });
    expect(await leftFiles()).toEqual([]);
    expect(await readdir(parent)).not.toContain("host");
  });

  it("is rejected if it is a folder, and the folder is not removed", async () => {
    const { start, leftFiles, path } = await setUp();
    await mkdir(join(path, "kept"), { recursive: true });
    const details = { path, reason: "a folder has this path" };
    await expect(start()).rejects.toMatchObject({ code: "SOCKET_UNUSABLE", details });
    expect(await leftFiles()).toEqual(["host.sock"]);
    expect(await readdir(path)).toEqual(["kept"]);
    await rm(path, { recursive: true });
    await (await start()).stop();
  });
});

describe("a symbolic link in place of the socket", { meta: { covers: ["F48"] } }, () => {
  it.each([
    ["a socket that answers", true],
    ["a missing file", false],
  ])("is rejected by the host and by commands, and is not removed, if it leads to %s", async (_, targetExists) => {
    const { env, start, path } = await setUp();
    const target = `${dirname(path)}/other`;
    await mkdir(dirname(path), { recursive: true, mode: 0o700 });
    await symlink(target, path);
    if (targetExists) {
      const server = createServer().listen(target);
      await once(server, "listening");
      onTestFinished(() => void server.close());
    }
    const error = { code: "SOCKET_UNUSABLE", details: { path, reason: "a symbolic link is in its place" } };
    await expect(start()).rejects.toMatchObject(error);
    expect(() => findSocket(env)).toThrow(expect.objectContaining(error));
    expect(await readlink(path)).toBe(target);
  });
});

describe("connections of the running host", { meta: { covers: ["F48"] } }, () => {
  it.each([
    [64, 16],
    [8, 4],
    [1024, 256],
    [1_048_576, 1000],
    [Infinity, 1000],
  ])("are limited by the allowed open files: %d files give %d connections per listener", (openFiles, limit) => {
    expect(connectionsFor(openFiles)).toBe(limit);
  });

  it("are closed above the limit and served within it", async () => {
    const limited = new DrainingHttpServer(async (_, response) => void response.end("ok"));
    limited.server.maxConnections = 1;
    limited.server.listen(0, "127.0.0.1");
    await once(limited.server, "listening");
    const port = (limited.server.address() as { port: number }).port;
    const first = connect(port, "127.0.0.1");
    await once(first, "connect");
    const second = connect(port, "127.0.0.1");
    second.on("error", () => {});
    await once(second, "close");
    first.write("GET / HTTP/1.1\r\nHost: x\r\nConnection: close\r\n\r\n");
    expect(String((await once(first, "data"))[0])).toContain("200 OK");
    limited.stopAccepting();
    await limited.disconnect();
  });

  it("are limited to 1000 on the socket", async () => {
    const { start, path } = await setUp();
    const daemon = await start();
    onTestFinished(() => daemon.stop());
    // Connects one after the other, because the system's backlog is limited.
    for (let count = 0; count < 1000; count++) {
      const open = connect(path);
      onTestFinished(() => void open.destroy());
      await once(open, "connect");
    }
    const beyond = connect(path);
    beyond.on("error", () => {});
    await once(beyond, "close");
  });
});

describe("a host that accepts connections and never responds", { meta: { covers: ["F49"] } }, () => {
  it("causes HOST_NOT_RESPONDING in the client, not CANCELLED", async () => {
    const { path } = await setUp();
    await mkdir(dirname(path), { recursive: true });
    const silentServer = createServer().listen(path);
    await once(silentServer, "listening");
    onTestFinished(() => void silentServer.close());
    const connecting = connectRemote({
      fetch: nodeHttpFetch({ socketPath: path }),
      version: VERSION,
      kind: "cli",
      connectTimeoutMs: 30,
    });
    await expect(connecting).rejects.toMatchObject({ code: "HOST_NOT_RESPONDING", details: { afterMs: 30 } });
  });
});
