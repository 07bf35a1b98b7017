/** One request of a client, as the parts of the handler get it. */
import { HostError } from "@plugboard/contracts";
import type { Caller, Progress } from "@plugboard/contracts";
import type { FrontContext, Op, Outcome, Resumed } from "@plugboard/mcp";
import type { FrontSink } from "../parking/suspended-calls.ts";

export interface FrontRequest {
  readonly caller: Caller;
  readonly ctx: FrontContext;
  readonly sink: FrontSink;
  /** Set if the request continues a call that was suspended. */
  readonly resumed?: Resumed | undefined;
}

export function frontSink({ onProgress }: FrontContext): FrontSink {
  return { onProgress };
}

/** Returns a function that passes progress to the request that is current at that time. */
export function progressTo(sink: FrontSink): (progress: Progress) => void {
  return (progress) => sink.onProgress?.(progress);
}

export function notOffered({ method }: Op): Outcome {
  return { type: "failed", error: new HostError("NOT_OFFERED", { server: "plugboard", method }) };
}
