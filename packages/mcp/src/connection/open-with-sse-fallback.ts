/**
 * Opens the conversation with a server over the wire its definition names. An
 * HTTP server that turns out to speak only HTTP+SSE is spoken with that way,
 * and from then on at once.
 */
import { HostError } from "@plugboard/contracts";
import { openSession } from "../dialect/open-session.ts";
import type { OpenSessionOptions } from "../dialect/open-session.ts";
import type { Session } from "../session/session.ts";
import type { SseTransport } from "../transport/sse/sse-transport.ts";
import { httpOptions, openTransport } from "./open-transport.ts";
import type { OpenTransportOptions } from "./open-transport.ts";
import type { HttpTarget, Target } from "./target.ts";

/** What one attempt found out for the next. */
export interface TransportHints {
  speaksSse: boolean;
}

export type SseFallbackOptions = Omit<OpenSessionOptions, "connect"> & OpenTransportOptions;

/** HTTP+SSE is older than the newer era: nothing is found out there. */
export async function openWithSseFallback(
  target: Target,
  options: SseFallbackOptions,
  hints: TransportHints,
): Promise<Session> {
  const connect = () => openTransport(target, options);
  if (target.transport === "sse") return openSession({ ...options, connect, rememberedEra: "legacy" });
  if (target.transport !== "http") return openSession({ ...options, connect });
  const sse = hints.speaksSse ? await trySse(target, options) : undefined;
  hints.speaksSse = sse !== undefined;
  if (sse) return openSse(target, sse, options);
  try {
    return await openSession({ ...options, connect });
  } catch (error) {
    const found = mayBeSse(error) ? await trySse(target, options) : undefined;
    if (!found) throw error;
    hints.speaksSse = true;
    return openSse(target, found, options);
  }
}

async function trySse({ url, headers }: HttpTarget, options: SseFallbackOptions): Promise<SseTransport | undefined> {
  const { probeSse } = await import("../transport/sse/probe-sse.ts");
  const { signal, clock, serverClock = clock } = options;
  return probeSse({ ...httpOptions(url, headers, options), clock: serverClock, signal });
}

function openSse({ url, headers }: HttpTarget, first: SseTransport, options: SseFallbackOptions): Promise<Session> {
  let found: SseTransport | undefined = first;
  const connect = async () => {
    const transport = found;
    found = undefined;
    return transport ?? openTransport({ transport: "sse", url, headers }, options);
  };
  return openSession({ ...options, connect, rememberedEra: "legacy" });
}

/** How a server refuses that does not know what a POST to its address is. */
function mayBeSse(error: unknown): boolean {
  if (!(error instanceof HostError) || error.code !== "UNEXPECTED_RESPONSE") return false;
  const { status } = error.details as { readonly status?: number };
  return status === 400 || status === 404 || status === 405;
}
