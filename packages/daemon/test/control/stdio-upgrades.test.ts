/**
 * Tests upgrades of requests to the byte stream of a stdio client: which requests are refused, and how the streams end.
 */
import { once } from "node:events";
import type { IncomingMessage } from "node:http";
import { duplexPair } from "node:stream";
import { text } from "node:stream/consumers";
import { setImmediate as nextTurn } from "node:timers/promises";
import { StdioUpgrades } from "#control/stdio-upgrades.js";
import { HOST_CHAIN_HEADER, HostError, STDIO_UPGRADE_PROTOCOL } from "@plugboard/contracts";
import { describe, expect, it } from "vitest";

const PATH = "/api/v1/channels/c/workspaces/w/stdio";

/**
 * A host with the channel `c`, its workspace `w` and the profile `work`. Its gateways serve until their stream ends.
 */
function setUp() {
  const served: unknown[][] = [];
  const received: unknown[] = [];
  const closed: (string | undefined)[] = [];
  const workspace = { profile: (name: string) => (name === "work" ? {} : undefined), start: async () => {} };
  const find = (id: string, wanted: string) => {
    if (id !== wanted) throw new HostError("NOT_FOUND", { subject: wanted });
  };
  const channels = {
    find: (id: string) => (find(id, "c"), { api: { caller: { id: "caller" } } }),
    findWorkspace: (_: unknown, id: string) => (find(id, "w"), { open: workspace }),
  };
  const makeGateway = (_: unknown, profile?: string) => ({
    busy: profile === "work",
    fronts: [{ profile }],
    serve: async (stream: NodeJS.ReadableStream, ...given: unknown[]) => {
      served.push([profile, ...given]);
      received.push(await text(stream).catch(() => undefined));
    },
    close: () => void closed.push(profile),
  });
  const upgrades = new StdioUpgrades(channels as never, {} as never, makeGateway as never);
  const connect = (path = PATH, headers: object = {}, head = "") => {
    const [client, stream] = duplexPair();
    const request = { url: path, headers: { upgrade: STDIO_UPGRADE_PROTOCOL, ...headers } };
    const done = upgrades.handle(request as unknown as IncomingMessage, stream, Buffer.from(head));
    return { client, stream, done };
  };
  return { upgrades, connect, served, received, closed };
}

describe("StdioUpgrades", () => {
  it("serves a client until its stream ends, and passes on the chain of hosts that started it", async () => {
    const { upgrades, connect, served, closed } = setUp();
    const { client, stream, done } = connect(`${PATH}?profile=work`, { [HOST_CHAIN_HEADER]: "a,b" });
    expect(served).toEqual([["work", { kind: "front", id: "caller" }, ["a", "b"]]]);
    expect([upgrades.size, upgrades.busy, upgrades.fronts]).toEqual([1, true, [{ profile: "work" }]]);
    expect(String((await once(client, "data"))[0])).toMatch(/^HTTP\/1\.1 101 /);
    client.end();
    await done;
    expect([upgrades.size, upgrades.busy, upgrades.fronts]).toEqual([0, false, []]);
    expect([stream.destroyed, closed]).toEqual([true, ["work"]]);
  });

  it.each([
    ["another path", "/api/v1/channels/c/stdio", {}],
    ["another protocol", PATH, { upgrade: "websocket" }],
    ["a web page", PATH, { origin: "https://evil.example" }],
    ["an unknown channel", PATH.replace("/c/", "/d/"), {}],
    ["an unknown workspace", PATH.replace("/w/", "/x/"), {}],
    ["an unknown profile", `${PATH}?profile=none`, {}],
  ])("answers a request of %s with 404 and ends its stream", async (_, path, headers) => {
    const { connect, served } = setUp();
    const { client, stream } = connect(path, headers);
    expect(await text(client)).toMatch(/^HTTP\/1\.1 404 /);
    expect(stream.destroyed).toBe(true);
    expect(served).toEqual([]);
  });

  it("passes on what the client has sent together with its request", async () => {
    const { connect, received, served } = setUp();
    const { client, done } = connect(PATH, {}, "{");
    expect(served).toEqual([[undefined, { kind: "front", id: "caller" }, [""]]]);
    client.end("}");
    await done;
    expect(received).toEqual(["{}"]);
  });

  it("answers with 503 once it accepts no more clients", async () => {
    const { upgrades, connect } = setUp();
    upgrades.stopAccepting();
    expect(await text(connect().client)).toBe("HTTP/1.1 503 Service Unavailable\r\nConnection: close\r\n\r\n");
  });

  it.each([
    ["a client that it serves", PATH],
    ["a client that it has refused", "/other"],
  ])("goes on when %s resets its connection", async (_, path) => {
    const { connect } = setUp();
    const { client, stream } = connect(path);
    client.resume();
    expect(() => stream.emit("error", new Error("read ECONNRESET"))).not.toThrow();
  });

  it("is finished when all clients have closed their streams, and disconnects clients that do not close them", async () => {
    const { upgrades, connect, closed } = setUp();
    const streams = [connect().stream, connect().stream];
    upgrades.close();
    expect(closed).toHaveLength(2);
    let isFinished = false;
    const finished = upgrades.finished().then(() => (isFinished = true));
    await nextTurn();
    expect(isFinished).toBe(false);
    await upgrades.disconnect();
    await finished;
    expect(streams.every(({ destroyed }) => destroyed)).toBe(true);
  });
});
