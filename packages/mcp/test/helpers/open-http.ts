/** Opens an HTTP transport without a peer and records its events. Closes it after the test. */
import { startScriptedHttp } from "@plugboard/testkit/start-server";
import type { ScriptedHttp } from "@plugboard/testkit/start-server";
import type { HostError } from "@plugboard/contracts";
import { HttpTransport } from "#transport/streamable-http/http-transport.js";
import type { HttpTransportOptions } from "#transport/streamable-http/http-transport.js";
import type { ParsedMessage, RequestId, RequestMessage } from "#wire/message.js";
import type { Transport, TransportEvents } from "#wire/transport.js";
import { onTestFinished, vi } from "vitest";

export interface TransportRecording {
  /** The messages. `via` is the request on whose stream a message came. */
  readonly messages: { readonly incoming: ParsedMessage; readonly via: RequestId | undefined }[];
  /** The errors of failed requests. */
  readonly lost: Map<RequestId, HostError>;
  readonly closed: HostError[];
}

type Handler = Parameters<typeof startScriptedHttp>[0];

export function openHttp(
  url: string,
  options: Partial<HttpTransportOptions> = {},
  overrides: Partial<TransportEvents> = {},
) {
  const transport = new HttpTransport({
    server: "tested",
    url,
    headers: {},
    maxMessageBytes: 1e6,
    env: {},
    ...options,
  });
  return { transport, ...recordTransport(transport, overrides) };
}

export function recordTransport(transport: Transport, overrides: Partial<TransportEvents> = {}): TransportRecording {
  const recording: TransportRecording = { messages: [], lost: new Map(), closed: [] };
  transport.start({
    message(incoming, via) {
      recording.messages.push({ incoming, via });
      overrides.message?.(incoming, via);
    },
    requestFailed: (id, error) => void recording.lost.set(id, error),
    closed: (error) => void recording.closed.push(error),
  });
  onTestFinished(() => transport.close());
  return recording;
}

/** Starts a server for one test. */
export async function startTestHttp(handler: Handler): Promise<ScriptedHttp> {
  const server = await startScriptedHttp(handler);
  onTestFinished(() => server.close());
  return server;
}

export const request = (id: RequestId, method = "tools/call"): RequestMessage => ({ jsonrpc: "2.0", id, method });

/** Returns a result with a text that identifies it. */
export const result = (id: RequestId, text = "done") => ({ jsonrpc: "2.0", id, result: { text } });

export const logNotification = (text: string) => ({
  jsonrpc: "2.0",
  method: "notifications/message",
  params: { text },
});

/** Formats an SSE event. */
export function sseEvent(message: object | "", fields: { id?: string; retry?: number } = {}): string {
  const lines = [
    ...(fields.id === undefined ? [] : [`id: ${fields.id}`]),
    ...(fields.retry === undefined ? [] : [`retry: ${fields.retry}`]),
    `data: ${message === "" ? "" : JSON.stringify(message)}`,
  ];
  return `${lines.join("\n")}\n\n`;
}

/** Returns the texts of the received messages, in order. */
export function messageTexts({ messages }: TransportRecording): unknown[] {
  return messages.map(({ incoming }) => {
    if (incoming.type === "result") return incoming.message.result["text"];
    return incoming.type === "notification" ? incoming.message.params?.["text"] : incoming.type;
  });
}

/** Waits with a long timeout, for a loaded machine. */
export function eventually(assertion: () => void): Promise<void> {
  return vi.waitFor(assertion, { timeout: 10_000, interval: 5 });
}
