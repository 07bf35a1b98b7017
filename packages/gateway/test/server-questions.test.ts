/** Tests who is asked a server's question if the client whose call caused it can't be asked. */
import type { CallEntry } from "@plugboard/contracts";
import { modernStdio, scriptedLegacy } from "@plugboard/testkit/start-server";
import { afterAll, beforeAll, describe, expect, it, vi } from "vitest";
import { sendToolCall } from "./helpers/raw-modern-client.ts";
import { watchInbox } from "./helpers/watch-inbox.ts";
import { startRunningHost } from "../../daemon/test/helpers/running-host.ts";
import type { RunningHost } from "../../daemon/test/helpers/running-host.ts";

let host: RunningHost;
beforeAll(async () => {
  host = await startRunningHost({ old: scriptedLegacy(), modern: modernStdio() });
});
afterAll(() => host.close());

const noForms = { capabilities: {} };
const accept = { type: "elicitation", action: "accept", content: { name: "Ada" } } as const;

it("a question to a client that supports no forms is cancelled at once, with an event, if nobody watches", async () => {
  const events: unknown[] = [];
  const stop = new AbortController();
  const follow = async () => {
    for await (const event of host.daemon.events(undefined, stop.signal)) events.push(event);
  };
  const followed = follow().catch(() => {});
  const startedAt = performance.now();
  const { result } = await sendToolCall(host, "old__ask", {}, noForms);
  expect(result?.content).toMatchObject([{ text: expect.stringContaining("cancel") as string }]);
  expect(performance.now() - startedAt).toBeLessThan(4000);
  const unattended = { type: "question.unattended", owner: "workspace", server: "old", tool: "ask" };
  await vi.waitFor(() => expect(events).toContainEqual(expect.objectContaining(unattended)));
  stop.abort();
  await followed;
});

it("a server that asks a modern client without sampling for a sample gets an error, and can finish its call", async () => {
  const { error, result } = await sendToolCall(host, "old__ask_sampling", {}, { capabilities: {} });
  expect(error).toBeUndefined();
  expect(JSON.stringify(result)).toContain("-32601");
});

describe.each([
  ["legacy", "old", "ask", /answer: .*Ada/],
  ["modern", "modern", "ask_name", /hello Ada/],
])("a question of a %s server to a client that supports no forms", (_, server, tool, greeting) => {
  it("goes to a user who watches the inbox, with the name of the client", async () => {
    const asked = await watchInbox(host, () => accept);
    const { result } = await sendToolCall(host, `${server}__${tool}`, {}, noForms);
    expect(result?.content).toMatchObject([{ text: expect.stringMatching(greeting) as string }]);
    const requestedBy = { kind: "front", principal: { name: "owner" } };
    const entries = await host.daemon.workspace.activity.recent({ server });
    const { call } = entries.find((entry): entry is CallEntry => entry.type === "call")!;
    expect(asked).toMatchObject([{ type: "elicitation", owner: "workspace", requestedBy, server, tool, call }]);
  });

  it("is withdrawn when the client cancels its call", async () => {
    const asked = await watchInbox(host, () => undefined);
    const gone = new AbortController();
    const calling = sendToolCall(host, `${server}__${tool}`, {}, { ...noForms, signal: gone.signal });
    calling.catch(() => {});
    await vi.waitFor(() => expect(asked).toHaveLength(1));
    gone.abort();
    const { inbox } = host.daemon.workspace;
    await vi.waitFor(async () => expect(await inbox.list()).toEqual([]));
  });
});
