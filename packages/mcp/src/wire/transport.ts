/**
 * The interface between a peer and its transport. A transport moves messages and knows no methods; `dialect/` gives
 * them a meaning.
 */
import type { HostError } from "@plugboard/contracts";
import type { ParsedMessage, Message, RequestId } from "./message.ts";

export interface Transport {
  /** True if all messages share one stream. False if each request has its own stream for its response. */
  readonly multiplexed: boolean;
  /** Starts delivery. Called once, before the first `send`. */
  start(events: TransportEvents): void;
  /**
   * Sends a message, with the headers if the transport has headers. Returns undefined or resolves once the message is
   * delivered. Throws or rejects with a `HostError` if it cannot be delivered; for a request, the transport may call
   * `requestFailed` instead.
   */
  send(message: Message, headers?: WireHeaders): Promise<void> | undefined;
  /**
   * Opens the separate stream for messages that belong to no request, if the transport has one. Called again for each
   * new session, which replaces the stream. All requests of the session carry the headers.
   */
  openPushStream?(headers: WireHeaders): void;
  /**
   * Makes the next request open a new session. Until its response arrives, messages are sent without a session. Returns
   * a function that restores the old session if the new one could not be opened.
   */
  beginNewSession?(): () => void;
  /** Closes the stream of a request whose response is no longer needed. */
  closeRequestStream(id: RequestId): void;
  close(): Promise<void>;
}

export interface TransportEvents {
  /** `relatedRequestId` is the request on whose stream the message came. Absent if all messages share one stream. */
  message(incoming: ParsedMessage, relatedRequestId?: RequestId): void;
  /**
   * Called when one request will get no response. SESSION_LOST and SERVER_OVERLOADED mean that the server rejected the
   * request before it ran. The transport never resends it. A SESSION_LOST with a `cause` is uncertain: the cause holds
   * the server's answer, which may be the real response.
   */
  requestFailed(id: RequestId, error: HostError): void;
  /** Called once, after the last message. */
  closed(error: HostError): void;
}

export type WireHeaders = { readonly [name: string]: string };
