/** Converts a zod issue to messages for people. */
import type * as z from "zod/mini";

/** A problem of an entry. An empty path means the whole entry. */
export interface EntryIssue {
  readonly path: readonly string[];
  readonly message: string;
}

/** `subject` names the object in messages about keys that are not allowed there. */
export function explainIssue(issue: z.core.$ZodIssue, input: unknown, subject: string): EntryIssue[] {
  const path = issue.path.map(String);
  if (issue.code === "unrecognized_keys")
    return issue.keys.map((key) => ({ path: [...path, key], message: `is not allowed for ${subject}` }));
  const invalidValue = path.reduce<unknown>(
    (parent, key) => (parent as { [key: string]: unknown } | undefined)?.[key],
    input,
  );
  return [{ path, message: invalidValue === undefined ? "is missing" : issue.message }];
}
