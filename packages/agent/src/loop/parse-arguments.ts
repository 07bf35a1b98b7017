/** Parses the arguments of a call, which the model wrote. Pure. */
import { isJsonObject } from "@plugboard/contracts";
import type { JsonObject } from "@plugboard/contracts";

/** `JSON.stringify` fails at some thousand levels, so deeper arguments could neither be stored nor sent to a client. */
const MAX_DEPTH = 200;
const MAX_CHARACTERS = 8 * 1024 * 1024;
/** How many characters of invalid arguments are quoted to the model. */
const MAX_QUOTED = 2000;

/** Returns the arguments, or a message for the model. Treats an empty text as no arguments. */
export function parseArguments(input: string): JsonObject | string {
  if (input.trim() === "") return {};
  if (input.length > MAX_CHARACTERS) return `The arguments are longer than ${MAX_CHARACTERS} characters.`;
  if (isDeeperThan(MAX_DEPTH, input)) return `The arguments are nested more than ${MAX_DEPTH} deep.`;
  try {
    const value: unknown = JSON.parse(input);
    return isJsonObject(value) ? value : `The arguments must be a JSON object. Received: ${quote(input)}`;
  } catch (thrown) {
    return `The arguments are not valid JSON (${(thrown as Error).message}): ${quote(input)}`;
  }
}

/** Counts the brackets outside strings, so that a text that is too deep is not parsed. */
function isDeeperThan(limit: number, json: string): boolean {
  let depth = 0;
  let inString = false;
  for (let index = 0; index < json.length; index++) {
    const character = json[index];
    if (character === '"') inString = !inString;
    else if (inString) index += character === "\\" ? 1 : 0;
    else if (character === "[" || character === "{") depth += 1;
    else if (character === "]" || character === "}") depth -= 1;
    if (depth > limit) return true;
  }
  return false;
}

function quote(input: string): string {
  return input.length > MAX_QUOTED ? `${input.slice(0, MAX_QUOTED)}… (${input.length} characters)` : input;
}
