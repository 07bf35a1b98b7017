import { ConnectionPool, definitionKey } from "#pool/connection-pool.js";
import { systemClock } from "@plugboard/contracts";
import type { ConnectionSettings, Target } from "@plugboard/mcp";
import type { HttpTarget, StdioTarget } from "@plugboard/contracts";
import { Processes } from "@plugboard/mcp/process";
import { isAlive, waitUntilDead } from "@plugboard/testkit/process-alive";
import { scriptedLegacy } from "@plugboard/testkit/start-server";
import { describe, expect, it, onTestFinished } from "vitest";
import { ManualClock } from "../../../contracts/test/helpers/manual-clock.ts";

const stdio: StdioTarget = {
  transport: "stdio",
  command: "npx",
  args: ["-y", "x"],
  cwd: "/a",
  env: { A: "1", B: "2" },
};
const http: HttpTarget = { transport: "http", url: "https://x/mcp", headers: { A: "1", B: "2" } };

describe("definitionKey", () => {
  it.each<[string, Target, Target]>([
    ["are equal", stdio, structuredClone(stdio)],
    ["differ only in the order of keys", stdio, reversed(stdio)],
    ["differ only in the order of variables", stdio, { ...stdio, env: { B: "2", A: "1" } }],
    ["differ only in the order of headers", http, reversed({ ...http, headers: { B: "2", A: "1" } })],
  ])("is the same for definitions that %s", (_, first, second) => {
    expect(definitionKey({ target: second })).toBe(definitionKey({ target: first }));
  });

  it.each<[string, Target, Target]>([
    ["the command", stdio, { ...stdio, command: "bunx" }],
    ["an argument", stdio, { ...stdio, args: ["-y", "z"] }],
    ["the order of arguments", stdio, { ...stdio, args: ["x", "-y"] }],
    ["where one argument ends and the next starts", stdio, { ...stdio, args: ["-y x"] }],
    ["an empty argument", stdio, { ...stdio, args: ["-y", "x", ""] }],
    ["the working directory", stdio, { ...stdio, cwd: "/b" }],
    ["the value of a variable", stdio, { ...stdio, env: { A: "1", B: "3" } }],
    ["the name of a variable", stdio, { ...stdio, env: { A: "1", C: "2" } }],
    ["an additional variable", stdio, { ...stdio, env: { A: "1", B: "2", C: "" } }],
    ["which of two variables has which value", stdio, { ...stdio, env: { A: "2", B: "1" } }],
    [
      "where the name of a variable ends and its value starts",
      { ...stdio, env: { AB: "C" } },
      { ...stdio, env: { A: "BC" } },
    ],
    ["the URL", http, { ...http, url: "https://x/mcp/" }],
    ["the value of a header", http, { ...http, headers: { A: "1", B: "secret" } }],
    ["an additional header", http, { ...http, headers: { A: "1", B: "2", C: "3" } }],
  ])("is different for definitions that differ in %s", (_, first, second) => {
    expect(definitionKey({ target: second })).not.toBe(definitionKey({ target: first }));
  });
});

it("definitionKey is different for definitions that differ in the protocol", () => {
  const keys = [undefined, "legacy", "modern"] as const;
  expect(new Set(keys.map((onlyEra) => definitionKey({ target: stdio, onlyEra }))).size).toBe(3);
});

it("definitionKey does not contain the secrets of a definition", () => {
  const key = definitionKey({ target: { ...http, headers: { Authorization: "Bearer s3cret" } } });
  expect(key).toMatch(/^[0-9a-f]{64}$/);
});

function reversed<T extends object>(target: T): T {
  return Object.fromEntries(Object.entries(target).toReversed()) as T;
}

describe("a connection that its last workspace has released", () => {
  const LINGER_MS = 60_000;

  async function leaseServer(lingerMs?: number) {
    const clock = new ManualClock();
    const processes = new Processes(systemClock);
    onTestFinished(() => processes.stopAll());
    const pool = new ConnectionPool({
      processes,
      clock,
      identity: { name: "test", version: "0" },
      unattributedRequestHandler: () => () => Promise.reject(new Error("nobody asks")),
      ...(lingerMs !== undefined && { lingerMs }),
    });
    const target = { transport: "stdio", ...scriptedLegacy(), cwd: process.cwd(), env: {} } as const;
    const lease = (onChanged = () => {}, more: Partial<ConnectionSettings> = {}) =>
      pool.lease({
        ...{ server: "s", target, onChanged },
        settings: { startupTimeoutMs: 10_000, requestTimeoutMs: 10_000, ...more },
      });
    const first = lease();
    await first.connection.ready();
    return { clock, pool, target, lease, first, pid: first.connection.pid! };
  }

  it("is reused by the next workspace, and lingers for the full time again after that workspace releases it", async () => {
    const { clock, lease, first, pid } = await leaseServer(LINGER_MS);
    await first.release({ linger: true });
    clock.advance(LINGER_MS - 1);
    const second = lease();
    expect(second.connection).toBe(first.connection);
    clock.advance(LINGER_MS);
    expect(second.connection.state.phase).toBe("ready");
    await second.release({ linger: true });
    clock.advance(LINGER_MS - 1);
    expect(isAlive(pid)).toBe(true);
    clock.advance(1);
    await waitUntilDead(pid, 5000);
  });

  it("reports its final state to the listener of the last workspace, and to no earlier listener", async () => {
    const { clock, pool, target, lease, first, pid } = await leaseServer(LINGER_MS);
    const changes: string[] = [];
    await first.release({ linger: true });
    const listening = lease(() => changes.push("second"));
    await listening.release({ linger: true });
    expect(pool.peek({ target })).toBe(first.connection);
    expect(changes).toEqual([]);
    clock.advance(LINGER_MS);
    await waitUntilDead(pid, 5000);
    expect(pool.peek({ target })).toBeUndefined();
    expect(changes).toEqual(["second"]);
  });

  it("closes at once if it is released without `linger`", async () => {
    const { first, pid } = await leaseServer(LINGER_MS);
    await first.release();
    expect(isAlive(pid)).toBe(false);
  });

  it("closes at once in a pool that has no `lingerMs`", async () => {
    const { first, pid } = await leaseServer();
    await first.release({ linger: true });
    expect(isAlive(pid)).toBe(false);
  });

  it("closes when the pool closes", async () => {
    const { pool, first, pid } = await leaseServer(LINGER_MS);
    await first.release({ linger: true });
    expect(isAlive(pid)).toBe(true);
    await pool.close();
    expect(isAlive(pid)).toBe(false);
  });

  it("is not restarted if its server exits meanwhile", async () => {
    const { pool, target, first, pid } = await leaseServer(LINGER_MS);
    await first.release({ linger: true });
    process.kill(pid, "SIGKILL");
    while (pool.peek({ target })) await new Promise((resolve) => setImmediate(resolve));
    expect(first.connection.state.phase).toBe("idle");
  });

  it("keeps lingering if its lease is released a second time", async () => {
    const { lease, first, pid } = await leaseServer(LINGER_MS);
    await first.release({ linger: true });
    await first.release();
    expect(isAlive(pid)).toBe(true);
    const second = lease();
    expect(second.connection).toBe(first.connection);
    await second.release();
    expect(isAlive(pid)).toBe(false);
  });
});
