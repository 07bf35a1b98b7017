/**
 * The reasons of the latest failed calls, in memory only. A reason contains text of a server, which the journal and the
 * events leave out. Only the owner of the host can read it.
 */
import type { HostError, Json } from "@plugboard/contracts";

const MAX_CALLS = 500;
const MAX_CHARS = 4000;

export class FailedCalls {
  /** By the id of the call, oldest first. */
  readonly #reasons = new Map<string, string>();

  /** Returns undefined if the call did not fail, or if the host no longer has the reason. */
  reasonOf(call: string): string | undefined {
    return this.#reasons.get(call);
  }

  readonly recordError = (call: string, error: HostError): void => this.#record(call, error.message);

  /** Records the text of a result with `isError`. */
  readonly recordResult = (call: string, content: Json | undefined): void => {
    const texts = Array.isArray(content) ? content.flatMap(textOf) : [];
    if (texts.length > 0) this.#record(call, texts.join("\n"));
  };

  #record(call: string, reason: string): void {
    this.#reasons.set(call, reason.length > MAX_CHARS ? `${reason.slice(0, MAX_CHARS)}…` : reason);
    if (this.#reasons.size > MAX_CALLS) this.#reasons.delete(this.#reasons.keys().next().value!);
  }
}

function textOf(block: Json): string[] {
  if (typeof block !== "object" || block === null || Array.isArray(block)) return [];
  return block["type"] === "text" && typeof block["text"] === "string" ? [block["text"]] : [];
}
