import { isJsonObject } from "@plugboard/contracts";
import type { JsonObject } from "@plugboard/contracts";

/** What was answered, whatever it claims to be; nothing in it if it is something else. */
export async function readJsonObject(response: Response): Promise<JsonObject> {
  const text = await response.text();
  try {
    const parsed: unknown = JSON.parse(text);
    return isJsonObject(parsed) ? parsed : {};
  } catch {
    return {};
  }
}
