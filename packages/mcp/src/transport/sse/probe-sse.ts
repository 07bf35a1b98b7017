/** Finds out whether a URL is a server of the HTTP+SSE transport of 2024-11-05, which is told by its first event. */
import { HostError, toHostError } from "@plugboard/contracts";
import { systemClock } from "../../lib/clock.ts";
import { isAuthError } from "../../wire/is-auth-error.ts";
import type { HttpTransportOptions } from "../streamable-http/http-transport.ts";
import { SseTransport } from "./sse-transport.ts";

export interface ProbeSseOptions extends HttpTransportOptions {
  /** How long the first event may take. */
  readonly timeoutMs?: number;
  readonly signal?: AbortSignal;
}

const DEFAULT_TIMEOUT_MS = 5000;

/** The transport, open; nothing if that is no such server. Rejects with a `HostError` if it is one that can't be used. */
export async function probeSse({
  timeoutMs = DEFAULT_TIMEOUT_MS,
  signal,
  ...options
}: ProbeSseOptions): Promise<SseTransport | undefined> {
  const { server, clock = systemClock } = options;
  const transport = new SseTransport(options);
  const abort = () => void transport.close();
  const stopTimer = clock.after(timeoutMs, abort);
  signal?.addEventListener("abort", abort, { once: true });
  try {
    if (signal?.aborted) throw new HostError("CONNECTION_CLOSED", { server });
    await transport.open();
    return transport;
  } catch (thrown) {
    await transport.close();
    const error = toHostError(thrown);
    if (isUnusableSseServer(error)) throw error;
    return undefined;
  } finally {
    stopTimer();
    signal?.removeEventListener("abort", abort);
  }
}

/** It is such a server, but it wants a login, or its messages sent elsewhere; other answers have a status. */
function isUnusableSseServer(error: HostError): boolean {
  return isAuthError(error) || (error.code === "UNEXPECTED_RESPONSE" && !("status" in error.details));
}
