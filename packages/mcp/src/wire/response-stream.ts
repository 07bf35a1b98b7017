/** The stream on which a request of a client is answered: progress and server requests first, then the response. */
import type { JsonObject, PeerError } from "@plugboard/contracts";
import type { Message } from "./message.ts";

export interface ResponseStream {
  /** `requestMethod` is the method of the request that a response answers. */
  send(message: Message, revision: string, requestMethod?: string): void;
  /** Ends the stream without a response, for a cancelled request. */
  end(): void;
}

export type SendResponse = (body: { result: JsonObject } | { error: PeerError }) => void;
