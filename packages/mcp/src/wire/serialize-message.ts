/** Serializes a message. Throws INVALID_ARGUMENTS if the arguments of a program cannot be written as JSON. */
import { HostError } from "@plugboard/contracts";
import type { Message } from "./message.ts";

export function serializeMessage(message: Message): string {
  try {
    return JSON.stringify(message);
  } catch (error) {
    throw new HostError("INVALID_ARGUMENTS", { reason: describeFailure(error) }, { cause: error });
  }
}

function describeFailure(error: unknown): string {
  if (error instanceof RangeError) return "they are nested too deep or too long for JSON";
  const [first = ""] = error instanceof Error ? error.message.split("\n", 1) : [];
  return `they can't be written as JSON (${first})`;
}
