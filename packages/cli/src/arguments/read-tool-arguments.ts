/** Reads the arguments of a call from the words of the command line, from `--args`, from files and from stdin. */
import { readFile } from "node:fs/promises";
import { resolve } from "node:path";
import { buffer } from "node:stream/consumers";
import { HostError, isJsonObject } from "@plugboard/contracts";
import type { Json, JsonObject } from "@plugboard/contracts";
import type { CliContext } from "../terminal/cli-context.ts";
import type { RawArguments, RawValue } from "./coerce-arguments.ts";
import { parseArgumentWord } from "./parse-argument-word.ts";
import type { ArgumentWord } from "./parse-argument-word.ts";
import { tryParseJson } from "./try-parse-json.ts";

type Input = Pick<CliContext, "cwd" | "stdin">;

/** Throws before any server starts if a word is not valid or a file can't be read. */
export async function readToolArguments(
  words: readonly string[],
  argsOption: string | undefined,
  input: Input,
): Promise<RawArguments> {
  const parsed = words.map(parseArgumentWord);
  const stdinUses = parsed.filter(({ value }) => "path" in value && value.path === "-").length;
  if (stdinUses + (argsOption === "-" ? 1 : 0) > 1) throw usage("stdin can be used for one argument only");
  const json = argsOption === undefined ? {} : parseObject(await readOption(argsOption, input));
  const pairs = new Map<string, RawValue[]>();
  for (const word of parsed) pairs.set(word.name, [...(pairs.get(word.name) ?? []), await readWord(word, input)]);
  return { json, pairs };
}

async function readWord({ name, format, value }: ArgumentWord, input: Input): Promise<RawValue> {
  const subject = `${name}${format === "json" ? ":" : ""}=${"path" in value ? `@${value.path}` : value.text}`;
  const text = "path" in value ? await readText(value.path, subject, input) : value.text;
  if (format === "text") return { text };
  const json = parseJsonText(text);
  if (json === undefined) throw invalidArguments(`the value of ${subject} is not JSON`);
  return { json };
}

/** Reads the text of `--args`: the value itself, a file (`@file`) or stdin (`-`). */
async function readOption(option: string, input: Input): Promise<string> {
  if (option !== "-" && !option.startsWith("@")) return option;
  return readText(option === "-" ? "-" : option.slice(1), `--args ${option}`, input);
}

async function readText(path: string, subject: string, { cwd, stdin }: Input): Promise<string> {
  const bytes = path === "-" ? await buffer(stdin) : await readBytes(resolve(cwd, path), subject);
  try {
    return new TextDecoder("utf-8", { fatal: true, ignoreBOM: true }).decode(bytes);
  } catch {
    throw usage(`${subject}: it is not UTF-8 text`);
  }
}

async function readBytes(path: string, subject: string): Promise<Buffer> {
  try {
    return await readFile(path);
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException;
    throw usage(`${subject}: ${code === "ENOENT" ? "there is no such file" : `it can't be read (${code})`}`, error);
  }
}

function parseObject(text: string): JsonObject {
  const parsed = parseJsonText(text);
  if (isJsonObject(parsed)) return parsed;
  throw invalidArguments("--args must be one JSON object");
}

/** Some editors begin a file with a byte order mark, which is not JSON. */
function parseJsonText(text: string): Json | undefined {
  return tryParseJson(text.replace(/^\uFEFF/, ""));
}

function usage(message: string, cause?: unknown): HostError {
  return new HostError("USAGE", { message, command: "call" }, { cause });
}

function invalidArguments(reason: string): HostError {
  return new HostError("INVALID_ARGUMENTS", { reason });
}
