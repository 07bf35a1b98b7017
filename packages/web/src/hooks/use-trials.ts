/** Gives components the calls that the user tries on the page. */
import { useSyncExternalStore } from "react";
import { itemKey } from "../format/item-key.ts";
import { useClient } from "./context.tsx";
import type { Trial } from "../store/tool-trials.ts";

export function useTrial(server: string, tool: string): Trial | undefined {
  return useTrials().get(itemKey(server, tool));
}

/** Returns the trials of all tools, oldest first. */
export function useTrials(): ReadonlyMap<string, Trial> {
  const { trials } = useClient().toolTrials;
  return useSyncExternalStore(trials.subscribe, trials.get);
}
