/** Finds out whether a URL is a server of the HTTP+SSE transport of 2024-11-05, which is told by its first event. */
import { HostError, toHostError } from "@plugboard/contracts";
import { systemClock } from "../clock.ts";
import { isAboutLogin } from "../wire/about-login.ts";
import type { HttpOptions } from "./http.ts";
import { SseTransport } from "./sse.ts";

export interface OpensSseOptions extends HttpOptions {
  /** How long the first event may take. */
  readonly withinMs?: number;
  readonly signal?: AbortSignal;
}

const WITHIN_MS = 5000;

/** The transport, open; nothing if that is no such server. Rejects with a `HostError` if it is one that can't be used. */
export async function opensSse({
  withinMs = WITHIN_MS,
  signal,
  ...options
}: OpensSseOptions): Promise<SseTransport | undefined> {
  const { server, clock = systemClock } = options;
  const transport = new SseTransport(options);
  const giveUp = () => void transport.close();
  const stopTimer = clock.after(withinMs, giveUp);
  signal?.addEventListener("abort", giveUp, { once: true });
  try {
    if (signal?.aborted) throw new HostError("CONNECTION_CLOSED", { server });
    await transport.open();
    return transport;
  } catch (thrown) {
    await transport.close();
    const error = toHostError(thrown);
    if (isUnusable(error)) throw error;
    return undefined;
  } finally {
    stopTimer();
    signal?.removeEventListener("abort", giveUp);
  }
}

/** It is such a server, but it wants a login, or its messages sent elsewhere; other answers have a status. */
function isUnusable(error: HostError): boolean {
  return isAboutLogin(error) || (error.code === "UNEXPECTED_RESPONSE" && !("status" in error.details));
}
