/** Reads a list of server ids, such as `github,linear`. */
import { usageError } from "../../command-line/usage-error.ts";

/** Throws USAGE for an id that is not known, with the nearest known one. */
export function splitIds(text: string, known: readonly string[], command: string): ReadonlySet<string> {
  const ids = text
    .split(",")
    .map((id) => id.trim())
    .filter((id) => id !== "");
  const unknown = ids.find((id) => !known.includes(id));
  if (unknown !== undefined) throw usageError(`there is no server "${unknown}"`, { command, typed: unknown, known });
  return new Set(ids);
}
