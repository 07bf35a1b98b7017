/** Measures how long a call waits for answers of the user. */
import type { HostEvent } from "@plugboard/contracts";
import { isAboutCall } from "./page-call.ts";
import type { PageCall } from "./page-call.ts";

export type OnEvent = (listener: (event: HostEvent) => void) => () => void;

/**
 * Counts the time while at least one question about the call is open. The returned function stops counting, and returns
 * the milliseconds.
 */
export function measureQuestionWait(onEvent: OnEvent, call: PageCall): () => number {
  const open = new Set<string>();
  let [waited, since] = [0, 0];
  const stop = onEvent((event) => {
    if (event.type === "question.asked" && isAboutCall(event.question, call)) {
      if (open.size === 0) since = performance.now();
      open.add(event.question.id);
    } else if (event.type === "question.settled" && open.delete(event.question.id) && open.size === 0) {
      waited += performance.now() - since;
    }
  });
  return () => {
    stop();
    return open.size === 0 ? waited : waited + performance.now() - since;
  };
}
