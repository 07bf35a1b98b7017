/** Tests that one client of the gateway can't block a server for others, and that no question is left hanging. */
import { scriptedLegacy } from "@plugboard/testkit/start-server";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { openClient } from "./helpers/official-clients.ts";
import type { AnswerElicitation, ClientKind, OfficialClient } from "./helpers/official-clients.ts";
import { sendAnswer, sendToolCall } from "./helpers/raw-modern-client.ts";
import { watchInbox } from "./helpers/watch-inbox.ts";
import { watchWire } from "./helpers/watch-wire.ts";
import { startRunningHost } from "../../daemon/test/helpers/running-host.ts";
import type { RunningHost } from "../../daemon/test/helpers/running-host.ts";

let host: RunningHost;
let clients: OfficialClient[];
beforeEach(async () => {
  host = await startRunningHost({ s: scriptedLegacy() });
  clients = [];
});
afterEach(async () => {
  await Promise.all(clients.map((client) => client.close()));
  await host.close();
});

const NAME = { action: "accept", content: { name: "Ann" } } as const;
const ANSWERED = 'answer: {"action":"accept","content":{"name":"Ann"}}';

async function open(kind: ClientKind, answer: AnswerElicitation = () => NAME): Promise<OfficialClient> {
  const client = await openClient(kind, host, answer);
  clients.push(client);
  return client;
}

/** Starts calls that the server does not answer, and waits until one of them has arrived. */
async function hang(client: OfficialClient, calls: number, signal?: AbortSignal) {
  const hanging = Array.from({ length: calls }, () => client.call("s__hold", {}, signal));
  for (const call of hanging) call.catch(() => {});
  const { servers } = host.daemon.workspace;
  const output = async () => (await servers.detail("s")).stderr;
  await expect.poll(output, { timeout: 15_000 }).toContain("holding");
}

describe("a client that leaves 1 100 calls hanging", { meta: { covers: ["S23"] } }, () => {
  it.each<ClientKind>(["legacy over stdio", "modern over stdio"])(
    "does not block the server for other clients (%s client)",
    { timeout: 60_000 },
    async (kind) => {
      const flooder = await open(kind);
      await hang(flooder, 1100);
      for (const other of ["legacy over HTTP", "modern over HTTP"] as const) {
        const client = await open(other);
        expect(await client.call("s__echo", { text: "hi" })).toBe("hi");
      }
    },
  );
});

describe("a question that nobody answers", { meta: { covers: ["S24"] } }, () => {
  it(
    "blocks the server for other clients only for a few seconds, if a modern client was asked",
    { timeout: 60_000 },
    async () => {
      const asked = await sendToolCall(host, "s__ask");
      expect(asked.result).toMatchObject({ resultType: "input_required" });
      const other = await open("legacy over HTTP");
      const before = performance.now();
      expect(await other.call("s__echo", { text: "hi" })).toBe("hi");
      expect(performance.now() - before).toBeLessThan(9000);
      const late = await sendAnswer(host, "s__ask", asked.result!.requestState!, { name: "Ann" });
      expect(late.result).toMatchObject({ content: [{ type: "text", text: ANSWERED }] });
    },
  );

  it(
    "blocks the server for other clients only for a few seconds, if a legacy client was asked",
    { timeout: 60_000 },
    async () => {
      let slowIsAsked = () => {};
      let answer: (name: typeof NAME) => void = () => {};
      const asked = new Promise<void>((resolve) => (slowIsAsked = resolve));
      const slow = await open("legacy over HTTP", () => {
        slowIsAsked();
        return new Promise<typeof NAME>((resolve) => (answer = resolve));
      });
      const answered = slow.call("s__ask");
      await asked;
      const other = await open("modern over HTTP");
      expect(await other.call("s__echo", { text: "hi" })).toBe("hi");
      // The question of this call waits until the slow client has answered.
      const others = other.call("s__ask");
      answer(NAME);
      expect(await answered).toBe(ANSWERED);
      expect(await others).toBe(ANSWERED);
    },
  );
});

describe("a call that hangs after its server has asked a question", { meta: { covers: ["S23", "S24"] } }, () => {
  it("delays the calls of other clients by a few seconds, and its questions reach none of them", async () => {
    const asked: string[] = [];
    let questions = 0;
    watchWire(({ direction, message }) => {
      if (direction === "received" && message.method === "elicitation/create") questions += 1;
    });
    const hanging = await open("legacy over HTTP", () => (asked.push("hanging"), NAME));
    expect(await hanging.call("s__ask")).toBe(ANSWERED);
    const cancel = new AbortController();
    await hang(hanging, 1, cancel.signal);
    const other = await open("modern over HTTP", () => (asked.push("other"), NAME));
    const before = performance.now();
    expect(await other.call("s__echo", { text: "hi" })).toBe("hi");
    expect(performance.now() - before).toBeLessThan(8000);
    // While the hanging call runs, this question may belong to either client, so nobody is asked.
    const answered = other.call("s__ask");
    await expect.poll(() => questions, { timeout: 15_000 }).toBe(2);
    expect(asked).toEqual(["hanging"]);
    cancel.abort();
    expect(await answered).toBe(ANSWERED);
    expect(asked).toEqual(["hanging", "other"]);
  });
});

describe("a question that names no call", () => {
  it("is answered by its client even if another client has just cancelled a call", async () => {
    const other = await open("legacy over HTTP");
    const cancel = new AbortController();
    await hang(other, 1, cancel.signal);
    cancel.abort();
    const client = await open("legacy over HTTP");
    expect(await client.call("s__ask")).toBe(ANSWERED);
  });

  it("waits for the call of another client to end, and is then answered by its client", async () => {
    const other = await open("legacy over HTTP");
    await hang(other, 1);
    const client = await open("modern over HTTP");
    const answered = client.call("s__ask");
    await other.call("s__release");
    expect(await answered).toBe(ANSWERED);
    expect(other.asked).toEqual([]);
  });

  it("goes to a user who watches the inbox while another client has an open call", async () => {
    const asked = await watchInbox(host, () => ({
      type: "elicitation",
      action: "accept",
      content: { name: "Watcher" },
    }));
    const other = await open("legacy over HTTP");
    await hang(other, 1);
    const client = await open("modern over HTTP");
    expect(await client.call("s__ask")).toContain("Watcher");
    expect(asked).toMatchObject([{ type: "elicitation", owner: "workspace", server: "s" }]);
  });

  it("reaches a modern client that makes two calls at once", async () => {
    const client = await open("modern over HTTP");
    expect(await Promise.all([client.call("s__ask"), client.call("s__ask")])).toEqual([ANSWERED, ANSWERED]);
  });
});
