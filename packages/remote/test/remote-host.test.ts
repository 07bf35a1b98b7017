/** Tests the event streams of a remote host, against a host that sends what the test says. */
import { controlPaths } from "@plugboard/contracts";
import type { HostEvent } from "@plugboard/contracts";
import { describe, expect, it } from "vitest";
import { AsyncQueue } from "#http/async-queue.js";
import type { FetchLike } from "#http/fetch-like.js";
import { connectRemote } from "#remote-host.js";

const OPENED = {
  channel: "c",
  caller: { kind: "cli", id: "x" },
  seq: 3,
  version: "1.0.0",
  opened: { workspace: "w", problems: [], variables: [] },
};

/** Connects to a host. `channel` and `events` are its event streams. A call has the result "done", after event 5. */
async function connect() {
  const channel = new AsyncQueue<Uint8Array>();
  const events = new AsyncQueue<Uint8Array>();
  const call = new AsyncQueue<Uint8Array>();
  const bodies = new Map([
    [controlPaths.channels, channel],
    [controlPaths.events("c", 4), events],
    [controlPaths.invoke("c", "w", "tools.call"), call],
  ]);
  const fetch: FetchLike = async (path, { signal }) => {
    const body = bodies.get(path)!;
    signal?.addEventListener("abort", () => body.end());
    return { status: 200, body };
  };
  send(channel, OPENED);
  send(call, { result: "done", seq: 5 });
  const host = await connectRemote({ fetch, version: "1.0.0", kind: "cli", receivesEvents: true });
  return { host, workspace: host.opened!.workspace, channel, events };
}

function send(stream: AsyncQueue<Uint8Array>, data: unknown): void {
  stream.push(new TextEncoder().encode(`data: ${JSON.stringify(data)}\n\n`));
}

async function collect(events: AsyncIterable<HostEvent>): Promise<number[]> {
  const seqs: number[] = [];
  for await (const { seq } of events) seqs.push(seq);
  return seqs;
}

describe("RemoteHost.events", () => {
  it.each([
    ["the stream of the channel", 3, "channel"],
    ["a stream of its own", 4, "events"],
  ] as const)("yields the events before a result that arrive after it, on %s", async (_, after, stream) => {
    const { host, workspace, ...streams } = await connect();
    const stop = new AbortController();
    const seqs = collect(host.events(after, stop.signal));
    expect(await workspace.tools.call("s:ask")).toBe("done");
    stop.abort();
    send(streams[stream], { seq: 5, type: "question.unattended" });
    expect(await seqs).toEqual([5]);
  });

  it("ends at once for a reader that has got the events before the last result", async () => {
    const { host, workspace, channel } = await connect();
    const stop = new AbortController();
    const events = host.events(3, stop.signal)[Symbol.asyncIterator]();
    send(channel, { seq: 5, type: "question.unattended" });
    expect(await events.next()).toMatchObject({ value: { seq: 5 } });
    expect(await workspace.tools.call("s:ask")).toBe("done");
    const next = events.next();
    stop.abort();
    expect(await next).toEqual({ done: true, value: undefined });
  });

  it("ends when the host is closed, even if events before a result are missing", async () => {
    const { host, workspace } = await connect();
    const stop = new AbortController();
    const seqs = collect(host.events(3, stop.signal));
    expect(await workspace.tools.call("s:ask")).toBe("done");
    stop.abort();
    await host.close();
    expect(await seqs).toEqual([]);
  });
});
