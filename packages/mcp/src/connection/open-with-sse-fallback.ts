/**
 * Opens a transport to the target and a session on it. If an HTTP server supports only the older HTTP+SSE transport,
 * falls back to it, and later attempts use it at once.
 */
import { HostError } from "@plugboard/contracts";
import type { Era, HttpTarget } from "@plugboard/contracts";
import { SSE_ERA } from "../dialect/detect-era.ts";
import { openSession } from "../dialect/open-session.ts";
import type { SessionOptions } from "../dialect/open-session.ts";
import type { Session } from "../session/session.ts";
import type { SseTransport } from "../transport/sse/sse-transport.ts";
import type { Transport } from "../wire/transport.ts";
import { httpOptions, openTransport } from "./open-transport.ts";
import type { TransportAttempt, TransportOptions } from "./open-transport.ts";
import type { Target } from "./target.ts";

/** How to reach a server. The same for every attempt of a connection. */
export interface ServerEndpoint {
  readonly target: Target;
  readonly transport: TransportOptions;
  readonly session: SessionOptions;
  readonly hints: TransportHints;
}

/** Kept from one attempt to the next. */
interface TransportHints {
  needsSse: boolean;
}

export interface OpenAttempt extends TransportAttempt {
  readonly rememberedEra?: Era | undefined;
  readonly onlyEra?: Era | undefined;
  /** Called when the open session is lost. */
  readonly onClosed: (error: HostError) => void;
}

/** Returns an open session. HTTP+SSE exists only in one era, so the era needs no detection there. */
export async function openWithSseFallback(endpoint: ServerEndpoint, attempt: OpenAttempt): Promise<Session> {
  const { target, transport, session, hints } = endpoint;
  const connect = () => openTransport(target, transport, attempt);
  if (target.transport === "sse") return openSseSession(endpoint, attempt, connect);
  if (target.transport !== "http") return openSession(session, { ...attempt, connect });
  const sse = hints.needsSse ? await probeSse(target, endpoint, attempt) : undefined;
  hints.needsSse = sse !== undefined;
  if (sse) return openOverSse(target, sse, endpoint, attempt);
  try {
    return await openSession(session, { ...attempt, connect });
  } catch (error) {
    const { onlyEra = SSE_ERA } = attempt;
    const probed = onlyEra === SSE_ERA && mayNeedSse(error) ? await probeSse(target, endpoint, attempt) : undefined;
    if (!probed) throw error;
    hints.needsSse = true;
    return openOverSse(target, probed, endpoint, attempt);
  }
}

function openSseSession(
  { session }: ServerEndpoint,
  attempt: OpenAttempt,
  connect: () => Promise<Transport>,
): Promise<Session> {
  return openSession(session, { ...attempt, connect, rememberedEra: SSE_ERA });
}

/** Returns the transport if the server speaks HTTP+SSE at this URL. */
async function probeSse(
  { url, headers }: HttpTarget,
  { transport, session }: ServerEndpoint,
  { signal }: OpenAttempt,
): Promise<SseTransport | undefined> {
  const { probeSse: probe } = await import("../transport/sse/probe-sse.ts");
  const { clock, serverClock = clock } = session;
  return probe({ ...httpOptions(url, headers, transport), clock: serverClock, signal });
}

/** Uses the transport that the probe has opened, and a new one if the session is opened a second time. */
function openOverSse(
  { url, headers }: HttpTarget,
  probed: SseTransport,
  endpoint: ServerEndpoint,
  attempt: OpenAttempt,
): Promise<Session> {
  let next: SseTransport | undefined = probed;
  return openSseSession(endpoint, attempt, async () => {
    const opened = next;
    next = undefined;
    return opened ?? openTransport({ transport: "sse", url, headers }, endpoint.transport, attempt);
  });
}

/** True for the HTTP statuses with which an HTTP+SSE server rejects a POST to its URL. */
function mayNeedSse(thrown: unknown): boolean {
  const error = thrown instanceof HostError && thrown.code === "WRONG_PROTOCOL" ? thrown.cause : thrown;
  if (!(error instanceof HostError) || error.code !== "UNEXPECTED_RESPONSE") return false;
  const { status } = error.details as { readonly status?: number };
  return status === 400 || status === 404 || status === 405;
}
