/** Where the answer to a front's request goes, and what belongs to it: progress, questions, then the answer. */
import type { JsonObject, PeerError } from "@plugboard/contracts";
import type { Message } from "./message.ts";

export interface ResponseStream {
  /** `answers` is the method of the request that a response answers. */
  send(message: Message, revision: string, requestMethod?: string): void;
  /** Nothing more comes: the request was given up and gets no answer. */
  end(): void;
}

export type SendResponse = (body: { result: JsonObject } | { error: PeerError }) => void;
