/** Computes what shell completion suggests for the last word of a command line. Pure. */
import { leadingOptions, optionName, takesSeveralWords } from "./command-spec.ts";
import type { ArgumentSpec, CommandSpec, Completes, OptionSpec } from "./command-spec.ts";
import { splitCommandLine } from "./find-command.ts";

export interface Suggestion {
  readonly value: string;
  readonly about?: string;
}

export interface WordCompletion {
  readonly suggestions: readonly Suggestion[];
  /** The kind of values, such as server ids, that the caller looks up and adds. */
  readonly lookUp?: Completes;
  /** The arguments by position before the word to complete. */
  readonly before?: readonly string[];
}

const NOTHING: WordCompletion = { suggestions: [] };

/** `words` are the words after `plugboard`. The last one is the beginning of the word to complete, or empty. */
export function completeWords(words: readonly string[], commands: readonly CommandSpec[]): WordCompletion {
  const shown = commands.filter(({ hidden }) => !hidden);
  const current = words.at(-1) ?? "";
  const { unfinished, words: before, command, rest } = splitCommandLine(words.slice(0, -1), shown);
  if (unfinished) return completeValue(unfinished, current);
  if (command) return completeInCommand(command, rest, current);
  if (before.length === 0 && current.startsWith("-"))
    return completeOptionName(Object.entries(leadingOptions), current);
  const name = before[0] === "help" ? before.slice(1) : before;
  return { suggestions: matching(commandNames(name, shown), current) };
}

/** Suggests the next word of all commands that begin with the words typed so far. */
function commandNames(before: readonly string[], commands: readonly CommandSpec[]): Suggestion[] {
  const suggestions = new Map<string, Suggestion>();
  for (const { name, summary } of commands) {
    const parts = name.split(" ");
    const value = parts[before.length];
    if (value === undefined || !before.every((word, index) => word === parts[index])) continue;
    const isWhole = parts.length === before.length + 1;
    if (isWhole || !suggestions.has(value)) suggestions.set(value, { value, ...(isWhole && { about: summary }) });
  }
  return [...suggestions.values()];
}

function completeInCommand(command: CommandSpec, before: readonly string[], current: string): WordCompletion {
  const options = Object.entries(command.options).filter(([, { hidden }]) => !hidden);
  const findOption = (word: string | undefined) =>
    options.find(([key, { short }]) => word === optionName(key) || (short !== undefined && word === `-${short}`))?.[1];
  const takesNextWord = (option: OptionSpec | undefined) => option?.label !== undefined && option.bare === undefined;
  const previousOption = findOption(before.at(-1));
  if (previousOption && takesNextWord(previousOption)) return completeValue(previousOption, current);
  if (current.startsWith("-")) return completeOptionName(options, current);
  const positional = before.filter(
    (word, index) => !word.startsWith("-") && !takesNextWord(findOption(before[index - 1])),
  );
  const args = Object.values(command.arguments);
  const argument = args[positional.length] ?? args.slice(-1).find(takesSeveralWords);
  return argument === undefined ? NOTHING : { ...completeValue(argument, current), before: positional };
}

function completeOptionName(options: readonly [key: string, OptionSpec][], current: string): WordCompletion {
  const names = options.map(([key, { about }]): Suggestion => ({ value: optionName(key), about }));
  return { suggestions: matching(names, current) };
}

function completeValue(
  { choices = [], suggests = [], completes }: Pick<ArgumentSpec, "choices" | "suggests" | "completes">,
  current: string,
): WordCompletion {
  const suggestions = matching(
    [...choices, ...suggests].map((value) => ({ value })),
    current,
  );
  return completes === undefined ? { suggestions } : { suggestions, lookUp: completes };
}

function matching(suggestions: readonly Suggestion[], beginning: string): Suggestion[] {
  return suggestions.filter(({ value }) => value.startsWith(beginning));
}
