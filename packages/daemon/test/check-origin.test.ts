/** Who is let in: on every route, before anything is looked at. */
import { request } from "node:http";
import { chmod, mkdir, rename, stat, writeFile } from "node:fs/promises";
import { connect, createServer } from "node:net";
import { dirname, join } from "node:path";
import { once } from "node:events";
import type { AddressInfo } from "node:net";
import { startDaemon } from "@plugboard/daemon";
import { isPortOpen, otherAddresses } from "@plugboard/testkit/other-addresses";
import { socketPath } from "@plugboard/host/internal";
import { afterAll, beforeAll, describe, expect, it, onTestFinished } from "vitest";
import { startRunningHost, testEnv } from "./helpers/running-host.ts";
import type { RunningHost } from "./helpers/running-host.ts";

let host: RunningHost;
beforeAll(async () => void (host = await startRunningHost({})));
afterAll(() => host.close());

interface Knock {
  readonly path: string;
  readonly method?: string;
  readonly headers?: { readonly [name: string]: string };
}

/** With node:http, since a browser's fetch would not let us lie about Host and Origin. */
function knock({ path, method = "GET", headers = {} }: Knock): Promise<number> {
  const { port } = new URL(host.url);
  return new Promise((resolve, reject) => {
    const knocking = request({ host: "127.0.0.1", port, path, method, headers, agent: false }, (response) => {
      response.resume();
      resolve(response.statusCode!);
    });
    knocking.on("error", reject).end();
  });
}

const routes = [
  "/mcp",
  "/api/channels",
  "/api/channels/x/events",
  "/api/channels/x/workspaces",
  "/",
  "/nowhere",
  "/mcp/p/x",
];
const methods = ["GET", "HEAD", "POST", "DELETE", "OPTIONS", "PUT", "PATCH"];
const guarded = routes.flatMap((path) => methods.map((method) => ({ path, method })));
const bearer = () => ({ authorization: `Bearer ${host.token}` });

it.each([...guarded, { path: "/healthz", method: "GET" }])(
  "$method $path is 403 to strangers, even with the token",
  { meta: { covers: ["S16"] } },
  async (route) => {
    for (const headers of [
      { host: "evil.example" },
      { host: "127.0.0.1:1" },
      { origin: "https://evil.example" },
      { origin: "null" },
      { origin: "http://127.0.0.1.evil.example" },
    ]) {
      expect(await knock({ ...route, headers: { ...bearer(), ...headers } }), JSON.stringify(headers)).toBe(403);
    }
  },
);

it.each(guarded)("$method $path is 401 without a good token", { meta: { covers: ["S16"] } }, async (route) => {
  for (const headers of [
    {},
    { authorization: "Bearer garbage" },
    { authorization: "Basic b3duZXI6eA==" },
    { authorization: "Bearer " },
    { authorization: host.token },
    { authorization: `Bearer ${host.token.slice(0, 20)}` },
    { authorization: `Bearer ${host.token.slice(0, 20).padEnd(host.token.length, "x")}` },
  ]) {
    expect(await knock({ ...route, headers }), JSON.stringify(headers)).toBe(401);
  }
});

it("answers /healthz without a token, and tells nothing by it", async () => {
  const response = await fetch(new URL("/healthz", host.url));
  expect(response.status).toBe(200);
  expect(await response.json()).toEqual({ ok: true });
});

it("lets our own names in", async () => {
  const { port } = new URL(host.url);
  for (const name of [`localhost:${port}`, `127.0.0.1:${port}`, `[::1]:${port}`]) {
    const headers = { ...bearer(), host: name, origin: `http://${name}` };
    expect(await knock({ path: "/nowhere", headers })).toBe(404);
  }
});

it("listens on loopback only", { meta: { covers: ["S16"] } }, async () => {
  const port = Number(new URL(host.url).port);
  expect(await isPortOpen("127.0.0.1", port)).toBe(true);
  const others = otherAddresses();
  expect(others).not.toEqual([]);
  for (const address of others) expect(await isPortOpen(address, port), address).toBe(false);
});

describe("the session of a legacy front", () => {
  it("is 404 under an id that was never given, and 405 without one", { meta: { covers: ["S18"] } }, async () => {
    const headers = { ...bearer(), "mcp-session-id": "made-up" };
    expect(await knock({ path: "/mcp", headers })).toBe(404);
    expect(await knock({ path: "/mcp", method: "DELETE", headers })).toBe(404);
    expect(await knock({ path: "/mcp", headers: bearer() })).toBe(405);
  });
});

describe("over TCP", () => {
  it("nobody brings a command to run", { meta: { covers: ["S17", "R3.74"] } }, async () => {
    const headers = { ...bearer(), "content-type": "application/json", "x-plugboard-version": "0.1.0" };
    const base = new URL("/api/channels", host.url);
    const opened = await fetch(base, { method: "POST", headers, body: JSON.stringify({ kind: "page" }) });
    const reader = opened.body!.getReader();
    const first = new TextDecoder().decode((await reader.read()).value);
    const { channel } = JSON.parse(first.slice("data: ".length)) as { channel: string };
    const spec = { cwd: "/", servers: { x: { command: "sh", args: ["-c", "id"] } } };
    const refused = await fetch(`${base.href}/${channel}/workspaces`, {
      method: "POST",
      headers,
      body: JSON.stringify(spec),
    });
    expect(refused.status).toBe(403);
    await reader.cancel();
  });
});

describe("a request of the control API", () => {
  it(
    "is refused unparsed if it is all structure, and the next one is served",
    { meta: { covers: ["A17"] } },
    async () => {
      const headers = { ...bearer(), "content-type": "application/json", "x-plugboard-version": "0.1.0" };
      const body = `{"kind":"page","a":[${"[],".repeat(600_000)}0]}`;
      const refused = await fetch(new URL("/api/channels", host.url), { method: "POST", headers, body });
      expect(refused.status).toBe(400);
      expect(await refused.json()).toMatchObject({ error: { code: "USAGE" } });
      expect(await knock({ path: "/healthz" })).toBe(200);
    },
  );
});

describe("one running host per user", () => {
  it("refuses a second, and takes over what a dead one left", async () => {
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

  it("is one of ten that start at once, also where a dead one left its socket", async () => {
    for (const left of [false, true]) {
      const { env, remove } = await testEnv();
      onTestFinished(remove);
      await writeFile(env.PLUGBOARD_CONFIG_PATH, "{}");
      if (left) {
        const dead = await startDaemon({ env, spec: { cwd: env.HOME } });
        await rename(socketPath(env), `${socketPath(env)}.kept`);
        await dead.stop();
        await rename(`${socketPath(env)}.kept`, socketPath(env));
      }
      const started = await Promise.allSettled(
        Array.from({ length: 10 }, () => startDaemon({ env, spec: { cwd: env.HOME } })),
      );
      const running = started.flatMap((one) => (one.status === "fulfilled" ? [one.value] : []));
      const refused = started.flatMap((one) =>
        one.status === "rejected" ? [(one.reason as { code: string }).code] : [],
      );
      expect(running).toHaveLength(1);
      expect(refused).toEqual(Array.from({ length: 9 }, () => "HOST_RUNNING"));
      await running[0]!.stop();
      await expect(stat(socketPath(env))).rejects.toMatchObject({ code: "ENOENT" });
    }
  });

  it("stops though a refused client holds on to its connection", async () => {
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

  it("closes an open state folder to others, and takes no token that others may change", async () => {
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

  it("ends when its name has been taken: nobody could find it any more", async () => {
    const { env, remove } = await testEnv();
    onTestFinished(remove);
    await writeFile(env.PLUGBOARD_CONFIG_PATH, "{}");
    const daemon = await startDaemon({ env, spec: { cwd: env.HOME } });
    await rename(socketPath(env), `${socketPath(env)}.gone`);
    await daemon.ended;
  });

  it("says that a port is taken", async () => {
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

  it("ends by itself when it was told to and nobody is there", async () => {
    const { env, remove } = await testEnv();
    onTestFinished(remove);
    await writeFile(env.PLUGBOARD_CONFIG_PATH, "{}");
    const daemon = await startDaemon({ env, spec: { cwd: env.HOME }, exitWhenIdleMs: 50 });
    await daemon.ended;
  });
});
