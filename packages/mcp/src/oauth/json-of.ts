import { isJsonObject } from "@plugboard/contracts";
import type { JsonObject } from "@plugboard/contracts";

/** What was answered, whatever it claims to be; nothing in it if it is something else. */
export async function jsonOf(response: Response): Promise<JsonObject> {
  const text = await response.text();
  try {
    const answer: unknown = JSON.parse(text);
    return isJsonObject(answer) ? answer : {};
  } catch {
    return {};
  }
}
