/** The answers that a test scripts, independent of the wire format. */
import type { ModelServerRequest } from "./read-request.ts";

export type ScriptedAnswer =
  | StreamedAnswer
  | ErrorAnswer
  | ((request: ModelServerRequest) => StreamedAnswer | ErrorAnswer);

export interface StreamedAnswer {
  readonly parts: readonly AnswerPart[];
  /** By default `tool_calls` if there are any, else `stop`. */
  readonly finish?: "stop" | "tool_calls" | "length";
  readonly usage?: AnswerUsage;
}

export type AnswerPart =
  | { readonly text: string }
  | { readonly reasoning: string }
  /** `args`: a string is sent unchanged, also if it is not JSON. */
  | { readonly call: string; readonly args?: object | string; readonly id?: string }
  /** Sends the rest of the answer when the promise is resolved. */
  | { readonly waitFor: Promise<unknown> }
  /** `socket`: closes the connection. `end`: ends the response as if it was complete. */
  | { readonly breakOff: "socket" | "end" }
  /** An error event inside the stream. */
  | { readonly error: { readonly type: string; readonly message: string } };

export interface AnswerUsage {
  /** Without the tokens from the cache. */
  readonly input?: number;
  readonly output?: number;
  readonly cacheRead?: number;
  readonly cacheWrite?: number;
}

export interface ErrorAnswer {
  readonly status: number;
  readonly type?: string;
  readonly message?: string;
  readonly headers?: { readonly [name: string]: string };
}
