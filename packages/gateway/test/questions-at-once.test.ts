/** Tests a legacy stdio server that asks several clients at once. Its questions do not name the call they belong to. */
import { scriptedLegacy } from "@plugboard/testkit/start-server";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { clientKinds, openClient } from "./helpers/official-clients.ts";
import type { ClientKind, OfficialClient } from "./helpers/official-clients.ts";
import { watchWire } from "./helpers/watch-wire.ts";
import { startRunningHost } from "../../daemon/test/helpers/running-host.ts";
import type { RunningHost } from "../../daemon/test/helpers/running-host.ts";

const NAMES = ["Ann", "Bob", "Cyd", "Dan", "Eve", "Fay"];

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

async function open(kind: ClientKind, name: string): Promise<OfficialClient> {
  const client = await openClient(kind, host, () => ({ action: "accept", content: { name } }));
  clients.push(client);
  return client;
}

const answerOf = (name: string) => `answer: {"action":"accept","content":{"name":"${name}"}}`;

describe("questions of a legacy stdio server to six clients at once", { meta: { covers: ["F51"] } }, () => {
  it("reach the client of their call, in the first round and after a crash of the server", async () => {
    const asked = await Promise.all(NAMES.map((name, n) => open(clientKinds[n % clientKinds.length]!, name)));
    const askAll = () => Promise.all(asked.map((client) => client.call("s__ask")));
    expect(await askAll()).toEqual(NAMES.map(answerOf));
    await expect(asked[0]!.call("s__crash")).rejects.toThrow();
    expect(await askAll()).toEqual(NAMES.map(answerOf));
  });
});

describe.each(clientKinds)("the calls of a %s client after a question", (kind) => {
  it("run at the same time at the server", { meta: { covers: ["F52"] } }, async () => {
    const client = await open(kind, "Ann");
    const other = await open("legacy over HTTP", "Bob");
    expect(await client.call("s__ask")).toBe(answerOf("Ann"));
    const held = client.call("s__hold");
    await client.call("s__release");
    await held;
    let [inFlight, most] = [0, 0];
    watchWire(({ direction, message, answers }) => {
      if (direction === "sent" && message.method === "tools/call") most = Math.max(most, ++inFlight);
      if (direction === "received" && answers === "tools/call") inFlight -= 1;
    });
    const calls = Array.from({ length: 20 }, () => client.call("s__hold"));
    await expect.poll(() => most, { timeout: 10_000 }).toBe(20);
    expect(await client.call("s__release")).toBe("released");
    expect(await Promise.all(calls)).toEqual(calls.map(() => "let go"));
    // The other client still gets its own question.
    expect(await other.call("s__ask")).toBe(answerOf("Bob"));
  });
});

describe.each(clientKinds)("a question to a %s client whose other calls end first", (kind) => {
  it("still reaches the client", { meta: { covers: ["F51"] } }, async () => {
    const client = await open(kind, "Ann");
    const echo = () => client.call("s__echo", { text: "hi" });
    for (let round = 0; round < 10; round++) {
      expect(await Promise.all([client.call("s__ask"), echo(), echo()])).toEqual([answerOf("Ann"), "hi", "hi"]);
    }
  });
});
