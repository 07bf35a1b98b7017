/** Phrases what the user should know about an entry of another client. The notes never quote a secret. Pure. */
import type { PlainSecret } from "./find-plain-secrets.ts";

export interface EntryFacts {
  /** Messages about values that were changed or left out, and about steps for the user. */
  readonly notes: readonly string[];
  readonly plainSecrets: readonly PlainSecret[];
}

const MAX_NOTES = 20;

/** Returns a limited number of notes, because the file may come from anybody. */
export function entryNotes({ notes, plainSecrets }: EntryFacts): readonly string[] {
  const all = [...notes, ...plainSecrets.map(describePlainSecret)];
  return all.length <= MAX_NOTES ? all : [...all.slice(0, MAX_NOTES), `and ${all.length - MAX_NOTES} more notes`];
}

export function describePlainSecret({ key, suggestedName }: PlainSecret): string {
  if (suggestedName === undefined)
    return `${key} contains a secret in plain text. Set an environment variable to the secret, then write \${NAME} in its place`;
  return `${key} is a secret in plain text. Run \`plugboard secret set ${suggestedName}\`, then replace the value with { "$secret": "${suggestedName}" }`;
}
