/** Finds a tool call of the chat that a command refers to. Pure. */
import type { ChatCallEntry, ChatTranscript } from "@plugboard/contracts";

/** Returns the latest call with a result, or the one with the number. */
export function findCall({ entries }: ChatTranscript, number?: number): ChatCallEntry | undefined {
  return entries.findLast(
    (entry) => entry.type === "call" && (number === undefined ? entry.result !== undefined : entry.number === number),
  ) as ChatCallEntry | undefined;
}
