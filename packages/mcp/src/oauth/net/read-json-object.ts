/** Reads JSON objects from servers whose content type can't be relied on. */
import { isJsonObject } from "@plugboard/contracts";
import type { JsonObject } from "@plugboard/contracts";

/** Returns an empty object if the body is not a JSON object. Ignores the content type. */
export async function readJsonObject(response: Response): Promise<JsonObject> {
  return parseJsonObject(await response.text()) ?? {};
}

/** Returns undefined if the text is not a JSON object. */
export function parseJsonObject(text: string): JsonObject | undefined {
  try {
    const parsed: unknown = JSON.parse(text);
    return isJsonObject(parsed) ? parsed : undefined;
  } catch {
    return undefined;
  }
}
