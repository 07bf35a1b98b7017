/**
 * What a peer needs of whatever carries its messages. A transport moves
 * envelopes and knows no method; eras and meanings live in `dialect/`.
 */
import type { HostError } from "@plugboard/contracts";
import type { ParsedMessage, Message, RequestId } from "./message.ts";

export interface Transport {
  /** Whether all messages share one wire; otherwise each request has a stream of its own, on which its answer comes. */
  readonly multiplexed: boolean;
  /** Begins delivery. Called once, before anything is sent. */
  start(events: TransportEvents): void;
  /**
   * Headers accompany the message where the wire has any. Resolves once the other side has taken it (nothing to wait
   * for: it has), and rejects or throws a `HostError` if it can't be delivered. A request may be stated as `lost` instead.
   */
  send(message: Message, headers?: WireHeaders): Promise<void> | undefined;
  /**
   * Opens the stream on which the server may speak of its own accord, where the wire keeps one apart. Called again for
   * each new session, whose stream takes the place of the last. The headers accompany everything of that session.
   */
  openPushStream?(headers: WireHeaders): void;
  /**
   * What is sent next opens a new session. The one before stays in use until then, even if the server has forgotten it;
   * what is returned goes back to it, if no new one came of it.
   */
  beginNewSession?(): () => void;
  /** The answer to that request is no longer wanted: what is kept open for it alone is closed. */
  closeRequestStream(id: RequestId): void;
  close(): Promise<void>;
}

export interface TransportEvents {
  /** `via` is the request on whose own stream it came; absent where the wire is shared. */
  message(incoming: ParsedMessage, relatedRequestId?: RequestId): void;
  /**
   * That request will get no answer any more; the others are not affected. SESSION_LOST and SERVER_OVERLOADED say that
   * it was refused before it ran; nothing is ever sent again from here. A SESSION_LOST with a cause is a guess: that is
   * what was said, and it may be the answer.
   */
  requestFailed(id: RequestId, error: HostError): void;
  /** Nothing comes any more. Stated once. */
  closed(error: HostError): void;
}

export type WireHeaders = { readonly [name: string]: string };
