/** Tests the life of the running host: one per user, its socket, its port, and how it ends. */
import { once } from "node:events";
import { chmod, mkdir, readdir, readFile, rename, stat, writeFile } from "node:fs/promises";
import { connect, createServer } from "node:net";
import type { AddressInfo } from "node:net";
import { dirname, join } from "node:path";
import { startDaemon } from "@plugboard/daemon";
import { socketPath } from "@plugboard/store";
import { describe, expect, it, onTestFinished } from "vitest";
import { testEnv } from "./helpers/running-host.ts";

/** Returns how many files and folders this process watches, as the kernel counts them. */
async function countWatches(): Promise<number> {
  const folder = "/proc/self/fdinfo";
  // A file descriptor, such as that of this folder, may have been closed meanwhile.
  const infos = (await readdir(folder)).map((name) => readFile(join(folder, name), "utf8").catch(() => ""));
  return (await Promise.all(infos)).join("").match(/^inotify wd:/gm)?.length ?? 0;
}

describe("startDaemon", () => {
  it("rejects a second host, and replaces the socket of a dead host", async () => {
    const { env, remove } = await testEnv();
    onTestFinished(remove);
    await writeFile(env.PLUGBOARD_CONFIG_PATH, "{}");
    const first = await startDaemon({ env, spec: { cwd: env.HOME } });
    await expect(startDaemon({ env, spec: { cwd: env.HOME } })).rejects.toMatchObject({ code: "HOST_RUNNING" });
    expect((await stat(socketPath(env))).mode & 0o777).toBe(0o600);
    await first.stop();
    await writeFile(socketPath(env), "left behind");
    await chmod(socketPath(env), 0o600);
    const second = await startDaemon({ env, spec: { cwd: env.HOME } });
    await second.stop();
  });

  it.runIf(process.platform === "linux")("watches no file after it has stopped", async () => {
    const { env, remove } = await testEnv();
    onTestFinished(remove);
    await writeFile(env.PLUGBOARD_CONFIG_PATH, "{}");
    const before = await countWatches();
    const daemon = await startDaemon({ env, spec: { cwd: env.HOME } });
    expect(await countWatches()).toBeGreaterThan(before);
    await daemon.stop();
    expect(await countWatches()).toBe(before);
  });

  it("leaves neither a socket nor a pid file behind if its port is taken", async () => {
    const { env, remove } = await testEnv();
    onTestFinished(remove);
    await writeFile(env.PLUGBOARD_CONFIG_PATH, "{}");
    const taken = createServer().listen(0, "127.0.0.1");
    await once(taken, "listening");
    onTestFinished(() => void taken.close());
    const { port } = taken.address() as AddressInfo;
    await expect(startDaemon({ env, spec: { cwd: env.HOME }, port })).rejects.toMatchObject({ code: "PORT_TAKEN" });
    for (const file of [socketPath(env), join(dirname(socketPath(env)), "host.pid")])
      await expect(stat(file)).rejects.toMatchObject({ code: "ENOENT" });
  });

  it("starts only one host if ten start at once, even if a dead host left its socket", async () => {
    for (const hasDeadSocket of [false, true]) {
      const { env, remove } = await testEnv();
      onTestFinished(remove);
      await writeFile(env.PLUGBOARD_CONFIG_PATH, "{}");
      if (hasDeadSocket) {
        const dead = await startDaemon({ env, spec: { cwd: env.HOME } });
        await rename(socketPath(env), `${socketPath(env)}.kept`);
        await dead.stop();
        await rename(`${socketPath(env)}.kept`, socketPath(env));
      }
      const started = await Promise.allSettled(
        Array.from({ length: 10 }, () => startDaemon({ env, spec: { cwd: env.HOME } })),
      );
      const running = started.flatMap((result) => (result.status === "fulfilled" ? [result.value] : []));
      const rejections = started.flatMap((result) =>
        result.status === "rejected" ? [(result.reason as { code: string }).code] : [],
      );
      expect(running).toHaveLength(1);
      expect(rejections).toEqual(Array.from({ length: 9 }, () => "HOST_RUNNING"));
      await running[0]!.stop();
      await expect(stat(socketPath(env))).rejects.toMatchObject({ code: "ENOENT" });
    }
  });

  it("stops even if a rejected client keeps its connection open", async () => {
    const { env, remove } = await testEnv();
    onTestFinished(remove);
    await writeFile(env.PLUGBOARD_CONFIG_PATH, "{}");
    const daemon = await startDaemon({ env, spec: { cwd: env.HOME } });
    const client = connect({ path: socketPath(env), allowHalfOpen: true });
    client.write("GET /nowhere HTTP/1.1\r\nHost: x\r\nConnection: Upgrade\r\nUpgrade: plugboard-stdio\r\n\r\n");
    expect(String((await once(client, "data"))[0])).toContain("404");
    await daemon.stop();
    client.destroy();
  });

  it("makes the state folder private, and rejects a token file that other users may change", async () => {
    const { env, remove } = await testEnv();
    onTestFinished(remove);
    await writeFile(env.PLUGBOARD_CONFIG_PATH, "{}");
    const folder = dirname(socketPath(env));
    await mkdir(folder, { recursive: true });
    await chmod(folder, 0o777);
    await writeFile(join(folder, "token"), "weak");
    await chmod(join(folder, "token"), 0o666);
    await expect(startDaemon({ env, spec: { cwd: env.HOME } })).rejects.toMatchObject({ code: "CONFIG_INVALID" });
    expect((await stat(folder)).mode & 0o777).toBe(0o700);
  });

  it("stops the host when its socket file is moved away", async () => {
    const { env, remove } = await testEnv();
    onTestFinished(remove);
    await writeFile(env.PLUGBOARD_CONFIG_PATH, "{}");
    const daemon = await startDaemon({ env, spec: { cwd: env.HOME } });
    await rename(socketPath(env), `${socketPath(env)}.gone`);
    await daemon.ended;
  });

  it("throws PORT_TAKEN if the port is in use", async () => {
    const taken = createServer().listen(0, "127.0.0.1");
    await once(taken, "listening");
    const { port } = taken.address() as AddressInfo;
    const { env, remove } = await testEnv();
    onTestFinished(async () => {
      taken.close();
      await remove();
    });
    await writeFile(env.PLUGBOARD_CONFIG_PATH, "{}");
    await expect(startDaemon({ env, port, spec: { cwd: env.HOME } })).rejects.toMatchObject({
      code: "PORT_TAKEN",
      details: { port },
    });
  });

  it("stops the host after the idle time without clients", async () => {
    const { env, remove } = await testEnv();
    onTestFinished(remove);
    await writeFile(env.PLUGBOARD_CONFIG_PATH, "{}");
    const daemon = await startDaemon({ env, spec: { cwd: env.HOME }, exitWhenIdleMs: 50 });
    await daemon.ended;
  });
});
