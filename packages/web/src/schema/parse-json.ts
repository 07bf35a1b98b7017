import type { Json } from "@plugboard/contracts";

/** Parses what a user has typed. An empty text is an absent value. */
export function parseJson(text: string): { readonly value?: Json; readonly error?: string } {
  if (text.trim() === "") return {};
  try {
    return { value: JSON.parse(text) as Json };
  } catch (error) {
    return { error: `This is not valid JSON: ${(error as Error).message}` };
  }
}
