/** Tests that the detected era does not depend on the server's start-up time, with a manual clock. */
import { linkedPair } from "#transport/in-process/linked-pair.js";
import type { RequestMessage } from "#wire/message.js";
import type { Transport } from "#wire/transport.js";
import { HostError } from "@plugboard/contracts";
import type { Era, JsonObject } from "@plugboard/contracts";
import { describe, expect, it } from "vitest";
import { makeConnection } from "../helpers/connect.ts";
import { ManualClock } from "../../../contracts/test/helpers/manual-clock.ts";

const SILENCE_MS = 1500;
const turn = () => new Promise<void>((resolve) => setImmediate(resolve));

const serverInfo = { name: "dual", version: "1" };

/** Simulates a dual-era server that reads no input until it has started. */
class SlowServer {
  readonly received: string[][] = [];
  readonly #starting: (() => void)[] = [];
  readonly #ends: Transport[] = [];
  readonly #outOfOrder: boolean;

  constructor(outOfOrder = false) {
    this.#outOfOrder = outOfOrder;
  }

  connect(): Transport {
    const [client, server] = linkedPair();
    const received: RequestMessage[] = [];
    const methods: string[] = [];
    let started = false;
    const answer = ({ id, method }: RequestMessage) => {
      methods.push(method);
      // The client may have closed the connection before the answer.
      const say = (result: JsonObject) => void server.send({ jsonrpc: "2.0", id, result })?.catch(() => {});
      if (method === "initialize") say({ protocolVersion: "2025-11-25", capabilities: {}, serverInfo });
      else if (method === "server/discover") say({ supportedVersions: ["2026-07-28"], capabilities: {} });
      else say({});
    };
    server.start({
      message: (incoming) => {
        if (incoming.type !== "request") return;
        if (started) answer(incoming.message);
        else received.push(incoming.message);
      },
      requestFailed: () => {},
      closed: () => {},
    });
    this.received.push(methods);
    this.#ends.push(server);
    this.#starting.push(() => {
      started = true;
      for (const message of this.#outOfOrder ? received.toReversed() : received) answer(message);
    });
    return client;
  }

  /** Finishes the start of the running process, which then answers the queued messages. */
  async started(): Promise<void> {
    this.#starting.at(-1)!();
    await turn();
    await turn();
  }

  async crash(): Promise<void> {
    await this.#ends.at(-1)!.close();
    await turn();
  }
}

function connecting(server: SlowServer, knownEra?: Era) {
  const clock = new ManualClock();
  const made = makeConnection(
    { command: "", args: [] },
    {
      ...(knownEra && { knownEra }),
      limits: { silenceMs: SILENCE_MS, firstRetryMs: 1000 },
      startupTimeoutMs: 30_000,
      overrides: {
        clock,
        random: () => 0,
        target: { transport: "in-process", id: "dual", connect: () => server.connect() },
      },
    },
  );
  const ready = made.connection.ready();
  ready.catch(() => {});
  return { ...made, clock, ready };
}

describe("dual-era server", () => {
  it("is opened as modern when it starts at once", async () => {
    const server = new SlowServer();
    const { ready, knownEra } = connecting(server);
    await turn();
    await server.started();
    expect((await ready).era).toBe("modern");
    expect(knownEra()).toBe("modern");
    expect(server.received).toEqual([["server/discover"]]);
  });

  it.each([
    ["in order", false],
    ["out of order", true],
  ])("is opened as modern when it starts late and answers %s", async (_, outOfOrder) => {
    const server = new SlowServer(outOfOrder);
    const { clock, ready, knownEra } = connecting(server);
    await turn();
    clock.advance(SILENCE_MS);
    await turn();
    await server.started();
    // The first process did the legacy handshake and is closed. The second never gets `initialize`.
    await turn();
    clock.advance(SILENCE_MS * 3);
    await turn();
    await server.started();
    expect((await ready).era).toBe("modern");
    expect(knownEra()).toBe("modern");
    expect(server.received[0]).toEqual(expect.arrayContaining(["server/discover", "initialize"]));
    expect(server.received.slice(1)).toEqual([["server/discover"]]);
  });

  it("stays modern after a crash, even if it restarts slowly", async () => {
    const server = new SlowServer();
    const { clock, ready, connection, knownEra } = connecting(server, "modern");
    await turn();
    await server.started();
    await ready;
    await server.crash();
    expect(connection.state.phase).toBe("waiting");
    clock.advance(1000);
    await turn();
    clock.advance(SILENCE_MS * 10);
    await turn();
    await server.started();
    expect((await connection.ready()).era).toBe("modern");
    expect(knownEra()).toBe("modern");
    expect(server.received).toEqual([["server/discover"], ["server/discover"]]);
  });
});

describe("remembered era", () => {
  it("is detected again after the server did not answer within its start-up time", async () => {
    const server = new SlowServer();
    const { clock, ready, connection, knownEra } = connecting(server, "legacy");
    await turn();
    clock.advance(30_000);
    await expect(ready).rejects.toBeInstanceOf(HostError);
    expect(knownEra()).toBeUndefined();
    await turn();
    clock.advance(1000);
    await turn();
    await server.started();
    expect((await connection.ready()).era).toBe("modern");
    expect(server.received).toEqual([[], ["server/discover"]]);
  });
});
