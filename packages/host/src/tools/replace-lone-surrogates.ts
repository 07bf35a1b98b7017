import { sanitize } from "@plugboard/contracts";

/** Replaces lone surrogates with visible marks. A model provider rejects a request with invalid Unicode. */
export function replaceLoneSurrogates(text: string): string {
  return text.replace(/\p{Surrogate}/gu, sanitize);
}
