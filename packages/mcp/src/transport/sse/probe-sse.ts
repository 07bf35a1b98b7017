/**
 * Tests whether a URL is a server of the HTTP+SSE transport (2024-11-05). Such a server sends an `endpoint` event
 * first.
 */
import { HostError, toHostError, systemClock } from "@plugboard/contracts";
import { isAuthError } from "../../wire/is-auth-error.ts";
import type { HttpTransportOptions } from "../streamable-http/http-transport.ts";
import { SseTransport } from "./sse-transport.ts";

export interface ProbeSseOptions extends HttpTransportOptions {
  /** How long to wait for the first event. */
  readonly timeoutMs?: number;
  readonly signal?: AbortSignal;
}

const DEFAULT_TIMEOUT_MS = 5000;

/**
 * Resolves with an open transport, or with undefined if the URL is not an HTTP+SSE server. Rejects if it is one but
 * can't be used.
 */
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

/**
 * Returns true for an HTTP+SSE server that requires a login or names an endpoint of another origin. Only the latter is an
 * UNEXPECTED_RESPONSE without an HTTP status.
 */
function isUnusableSseServer(error: HostError): boolean {
  return isAuthError(error) || (error.code === "UNEXPECTED_RESPONSE" && !("status" in error.details));
}
