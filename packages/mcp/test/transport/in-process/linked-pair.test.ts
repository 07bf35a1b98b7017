/** Tests linked transports in one process, and server objects that use them. */
import { linkedPair } from "#transport/in-process/linked-pair.js";
import { serveInProcess } from "#transport/in-process/serve-in-process.js";
import type { ServerObject } from "#transport/in-process/serve-in-process.js";
import type { ParsedMessage, Message } from "#wire/message.js";
import type { Transport } from "#wire/transport.js";
import type { HostError } from "@plugboard/contracts";
import { legacySdkServer, modernSdkServer, dualSdkServer } from "@plugboard/testkit/sdk-server-objects";
import { describe, expect, it, vi } from "vitest";
import { expectSuspended, call, expectFailure, expectText } from "../../helpers/connect.ts";
import { openSessionOn } from "../../helpers/open-session-on.ts";

const note = (params: object): Message => ({ jsonrpc: "2.0", method: "x", params: { ...params } });
const turn = () => new Promise((resolve) => setImmediate(resolve));

function listen(end: Transport) {
  const messages: ParsedMessage[] = [];
  const closed: HostError[] = [];
  end.start({
    message: (incoming) => messages.push(incoming),
    requestFailed: () => {},
    closed: (error) => closed.push(error),
  });
  return { messages, closed };
}

const params = (incoming: ParsedMessage | undefined) =>
  incoming?.type === "notification" ? incoming.message.params : undefined;

describe("linkedPair", () => {
  it("passes messages in both directions, in order and never synchronously", async () => {
    const [first, second] = linkedPair();
    const [atClient, atServer] = [listen(first), listen(second)];
    for (let index = 0; index < 3; index++) void first.send(note({ index }));
    void second.send(note({ back: true }));
    expect(atServer.messages).toEqual([]);
    await turn();
    expect(atServer.messages.map(params)).toEqual([{ index: 0 }, { index: 1 }, { index: 2 }]);
    expect(atClient.messages.map(params)).toEqual([{ back: true }]);
  });

  it("shares no object between the two ends", async () => {
    const [first, second] = linkedPair();
    const { messages } = listen(second);
    const inner = { list: [1], when: new Date(0), nothing: undefined };
    void first.send(note({ inner }));
    inner.list.push(2);
    await turn();
    expect(params(messages[0])).toEqual({ inner: { list: [1], when: "1970-01-01T00:00:00.000Z" } });
    const received = params(messages[0])!["inner"] as { list: number[] };
    received.list.push(3);
    expect(inner.list).toEqual([1, 2]);
  });

  it("rejects a value that is not JSON when it is sent", async () => {
    const [first] = linkedPair();
    const circle: { self?: object } = {};
    circle.self = circle;
    await expect(first.send(note({ big: 1n }))).rejects.toMatchObject({ code: "INVALID_ARGUMENTS" });
    await expect(first.send(note(circle))).rejects.toMatchObject({ code: "INVALID_ARGUMENTS" });
  });

  it("queues messages for an end that has not started", async () => {
    const [first, second] = linkedPair();
    void first.send(note({ early: true }));
    await turn();
    const { messages } = listen(second);
    await turn();
    expect(messages.map(params)).toEqual([{ early: true }]);
  });

  it("closes the other end once, after all sent messages, and does not notify the end that was closed", async () => {
    const [first, second] = linkedPair("tested");
    const [atClient, atServer] = [listen(first), listen(second)];
    void first.send(note({ last: true }));
    await first.close();
    await first.close();
    await turn();
    expect(atServer.messages.map(params)).toEqual([{ last: true }]);
    expect(atServer.closed).toMatchObject([{ code: "CONNECTION_LOST", details: { server: "tested" } }]);
    expect(atClient.closed).toEqual([]);
    await expect(second.send(note({}))).resolves.toBeUndefined();
  });

  it("delivers nothing to an end that has been closed", async () => {
    const [first, second] = linkedPair();
    const { messages } = listen(first);
    void second.send(note({}));
    await first.close();
    await turn();
    expect(messages).toEqual([]);
    await expect(second.send(note({}))).rejects.toMatchObject({ code: "CONNECTION_LOST" });
  });

  it("does not block the event loop while both ends send without pause", async () => {
    const [first, second] = linkedPair();
    const answer = (end: Transport) => ({
      message: () => void end.send(note({}))?.catch(() => {}),
      requestFailed: () => {},
      closed: () => {},
    });
    first.start(answer(first));
    second.start(answer(second));
    await first.send(note({}));
    await new Promise((resolve) => setTimeout(resolve, 5));
    await first.close();
  });
});

describe("serveInProcess", () => {
  const open = (object: ServerObject) => openSessionOn(() => Promise.resolve(serveInProcess(object, "tested")));

  describe.each([
    ["1.x", legacySdkServer],
    ["2.x", modernSdkServer],
  ])("with the official SDK %s", (_, make) => {
    it("calls a tool and shares no object with the caller", async () => {
      const { server, echoArguments } = make();
      const session = await open(server);
      const args = { text: "hi" };
      expect(expectText(await call(session, "echo", args))).toBe("hi");
      expect(echoArguments).toEqual([args]);
      expect(echoArguments[0]).not.toBe(args);
    });

    it("lets the server ask a question during a call", async () => {
      const session = await open(make().server);
      const suspended = expectSuspended(await call(session, "ask"));
      const [key = ""] = Object.keys(suspended.asks);
      const outcome = await suspended.resume({ [key]: { action: "accept", content: { name: "Ann" } } }, {});
      expect(JSON.parse(expectText(outcome))).toEqual({ action: "accept", content: { name: "Ann" } });
    });

    it("fails the calls in flight when it is closed", async () => {
      const { server } = make();
      const session = await open(server);
      const forgotten = call(session, "forget");
      await session.ping(AbortSignal.timeout(5000));
      await server.close();
      expect(expectFailure(await forgotten).code).toBe("CONNECTION_LOST");
    });

    it("can use the same server object again after it has been closed, but not before", async () => {
      const { server } = make();
      const first = await open(server);
      await expect(open(server)).rejects.toMatchObject({ code: "SERVER_INVALID", details: { server: "tested" } });
      await first.close();
      await turn();
      const again = await open(server);
      expect(expectText(await call(again, "echo", { text: "again" }))).toBe("again");
    });
  });

  it("uses the modern era if the server supports it", async () => {
    const session = await open(dualSdkServer());
    expect(session.era).toBe("modern");
    expect(expectText(await call(session, "echo", { text: "hi" }))).toBe("hi");
  });

  it("reports an exception of the server object only to the object's own error handler", async () => {
    const onerror = vi.fn();
    const onmessage = () => {
      throw new Error("a defect");
    };
    const object: ServerObject = {
      connect: (transport: { start(): Promise<void> }) => Object.assign(transport, { onmessage, onerror }).start(),
    };
    const transport = serveInProcess(object);
    listen(transport);
    await transport.send(note({}));
    await vi.waitFor(() => expect(onerror).toHaveBeenCalledWith(new Error("a defect")));
  });
});
