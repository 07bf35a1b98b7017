/** The stream for one request of a gateway client. It carries progress and questions first, then the response. */
import type { JsonObject, PeerError } from "@plugboard/contracts";
import type { Message } from "./message.ts";

export interface ResponseStream {
  /** A message is a response if `requestMethod` is given: the method of the request that it answers. */
  send(message: Message, revision: string, requestMethod?: string): void;
  /** Ends the stream without a response, for a cancelled request. */
  end(): void;
}

/** Calls the listener when the client stops reading the stream. If the client has already stopped, calls it at once. */
export type OnDisconnect = (listener: () => void) => void;

export type SendResponse = (body: { result: JsonObject } | { error: PeerError }) => void;
