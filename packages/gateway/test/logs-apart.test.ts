/** Tests a server that several principals share: a log entry reaches only the principal whose call it belongs to. */
import { fileURLToPath } from "node:url";
import { expect, it, onTestFinished, vi } from "vitest";
import { frontWith } from "../../daemon/test/helpers/front-requests.ts";
import { addNamedToken, startRunningHost } from "../../daemon/test/helpers/running-host.ts";
import type { RunningHost } from "../../daemon/test/helpers/running-host.ts";

const script = fileURLToPath(new URL("./helpers/logging-server.mjs", import.meta.url));

/** Opens a legacy session that asks for logs. `received` is all text that its client has got so far. */
async function openClient(host: RunningHost, token: string) {
  const front = frontWith(host, token);
  const session = await front.open();
  const params = { level: "debug" };
  await front.send({ jsonrpc: "2.0", id: 9, method: "logging/setLevel", params }, { session });
  const client = { received: "" };
  const read = async ({ body }: Response) => {
    for await (const chunk of body!.pipeThrough(new TextDecoderStream())) client.received += chunk;
  };
  read(await front.send(undefined, { session, method: "GET" })).catch(() => {});
  let lastId = 100;
  const call = async (name: string, args: object = {}) => {
    const message = {
      jsonrpc: "2.0",
      id: ++lastId,
      method: "tools/call",
      params: { name: `s__${name}`, arguments: args },
    };
    await front
      .send(message, { session })
      .then(read)
      .catch(() => {});
  };
  return Object.assign(client, { call });
}

async function setUp() {
  const host = await startRunningHost({ s: { command: process.execPath, args: [script] } });
  onTestFinished(host.close);
  const tokenOf = (name: string) => addNamedToken(host.env, { name, mayApprove: true, now: 0 });
  const [ann, bob] = await Promise.all([tokenOf("ann"), tokenOf("bob")]);
  const clients = {
    ann: await openClient(host, ann),
    other: await openClient(host, ann),
    bob: await openClient(host, bob),
  };
  /** Starts a call that never ends, and waits until the server has got it. */
  const hold = async (client: { call: (name: string) => Promise<void> }) => {
    const started = (async () => {
      for await (const event of host.daemon.events())
        if (event.type === "call.started" && event.tool === "hold") return;
    })();
    void client.call("hold");
    await started;
  };
  return { ...clients, hold };
}

it(
  "a log entry reaches no client while calls of several principals are open",
  { meta: { covers: ["S34"] } },
  async () => {
    const { ann, other, bob, hold } = await setUp();
    await hold(bob);
    await ann.call("log", { text: "secret of ann" });
    expect(ann.received).toContain("done");
    // When this call has its result, an entry for bob would have arrived.
    await bob.call("log", { text: "own" });
    expect(bob.received).toContain("done");
    for (const client of [ann, other, bob]) expect(client.received).not.toContain("secret of ann");
  },
);

it(
  "a log entry reaches all clients of the only principal with open calls, and no others",
  { meta: { covers: ["S34"] } },
  async () => {
    const { ann, other, bob, hold } = await setUp();
    await hold(other);
    await ann.call("log", { text: "secret of ann" });
    await vi.waitFor(() => {
      for (const client of [ann, other]) expect(client.received).toContain("secret of ann");
    });
    expect(bob.received).not.toContain("secret");
  },
);

it(
  "a log entry after a call reaches only the clients of the principal that has called",
  { meta: { covers: ["S34"] } },
  async () => {
    const { ann, other, bob } = await setUp();
    await ann.call("log", { text: "secret of ann", after: true });
    await vi.waitFor(() => {
      for (const client of [ann, other]) expect(client.received).toContain("secret of ann");
    });
    await bob.call("log", { text: "own", after: true });
    await vi.waitFor(() => expect(bob.received).toContain("own"));
    expect(bob.received).not.toContain("secret");
    expect(ann.received).not.toContain("own");
  },
);
