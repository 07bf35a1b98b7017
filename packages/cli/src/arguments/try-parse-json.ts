import type { Json } from "@plugboard/contracts";

/** Returns undefined if the text is not JSON. */
export function tryParseJson(text: string): Json | undefined {
  try {
    return JSON.parse(text) as Json;
  } catch {
    return undefined;
  }
}
