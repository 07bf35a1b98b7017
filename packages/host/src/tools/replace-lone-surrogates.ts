import { sanitize } from "@plugboard/contracts";

/** Half a character is no text to a provider, which refuses the whole request: it becomes a visible mark. */
export function replaceLoneSurrogates(text: string): string {
  return text.replace(/\p{Surrogate}/gu, sanitize);
}
