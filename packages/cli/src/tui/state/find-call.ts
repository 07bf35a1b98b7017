/** Finds a tool call of the chat that a command refers to. Pure. */
import type { ChatCallEntry, ChatTranscript } from "@plugboard/contracts";

/** Returns the call with the number, or without a number the latest call that has a result. */
export function findCall({ entries }: ChatTranscript, number?: number): ChatCallEntry | undefined {
  return entries.findLast(
    (entry) => entry.type === "call" && (number === undefined ? entry.result !== undefined : entry.number === number),
  ) as ChatCallEntry | undefined;
}
