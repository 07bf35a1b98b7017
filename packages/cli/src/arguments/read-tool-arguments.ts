/** Reads the arguments of a call from the words of the command line, from `--args`, from files and from stdin. */
import { HostError, isJsonObject } from "@plugboard/contracts";
import type { Json, JsonObject } from "@plugboard/contracts";
import { usageError } from "../command-line/usage-error.ts";
import type { RawArguments, RawValue } from "./coerce-arguments.ts";
import { findJsonLoss } from "./find-json-loss.ts";
import { parseArgumentWord } from "./parse-argument-word.ts";
import type { ArgumentWord } from "./parse-argument-word.ts";
import { readTextArgument, readTextFile } from "./read-text-argument.ts";
import type { TextInput } from "./read-text-argument.ts";
import { tryParseJson } from "./try-parse-json.ts";

/** Throws before any server starts if a word is not valid or a file can't be read. */
export async function readToolArguments(
  words: readonly string[],
  argsOption: string | undefined,
  input: TextInput,
): Promise<RawArguments> {
  const parsed = words.map(parseArgumentWord);
  const stdinUses = parsed.filter(({ value }) => "path" in value && value.path === "-").length;
  if (stdinUses + (argsOption === "-" ? 1 : 0) > 1)
    throw usageError("stdin can be used for one argument only", { command: "call" });
  const option = argsOption === undefined ? undefined : await readTextArgument(argsOption, "--args", input);
  const pairs = new Map<string, RawValue[]>();
  for (const word of parsed) pairs.set(word.name, [...(pairs.get(word.name) ?? []), await readWord(word, input)]);
  return { json: option === undefined ? {} : parseObject(option), pairs };
}

async function readWord({ name, format, value }: ArgumentWord, input: TextInput): Promise<RawValue> {
  const subject = `${name}${format === "json" ? ":" : ""}=${"path" in value ? `@${value.path}` : value.text}`;
  const text = "path" in value ? await readTextFile(value.path, subject, input) : value.text;
  if (format === "text") return { text };
  const json = parseJsonText(text, `the value of ${subject}`);
  if (json === undefined) throw invalidArguments(`the value of ${subject} is not JSON`);
  return { json };
}

function parseObject(text: string): JsonObject {
  const parsed = parseJsonText(text, "--args");
  if (isJsonObject(parsed)) return parsed;
  throw invalidArguments("--args must be one JSON object");
}

/** Returns undefined for text that is not JSON. Throws INVALID_ARGUMENTS if a part would be lost. */
function parseJsonText(text: string, subject: string): Json | undefined {
  // Some editors begin a file with a byte order mark, which is not JSON.
  const json = text.replace(/^\uFEFF/, "");
  const parsed = tryParseJson(json);
  const loss = parsed === undefined ? undefined : findJsonLoss(json);
  if (loss !== undefined) throw invalidArguments(`${subject}: ${loss}`);
  return parsed;
}

function invalidArguments(reason: string): HostError {
  return new HostError("INVALID_ARGUMENTS", { reason });
}
