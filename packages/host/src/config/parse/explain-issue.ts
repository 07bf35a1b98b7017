/** What zod has found, in words. */
import type * as z from "zod/mini";

/** What is wrong, and with which part of an entry; with the whole if the path is empty. */
export interface EntryIssue {
  readonly path: readonly string[];
  readonly what: string;
}

/** `place`: what the object is, for a key that has no meaning there. */
export function explainIssue(issue: z.core.$ZodIssue, input: unknown, subject: string): EntryIssue {
  const path = issue.path.map(String);
  if (issue.code === "unrecognized_keys") {
    return { path: [...path, ...issue.keys.slice(0, 1)], what: `has no meaning for ${subject}` };
  }
  const found = path.reduce<unknown>((inside, key) => (inside as { [key: string]: unknown } | undefined)?.[key], input);
  return { path, what: found === undefined ? "is missing" : issue.message };
}
