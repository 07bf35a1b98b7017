/**
 * To whom a question belongs that names no call. Only if every call that could
 * have caused it is of one caller is it that caller's; never by a guess.
 */
import { sameCaller } from "@plugboard/contracts";
import type { QuestionOwner } from "@plugboard/contracts";
import type { CallInFlight } from "@plugboard/mcp";

/** `inFlight` includes calls that were given up and that the server has not settled. */
export function questionOwner(inFlight: readonly CallInFlight[]): QuestionOwner {
  const [first, ...others] = inFlight;
  if (!first) return "workspace";
  return others.every((other) => sameCaller(other.caller, first.caller)) ? first.caller : "workspace";
}
