/** The era of a server does not depend on how long it takes to start, on a clock that the test moves. */
import { linkedPair } from "#transport/in-process.js";
import type { RequestMessage } from "#wire/message.js";
import type { Transport } from "#wire/transport.js";
import { HostError } from "@plugboard/contracts";
import type { Era, JsonObject } from "@plugboard/contracts";
import { describe, expect, it } from "vitest";
import { makeConnection } from "./connect.ts";
import { ManualClock } from "./manual-clock.ts";

const SILENCE_MS = 1500;
const turn = () => new Promise<void>((resolve) => setImmediate(resolve));

const serverInfo = { name: "dual", version: "1" };

/** A server of both eras that reads nothing until it has started. */
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
      // A client that has closed the connection does not want the answer.
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
      lost: () => {},
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

  /** What is running has started, and answers what was sent meanwhile. */
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

function connecting(server: SlowServer, remembered?: Era) {
  const clock = new ManualClock();
  const made = makeConnection(
    { command: "", args: [] },
    {
      ...(remembered && { remembered }),
      limits: { silenceMs: SILENCE_MS, firstRetryMs: 1000 },
      startupTimeoutMs: 30_000,
      also: {
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

describe("a server of both eras", () => {
  it("is opened as modern when it starts at once", async () => {
    const server = new SlowServer();
    const { ready, remembered } = connecting(server);
    await turn();
    await server.started();
    expect((await ready).era).toBe("modern");
    expect(remembered()).toBe("modern");
    expect(server.received).toEqual([["server/discover"]]);
  });

  it.each([
    ["in order", false],
    ["out of order", true],
  ])("is opened as modern when it starts late and answers %s", async (_, outOfOrder) => {
    const server = new SlowServer(outOfOrder);
    const { clock, ready, remembered } = connecting(server);
    await turn();
    clock.pass(SILENCE_MS);
    await turn();
    await server.started();
    // The first has made the legacy handshake and is closed; the second is never sent `initialize`.
    await turn();
    clock.pass(SILENCE_MS * 3);
    await turn();
    await server.started();
    expect((await ready).era).toBe("modern");
    expect(remembered()).toBe("modern");
    expect(server.received[0]).toEqual(expect.arrayContaining(["server/discover", "initialize"]));
    expect(server.received.slice(1)).toEqual([["server/discover"]]);
  });

  it("stays modern after a crash, however slowly it starts again", async () => {
    const server = new SlowServer();
    const { clock, ready, connection, remembered } = connecting(server, "modern");
    await turn();
    await server.started();
    await ready;
    await server.crash();
    expect(connection.state.phase).toBe("waiting");
    clock.pass(1000);
    await turn();
    clock.pass(SILENCE_MS * 10);
    await turn();
    await server.started();
    expect((await connection.ready()).era).toBe("modern");
    expect(remembered()).toBe("modern");
    expect(server.received).toEqual([["server/discover"], ["server/discover"]]);
  });
});

describe("a remembered era", () => {
  it("is found out anew after the server did not answer in the time it has to start", async () => {
    const server = new SlowServer();
    const { clock, ready, connection, remembered } = connecting(server, "legacy");
    await turn();
    clock.pass(30_000);
    await expect(ready).rejects.toBeInstanceOf(HostError);
    expect(remembered()).toBeUndefined();
    await turn();
    clock.pass(1000);
    await turn();
    await server.started();
    expect((await connection.ready()).era).toBe("modern");
    expect(server.received).toEqual([[], ["server/discover"]]);
  });
});
