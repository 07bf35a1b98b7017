/** Decides which calls a question can belong to if it names no call. Pure: no clock, no I/O. */
import { sameCaller } from "@plugboard/contracts";
import type { CallInFlight } from "../../session/session.ts";

/**
 * Returns the calls of the only caller that the question can belong to, or undefined if it has to wait for other calls.
 * Modern HTTP requests of one client have different callers. Then the question belongs to the caller whose tool may ask
 * and has no open question yet.
 */
export function ownersAmong(inFlight: readonly CallInFlight[]): readonly CallInFlight[] | undefined {
  const calls = withoutTasks(inFlight);
  // The questions of tasks should name their task, but a server that leaves it out must not ask the wrong client.
  if (!inFlight.every((one) => !isTask(one) || sameClient(one, calls[0]!))) return undefined;
  if (haveOneCaller(calls)) {
    // Prefers calls whose tool may ask. Other calls end soon, and the question would have to move to another call.
    const likely = calls.filter(({ mayAsk, active }) => mayAsk && active);
    return likely.length > 0 ? likely : calls;
  }
  if (!calls.every((call) => sameClient(call, calls[0]!))) return undefined;
  const asking = calls.filter(({ active, mayAsk, isAsking }) => active && mayAsk && !isAsking);
  return asking.length > 0 && haveOneCaller(asking) ? asking : undefined;
}

/** Leaves out tasks while there are calls, because the questions of tasks name their task. */
function withoutTasks(inFlight: readonly CallInFlight[]): readonly CallInFlight[] {
  const calls = inFlight.filter((one) => !isTask(one));
  return calls.length > 0 ? calls : inFlight;
}

function isTask({ op }: CallInFlight): boolean {
  return op.method === "tasks/result";
}

/** Also true without calls. */
function haveOneCaller([first, ...others]: readonly CallInFlight[]): boolean {
  return others.every(({ caller }) => sameCaller(caller, first!.caller));
}

/** Two clients with the same token and name can't be told apart, so they count as one. */
function sameClient(a: CallInFlight, b: CallInFlight): boolean {
  return a.caller.kind === b.caller.kind && (a.client ?? a.caller.id) === (b.client ?? b.caller.id);
}
