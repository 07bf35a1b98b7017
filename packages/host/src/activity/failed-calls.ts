/**
 * The reasons and the arguments of the latest failed calls, in memory only. They contain texts of servers and callers,
 * which the journal and the events leave out. Only the owner of the host can read them.
 */
import type { CallFailure, HostError, Json, JsonObject, Redactor } from "@plugboard/contracts";
import { redactArguments } from "@plugboard/config";
import type { RedactedArguments } from "@plugboard/config";

const MAX_CALLS = 500;
const MAX_REASON_CHARS = 4000;
const MAX_ARGUMENT_CHARS = 16_384;
/** Limits the arguments of all calls together. The oldest arguments are dropped first. */
const MAX_TOTAL_CHARS = 2_097_152;

export class FailedCalls {
  /** By the id of the call, oldest first. */
  readonly #reasons = new Map<string, string>();
  readonly #arguments = new Map<string, RedactedArguments>();
  #argumentChars = 0;

  /** Returns an empty object if the call did not fail, or if the host no longer has anything about it. */
  find(call: string): CallFailure {
    const reason = this.#reasons.get(call);
    return { ...(reason !== undefined && { reason }), ...toFailure(this.#arguments.get(call)) };
  }

  readonly recordError = (call: string, error: HostError): void => this.#recordReason(call, error.message);

  /** Records the text of a result with `isError`. */
  readonly recordResult = (call: string, content: Json | undefined): void => {
    const texts = Array.isArray(content) ? content.flatMap(textOf) : [];
    if (texts.length > 0) this.#recordReason(call, texts.join("\n"));
  };

  /** Masks secrets, and cuts long arguments. */
  readonly recordArguments = (call: string, args: JsonObject, redactor: Redactor | undefined): void => {
    const recorded = redactArguments(args, redactor, MAX_ARGUMENT_CHARS);
    this.#arguments.set(call, recorded);
    this.#argumentChars += recorded.json.length;
    for (const [oldest, { json }] of this.#arguments) {
      if (this.#arguments.size <= MAX_CALLS && this.#argumentChars <= MAX_TOTAL_CHARS) return;
      this.#arguments.delete(oldest);
      this.#argumentChars -= json.length;
    }
  };

  #recordReason(call: string, reason: string): void {
    this.#reasons.set(call, reason.length > MAX_REASON_CHARS ? `${reason.slice(0, MAX_REASON_CHARS)}…` : reason);
    if (this.#reasons.size > MAX_CALLS) this.#reasons.delete(this.#reasons.keys().next().value!);
  }
}

function toFailure(recorded: RedactedArguments | undefined): CallFailure {
  if (!recorded) return {};
  const { json, isCut, isMasked } = recorded;
  const args = isCut ? { cutArguments: json } : { arguments: JSON.parse(json) as JsonObject };
  return { ...args, ...(isMasked && { masked: true }) };
}

function textOf(block: Json): string[] {
  if (typeof block !== "object" || block === null || Array.isArray(block)) return [];
  return block["type"] === "text" && typeof block["text"] === "string" ? [block["text"]] : [];
}
