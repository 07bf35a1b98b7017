/** Reads the arguments of a call from the words of the command line, from `--args`, from files and from stdin. */
import { HostError, isJsonObject } from "@plugboard/contracts";
import type { Json, JsonObject } from "@plugboard/contracts";
import { usageError } from "../command-line/usage-error.ts";
import type { RawArguments, RawValue } from "./coerce-arguments.ts";
import { findJsonLoss } from "./find-json-loss.ts";
import { parseArgumentWord } from "./parse-argument-word.ts";
import type { ArgumentWord } from "./parse-argument-word.ts";
import { readTextArgument, readTextFile } from "./read-text-argument.ts";
import type { TextSource } from "./read-text-argument.ts";
import { tryParseJson } from "./try-parse-json.ts";

/** Throws before any server starts if a word is not valid or a file can't be read. */
export async function readToolArguments(
  words: readonly string[],
  argsOption: string | undefined,
  input: TextSource,
): Promise<RawArguments> {
  const parsed = words.map(parseArgumentWord);
  const stdinUses = parsed.filter(({ value }) => "path" in value && value.path === "-").length;
  if (stdinUses + (argsOption === "-" ? 1 : 0) > 1)
    throw usageError("stdin can be used for one argument only", { command: "call" });
  const option = argsOption === undefined ? undefined : await readTextArgument(argsOption, "--args", input);
  const pairs = new Map<string, RawValue[]>();
  for (const word of parsed) pairs.set(word.name, [...(pairs.get(word.name) ?? []), await readWord(word, input)]);
  return { json: option === undefined ? {} : await parseObject(option), pairs };
}

async function readWord({ name, format, value }: ArgumentWord, input: TextSource): Promise<RawValue> {
  const subject = `${name}${format === "json" ? ":" : ""}=${"path" in value ? `@${value.path}` : value.text}`;
  const text = "path" in value ? await readTextFile(value.path, subject, input) : value.text;
  if (format === "text") return { text };
  return { json: await parseJsonText(text, `the value of ${subject}`) };
}

async function parseObject(text: string): Promise<JsonObject> {
  const parsed = await parseJsonText(text, "--args");
  if (isJsonObject(parsed)) return parsed;
  throw invalidArguments("--args must be one JSON object");
}

/** Throws INVALID_ARGUMENTS if the text is not JSON, or if a part would be lost. */
async function parseJsonText(text: string, subject: string): Promise<Json> {
  // Some editors begin a file with a byte order mark, which is not JSON.
  const json = text.replace(/^\uFEFF/, "");
  const parsed = tryParseJson(json);
  if (parsed === undefined) throw invalidArguments(`${subject} is not JSON${await describeJsonError(json)}`);
  const loss = findJsonLoss(json);
  if (loss !== undefined) throw invalidArguments(`${subject}: ${loss}`);
  return parsed;
}

/** Says where the error is. The parser that knows positions is loaded only now, because valid JSON does not need it. */
async function describeJsonError(json: string): Promise<string> {
  const { findJsonError } = await import("@plugboard/config");
  const error = findJsonError(json);
  return error ? `: ${error.message} at line ${error.line}, column ${error.column}` : "";
}

function invalidArguments(reason: string): HostError {
  return new HostError("INVALID_ARGUMENTS", { reason });
}
