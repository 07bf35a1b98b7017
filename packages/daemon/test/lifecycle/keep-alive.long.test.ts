/**
 * Reuses connections at the moment when they have been idle too long. Linux only: each connection has a loopback
 * address of its own, so that a client does not use it for other requests.
 */
import { spawn } from "node:child_process";
import { once } from "node:events";
import { fileURLToPath } from "node:url";
import { setTimeout as delay } from "node:timers/promises";
import { seededRandom } from "@plugboard/testkit/seeded-random";
import { describe, expect, it } from "vitest";
import type { TestContext } from "vitest";
import { Client } from "undici";
import { KEEP_ALIVE } from "#http/keep-alive.js";
import type { KeepAlive } from "#http/keep-alive.js";

/** Both clients close a connection two seconds before the time that the server names. */
const CLIENT_MARGIN_MS = 2000;
const CONNECTIONS = 500;
const SPREAD_MS = 100;
/** The two times are far apart, as the real ones are, because a busy machine may stop the client for seconds. */
const SHORT: KeepAlive = { advertisedMs: 3000, closedAfterMs: 8000 };

type Send = (url: string) => Promise<string>;
/** `onTestFinished` of a test's own context, because the tests run at the same time. */
type AtEnd = TestContext["onTestFinished"];

const CLIENTS: { readonly [name: string]: (atEnd: AtEnd) => Send } = {
  undici: (atEnd) => {
    const clients = new Map<string, Client>();
    atEnd(async () => void (await Promise.all([...clients.values()].map((client) => client.destroy()))));
    return async (url) => {
      const client = clients.get(url) ?? new Client(url);
      clients.set(url, client);
      return (await client.request({ path: "/", method: "GET" })).body.text();
    };
  },
  fetch: () => async (url) => (await fetch(url)).text(),
};

async function startServer(keepAlive: KeepAlive, atEnd: AtEnd): Promise<string> {
  const program = fileURLToPath(new URL("../helpers/keep-alive-server.mjs", import.meta.url));
  const server = spawn(process.execPath, [program, JSON.stringify(keepAlive)], { stdio: ["pipe", "pipe", "inherit"] });
  atEnd(() => void server.kill());
  const [line] = (await once(server.stdout, "data")) as [Buffer];
  return line.toString().trim();
}

/** Returns a pause that ends near the moment when the client, or sometimes the server, closes the connection. */
function pauseMs({ advertisedMs, closedAfterMs }: KeepAlive, random: () => number): number {
  const limitMs = random() < 0.9 ? advertisedMs - CLIENT_MARGIN_MS : closedAfterMs;
  return limitMs + (random() - 0.5) * SPREAD_MS;
}

/** Returns the messages of all failed requests. */
async function reuse(client: string, keepAlive: KeepAlive, times: number, atEnd: AtEnd): Promise<string[]> {
  const send = CLIENTS[client]!(atEnd);
  const port = await startServer(keepAlive, atEnd);
  const failures: string[] = [];
  const reuseOne = async (connection: number) => {
    const url = `http://127.1.${connection >> 8}.${connection & 255}:${port}`;
    const random = seededRandom(connection);
    for (let sent = 0; sent <= times; sent++) {
      if (sent > 0) await delay(pauseMs(keepAlive, random));
      await send(url).catch((error: Error) => failures.push(`${error.message}: ${String(error.cause)}`));
    }
  };
  await Promise.all(Array.from({ length: CONNECTIONS }, (_, connection) => reuseOne(connection)));
  return failures;
}

describe.runIf(process.platform === "linux").each(Object.keys(CLIENTS))(
  "a client with %s that reuses connections when they have been idle too long",
  { meta: { covers: ["F54"] }, concurrent: true, timeout: 600_000 },
  (client) => {
    it("loses none of 50 000 requests, with a shorter limit", async ({ onTestFinished }) => {
      expect(await reuse(client, SHORT, 50_000 / CONNECTIONS, onTestFinished)).toEqual([]);
    });

    it("loses none of 500 requests, with the real limit", async ({ onTestFinished }) => {
      expect(await reuse(client, KEEP_ALIVE, 500 / CONNECTIONS, onTestFinished)).toEqual([]);
    });
  },
);
