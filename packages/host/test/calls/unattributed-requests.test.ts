/** Tests which call or user a server's request is attributed to if it names no call. */
import { handleUnattributedRequests } from "#calls/ask-user.js";
import type { AskUserPorts } from "#calls/ask-user.js";
import type { Caller, HostEventData } from "@plugboard/contracts";
import type { Ask, CallInFlight } from "@plugboard/mcp";
import { describe, expect, it } from "vitest";

const client: Caller = { kind: "front", id: "client" };
const other: Caller = { kind: "front", id: "other" };
const chat: Caller = { kind: "chat", id: "chat" };
const ask = { type: "elicitation", elicitation: { mode: "form", message: "Who?", fields: [] }, rawParams: {} } as Ask;
const callOf = (caller: Caller, name: string, active = true): CallInFlight => ({
  caller,
  active,
  op: { method: "tools/call", params: { name, arguments: {} } },
});

function open({ watched }: { readonly watched: boolean }) {
  const asked: unknown[] = [];
  const events: HostEventData[] = [];
  const settled = { by: "answered", answer: { type: "elicitation", action: "decline" } };
  const ports = {
    inbox: {
      watchers: { present: watched },
      ask: async (question: unknown) => (asked.push(question), settled),
      askWatchers: async (question: unknown) => (asked.push(question), settled),
    },
    emit: (event: HostEventData) => events.push(event),
    attended: ({ kind }: Caller) => kind === "chat",
  } as unknown as AskUserPorts;
  const { signal } = new AbortController();
  const handler = handleUnattributedRequests({ server: "s", samplingAllowed: false }, ports);
  const handle = (...inFlight: CallInFlight[]) => handler(ask, inFlight, signal);
  const sample = (...inFlight: CallInFlight[]) => handler({ type: "sampling", rawParams: {} }, inFlight, signal);
  return { handle, sample, asked, events };
}

describe("a server's request that names no call", () => {
  it("is attributed to the last active call of a gateway client", () => {
    const { handle, asked } = open({ watched: true });
    const [first, second] = [callOf(client, "first"), callOf(client, "second")];
    expect(handle(first, second)).toBe(second);
    expect(handle(first, { ...second, active: false })).toBe(first);
    expect(asked).toEqual([]);
  });

  it("goes to the watchers of the inbox if the client has only cancelled calls, or several clients have calls", async () => {
    const { handle, asked } = open({ watched: true });
    expect(await handle(callOf(client, "first", false))).toEqual({ action: "decline" });
    expect(await handle(callOf(client, "first"), callOf(other, "second"))).toEqual({ action: "decline" });
    expect(await handle()).toEqual({ action: "decline" });
    expect(asked).toMatchObject([{ owner: "workspace" }, { owner: "workspace" }, { owner: "workspace" }]);
  });

  it("is cancelled if nobody watches the inbox", async () => {
    const { handle, asked, events } = open({ watched: false });
    expect(await handle(callOf(client, "first", false))).toEqual({ action: "cancel" });
    expect(asked).toEqual([]);
    expect(events).toEqual([{ type: "question.unattended", owner: "workspace", server: "s", message: "Who?" }]);
  });

  it("waits if several clients have calls, and either nobody watches the inbox or it is about sampling", () => {
    const calls = [callOf(client, "first"), callOf(other, "second")];
    const { handle, events } = open({ watched: false });
    expect(handle(...calls)).toBeUndefined();
    expect(events).toEqual([]);
    expect(open({ watched: true }).sample(...calls)).toBeUndefined();
  });

  it("goes to the user of the only caller if it is not a gateway client, and is not attributed to a call", async () => {
    const { handle, asked } = open({ watched: false });
    expect(await handle(callOf(chat, "first"), callOf(chat, "second"))).toEqual({ action: "decline" });
    expect(asked).toMatchObject([{ owner: chat, server: "s" }]);
  });
});
