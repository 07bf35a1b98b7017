/**
 * Opens the conversation with a server over the wire its definition names. An
 * HTTP server that turns out to speak only HTTP+SSE is spoken with that way,
 * and from then on at once.
 */
import { HostError } from "@plugboard/contracts";
import { openSession } from "../dialect/open-session.ts";
import type { OpenOptions } from "../dialect/open-session.ts";
import type { Session } from "../dialect/session.ts";
import type { SseTransport } from "../transport/sse.ts";
import { httpOptions, openTransport } from "./open-transport.ts";
import type { TransportPorts } from "./open-transport.ts";
import type { HttpTarget, Target } from "./target.ts";

/** What one attempt found out for the next. */
export interface Findings {
  speaksSse: boolean;
}

export type ReachOptions = Omit<OpenOptions, "connect"> & TransportPorts;

/** HTTP+SSE is older than the newer era: nothing is found out there. */
export async function reach(target: Target, options: ReachOptions, findings: Findings): Promise<Session> {
  const connect = () => openTransport(target, options);
  if (target.transport === "sse") return openSession({ ...options, connect, remembered: "legacy" });
  if (target.transport !== "http") return openSession({ ...options, connect });
  const sse = findings.speaksSse ? await findSse(target, options) : undefined;
  findings.speaksSse = sse !== undefined;
  if (sse) return openSse(target, sse, options);
  try {
    return await openSession({ ...options, connect });
  } catch (error) {
    const found = mayBeSse(error) ? await findSse(target, options) : undefined;
    if (!found) throw error;
    findings.speaksSse = true;
    return openSse(target, found, options);
  }
}

async function findSse({ url, headers }: HttpTarget, options: ReachOptions): Promise<SseTransport | undefined> {
  const { opensSse } = await import("../transport/opens-sse.ts");
  const { signal, clock, serverTime = clock } = options;
  return opensSse({ ...httpOptions(url, headers, options), clock: serverTime, signal });
}

function openSse({ url, headers }: HttpTarget, first: SseTransport, options: ReachOptions): Promise<Session> {
  let found: SseTransport | undefined = first;
  const connect = async () => {
    const transport = found;
    found = undefined;
    return transport ?? openTransport({ transport: "sse", url, headers }, options);
  };
  return openSession({ ...options, connect, remembered: "legacy" });
}

/** How a server refuses that does not know what a POST to its address is. */
function mayBeSse(error: unknown): boolean {
  if (!(error instanceof HostError) || error.code !== "UNEXPECTED_RESPONSE") return false;
  const { status } = error.details as { readonly status?: number };
  return status === 400 || status === 404 || status === 405;
}
