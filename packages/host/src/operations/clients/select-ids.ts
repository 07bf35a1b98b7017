/** Checks the ids of servers that the user has named. */
import { HostError, nearest } from "@plugboard/contracts";

/** Throws USAGE for an unknown id, with the most similar known id. */
export function selectIds(ids: readonly string[], known: readonly string[], command: string): ReadonlySet<string> {
  const unknown = ids.find((id) => !known.includes(id));
  if (unknown === undefined) return new Set(ids);
  const suggestion = nearest(unknown, known);
  const message = `there is no server "${unknown}"`;
  throw new HostError("USAGE", { message, command, ...(suggestion !== undefined && { suggestion }) });
}
