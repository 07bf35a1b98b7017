/** Connects to the `raw-writer` fixture, with a connection or with a bare peer. */
import { StdioTransport } from "#transport/lines/stdio-transport.js";
import type { RpcResponse } from "#wire/outgoing-request.js";
import { Peer } from "#wire/peer.js";
import type { PeerRequestOptions } from "#wire/peer.js";
import type { JsonObject } from "@plugboard/contracts";
import { systemClock } from "@plugboard/contracts";
import { expect } from "vitest";
import { fixtureSpec, fixturePath, makeProcesses } from "./start-process.ts";

export function rawWriterCommand(...flags: readonly string[]) {
  return { command: process.execPath, args: [fixturePath("raw-writer"), ...flags] };
}

/** Formats a message as one line. */
export function rawLine(message: object): string {
  return `${JSON.stringify({ jsonrpc: "2.0", ...message })}\n`.replaceAll('"$ID"', "$ID");
}

/** Formats a response to the call that makes the fixture write. The fixture replaces `$ID` with the id of the call. */
export function rawAnswer(text: string): string {
  return rawLine({ id: "$ID", result: { content: [{ type: "text", text }] } });
}

export async function openRawWriterPeer() {
  const process = await makeProcesses().start(fixtureSpec("raw-writer"));
  const transport = new StdioTransport({ server: "tested", process, clock: systemClock, maxMessageBytes: 1024 * 1024 });
  const peer = new Peer({ server: "tested", transport, clock: systemClock });
  const request = (name: string, args: JsonObject, options: PeerRequestOptions = {}) =>
    peer.request("tools/call", () => ({ name, arguments: args }), { timeoutMs: 15_000, ...options });
  return {
    peer,
    request,
    /** Resolves when all earlier output of the fixture has been read. */
    async echo() {
      const reply = await request("echo", { text: "on" }).response;
      expect(replyText(reply)).toBe("on");
    },
  };
}

export function replyText(reply: RpcResponse): string | undefined {
  if (!reply.ok) throw new Error(`expected a result, got ${JSON.stringify(reply)}`);
  return (reply.result["content"] as { text: string }[])[0]?.text;
}
