/** Tests the sandbox's side of the handshake with the first document of an App, over real ports. */
import { once } from "node:events";
import { MessageChannel } from "node:worker_threads";
import type { MessagePort as NodePort } from "node:worker_threads";
import { AppChannel } from "#sandbox/app-channel.js";
import { describe, expect, it, onTestFinished } from "vitest";

function setUp() {
  const delivered: unknown[] = [];
  const left: string[] = [];
  const channel = new AppChannel(
    "nonce",
    (message) => void delivered.push(message),
    () => void left.push("left"),
  );
  const say = (data: unknown, ports: readonly unknown[] = [], origin = "null") =>
    channel.receive({ origin, data, ports: ports as Parameters<AppChannel["receive"]>[0]["ports"] });
  /** Opens a port as the guard of a document does. Returns the guard's end of the port. */
  const connect = (nonce = "nonce", origin = "null"): NodePort => {
    const { port1, port2 } = new MessageChannel();
    onTestFinished(() => {
      port1.close();
      port2.close();
    });
    say(nonce, [port2], origin);
    return port1;
  };
  return { channel, delivered, left, say, connect };
}

const nextQuestion = async (guard: NodePort) => (await once(guard, "message"))[0] as unknown;
/** Resolves when the channel has handled what the guard posted before. */
const turn = () => new Promise((resolve) => setImmediate(() => setImmediate(resolve)));

describe("the channel to the first document of an App", { meta: { covers: ["A22"] } }, () => {
  it("passes a message on only after the document has answered a later ping", async () => {
    const { delivered, say, connect } = setUp();
    const guard = connect();
    say("first");
    expect(await nextQuestion(guard)).toBeNull();
    say("second");
    say("third");
    expect(delivered).toEqual([]);
    guard.postMessage(null, []);
    expect(await nextQuestion(guard)).toBeNull();
    expect(delivered).toEqual(["first"]);
    guard.postMessage(null, []);
    await expect.poll(() => delivered).toEqual(["first", "second", "third"]);
    say("fourth");
    expect(await nextQuestion(guard)).toBeNull();
    guard.postMessage(null, []);
    await expect.poll(() => delivered).toHaveLength(4);
  });

  it("sends no ping while no message waits", async () => {
    const { say, connect, channel } = setUp();
    const guard = connect();
    const received: unknown[] = [];
    guard.on("message", (message) => received.push(message));
    say("first");
    await expect.poll(() => received).toEqual([null]);
    guard.postMessage(null, []);
    await turn();
    channel.send({ id: 1 });
    await expect.poll(() => received).toEqual([null, { id: 1 }]);
  });

  it("accepts no message before a document has sent the nonce together with a port", async () => {
    const { delivered, say, connect, channel } = setUp();
    say("too early");
    connect("a guess");
    connect("nonce", "https://other.example");
    say("nonce");
    channel.send({ id: 1 });
    const guard = connect();
    const received: unknown[] = [];
    guard.on("message", (message) => received.push(message));
    say("now");
    await expect.poll(() => received).toEqual([null]);
    guard.postMessage(null, []);
    await expect.poll(() => delivered).toEqual(["now"]);
  });

  it("accepts the nonce only once, so that messages of a second document are ignored", async () => {
    const { delivered, say, connect, channel } = setUp();
    const guard = connect();
    const second = connect();
    const toSecond: unknown[] = [];
    second.on("message", (message) => toSecond.push(message));
    say("from the second document");
    channel.send({ id: 1 });
    second.postMessage(null, []);
    // From the second document, the nonce is only an ordinary message.
    expect(await nextQuestion(guard)).toBeNull();
    await turn();
    expect(toSecond).toEqual([]);
    expect(delivered).toEqual([]);
  });

  it("ignores messages of an origin that is not opaque", async () => {
    const { delivered, say, connect } = setUp();
    const guard = connect();
    say("from a site", [], "https://other.example");
    say("from the App");
    expect(await nextQuestion(guard)).toBeNull();
    guard.postMessage(null, []);
    await expect.poll(() => delivered).toEqual(["from the App"]);
  });

  it("keeps a thousand messages of a document that does not answer, and drops the rest", async () => {
    const { delivered, say, connect } = setUp();
    const guard = connect();
    for (let index = 0; index < 1500; index++) say(index);
    guard.on("message", () => guard.postMessage(null, []));
    await expect.poll(() => delivered.length).toBe(1000);
    expect(delivered.at(-1)).toBe(999);
  });

  it("reports that the document has ended when the guard says so, or its port closes", async () => {
    const told = setUp();
    told.connect().postMessage("left", []);
    await expect.poll(() => told.left).toEqual(["left"]);
    const closed = setUp();
    closed.connect().close();
    await expect.poll(() => closed.left).toEqual(["left"]);
  });
});
