/** Parses the words after a command's name into its arguments and options. */
import { argumentName, optionName, takesSeveralWords } from "./command-spec.ts";
import type { ArgumentSpec, CommandSpec, OptionSpec, ParsedWords } from "./command-spec.ts";
import { usageError } from "./usage-error.ts";

/** Returns the input of the command, or "help" if the words ask for its help. Throws USAGE for invalid words. */
export function parseWords(command: CommandSpec, words: readonly string[]): ParsedWords | "help" {
  const separated = separateWords(command, words);
  if (separated === "help") return "help";
  const { positional, given, separator } = separated;
  return { ...assignArguments(command, positional), ...convertOptions(command, given), separator };
}

interface SeparatedWords {
  readonly positional: readonly string[];
  /** The texts of each given option by key. */
  readonly given: ReadonlyMap<string, readonly string[]>;
  /** True if the words contain `--`. */
  readonly separator: boolean;
}

function separateWords(command: CommandSpec, words: readonly string[]): SeparatedWords | "help" {
  const positional: string[] = [];
  const given = new Map<string, string[]>();
  for (let index = 0; index < words.length; index++) {
    const word = words[index]!;
    const isSeparator = word === "--";
    if (isSeparator || takesRemainingWords(command, positional)) {
      const remaining = words.slice(isSeparator ? index + 1 : index);
      // A server that only prints its help is of no use, so the user means the help of this command.
      if (!isSeparator && remaining.includes("--help")) return "help";
      return { positional: [...positional, ...remaining], given, separator: isSeparator };
    }
    if (!/^-./.test(word)) {
      positional.push(word);
      continue;
    }
    if (word === "--help" || word === "-h") return "help";
    const { key, option, inlineValue } = findOption(command, word);
    const takesValue = option.label !== undefined;
    if (!takesValue && inlineValue !== undefined)
      throw usageError(`${optionName(key)} takes no value`, { command: command.name });
    const text = takesValue ? (inlineValue ?? option.bare ?? words[++index]) : "";
    if (text === undefined)
      throw usageError(`${optionName(key)} needs a value: <${option.label}>`, { command: command.name });
    given.set(key, [...(given.get(key) ?? []), text]);
  }
  return { positional, given, separator: false };
}

/** Returns true if the last argument takes all remaining words, including words that look like options. */
function takesRemainingWords(command: CommandSpec, positional: readonly string[]): boolean {
  const specs = Object.values(command.arguments);
  const previous = positional.at(-1);
  const last = specs.at(-1);
  return (
    previous !== undefined &&
    positional.length >= specs.length - 1 &&
    last?.takesOptions?.(positional[specs.length - 2]!) === true
  );
}

interface FoundOption {
  readonly key: string;
  readonly option: OptionSpec;
  readonly inlineValue: string | undefined;
}

/** Understands `--name`, `--name=value`, `-n` and `-nvalue`. */
function findOption(command: CommandSpec, word: string): FoundOption {
  const entries = Object.entries(command.options);
  if (word.startsWith("--")) {
    const equals = word.indexOf("=");
    const name = equals < 0 ? word : word.slice(0, equals);
    const found = entries.find(([key]) => optionName(key) === name);
    if (found) return { key: found[0], option: found[1], inlineValue: equals < 0 ? undefined : word.slice(equals + 1) };
  } else {
    const found = entries.find(([, { short }]) => short === word[1]);
    if (found) return { key: found[0], option: found[1], inlineValue: word.length > 2 ? word.slice(2) : undefined };
  }
  const known = entries.filter(([, { hidden }]) => !hidden).map(([key]) => optionName(key));
  // The value is not quoted, because it may be a secret.
  const typed = word.startsWith("--") ? word.split("=", 1)[0]! : word.slice(0, 2);
  const advice = command.adviseUnknownOption?.(typed);
  throw usageError(`unknown option '${typed}'`, { command: command.name, typed, known, advice });
}

function assignArguments(
  { name, arguments: specs, refusesArgument }: CommandSpec,
  positional: readonly string[],
): { [key: string]: unknown } {
  const values: { [key: string]: unknown } = {};
  let used = 0;
  const isRequired = ({ arity }: ArgumentSpec) => arity === "one" || arity === "oneOrMore";
  for (const [index, [key, spec]] of Object.entries(specs).entries()) {
    const remaining = positional.length - used;
    if (isRequired(spec) && remaining === 0)
      throw usageError(`missing argument ${argumentName(key, spec)}`, { command: name });
    if (takesSeveralWords(spec)) {
      values[key] = positional.slice(used);
      used = positional.length;
      continue;
    }
    const requiredLater = Object.values(specs)
      .slice(index + 1)
      .filter(isRequired).length;
    const text = spec.arity === "optional" && remaining <= requiredLater ? undefined : positional[used++];
    if (text !== undefined) checkChoice(argumentName(key, spec), text, spec, name);
    values[key] = text;
  }
  const unexpected = positional[used];
  if (unexpected !== undefined)
    throw usageError(refusesArgument ?? `unexpected argument '${unexpected}'`, { command: name });
  return values;
}

function convertOptions({ name, options }: CommandSpec, given: SeparatedWords["given"]): { [key: string]: unknown } {
  const values: { [key: string]: unknown } = {};
  for (const [key, option] of Object.entries(options)) {
    const texts = (given.get(key) ?? []).map((text) => option.spellings?.[text] ?? text);
    for (const text of texts) checkChoice(optionName(key), text, option, name);
    const conflict = texts.length > 0 && option.conflicts?.find((other) => given.has(other));
    if (conflict)
      throw usageError(`${optionName(key)} can't be used together with ${optionName(conflict)}`, { command: name });
    try {
      values[key] = option.parse(texts);
    } catch (error) {
      throw usageError(`${optionName(key)} ${(error as Error).message}`, { command: name });
    }
  }
  return values;
}

function checkChoice(subject: string, text: string, { choices }: ArgumentSpec | OptionSpec, command: string): void {
  if (choices === undefined || choices.includes(text)) return;
  throw usageError(`${subject} must be ${choices.join(" or ")}, not '${text}'`, {
    command,
    typed: text,
    known: choices,
  });
}
