/** The calls that the user wants to see. Pure. */
import type { CallRecord } from "../../store/page-state.ts";
import { isFailedCall } from "@plugboard/contracts";

export interface CallFilter {
  readonly server: string;
  readonly caller: string;
  readonly text: string;
  readonly onlyFailed: boolean;
}

export function filterCalls(
  calls: readonly CallRecord[],
  { server, caller, text, onlyFailed }: CallFilter,
): CallRecord[] {
  const word = text.trim().toLowerCase();
  return calls.filter(
    (call) =>
      (server === "" || call.server === server) &&
      (caller === "" || call.caller === caller) &&
      (!onlyFailed || isFailedCall(call)) &&
      (word === "" ||
        `${call.server}:${call.tool} ${call.client ?? ""} ${call.code ?? ""}`.toLowerCase().includes(word)),
  );
}
