/** What zod has found, in words. */
import type * as z from "zod/mini";

/** What is wrong, and with which part of an entry; with the whole if the path is empty. */
export interface Mistake {
  readonly path: readonly string[];
  readonly what: string;
}

/** `place`: what the object is, for a key that has no meaning there. */
export function explainIssue(issue: z.core.$ZodIssue, given: unknown, place: string): Mistake {
  const path = issue.path.map(String);
  if (issue.code === "unrecognized_keys") {
    return { path: [...path, ...issue.keys.slice(0, 1)], what: `has no meaning for ${place}` };
  }
  const found = path.reduce<unknown>((inside, key) => (inside as { [key: string]: unknown } | undefined)?.[key], given);
  return { path, what: found === undefined ? "is missing" : issue.message };
}
