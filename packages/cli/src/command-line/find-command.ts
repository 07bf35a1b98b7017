/** Finds the command that a command line names, and separates its name from the remaining words. */
import { leadingOptions, optionName } from "./command-spec.ts";
import type { CommandSpec, OptionSpec } from "./command-spec.ts";
import { usageError } from "./usage-error.ts";

export type FoundCommand =
  | { readonly type: "command"; readonly command: CommandSpec; readonly words: readonly string[] }
  /**
   * The help of the commands whose names begin with `prefix`, such as `auth`, or of all if it is empty. `requested` is
   * false if the help is shown because the line names no command.
   */
  | { readonly type: "help"; readonly prefix: string; readonly requested: boolean }
  | { readonly type: "version" };

export function findCommand(argv: readonly string[], commands: readonly CommandSpec[]): FoundCommand {
  const { leading, words, command, rest } = splitCommandLine(argv, commands);
  const [first, second] = words;
  if (first === "--version" || first === "-V") return { type: "version" };
  if (first === undefined) return { type: "help", prefix: "", requested: false };
  if (first === "--help" || first === "-h") return { type: "help", prefix: "", requested: true };
  if (first === "help") return findHelp(words.slice(1), commands);
  if (command) return { type: "command", command, words: [...leading, ...rest] };
  const subcommands = commands.filter(({ name }) => name.startsWith(`${first} `));
  if (subcommands.length > 0) return findSubcommandHelp(first, second, subcommands);
  const known = commands.filter(({ hidden }) => !hidden).map(({ name }) => name);
  if (first.startsWith("-"))
    throw usageError(`unknown option '${first}'`, { typed: first, known: Object.keys(leadingOptions).map(optionName) });
  throw usageError(`unknown command '${first}'`, { typed: first, known });
}

export interface CommandLine {
  /** The options before the command's name, with their values. */
  readonly leading: readonly string[];
  /** The option at the end of `leading` whose value is missing. */
  readonly unfinished?: OptionSpec;
  /** The words after the leading options, without `mcp`. */
  readonly words: readonly string[];
  /** The command whose name or alias `words` begin with. */
  readonly command?: CommandSpec;
  /** The words after the command's name. */
  readonly rest: readonly string[];
}

/** Separates leading options, the name of a command and the remaining words. */
export function splitCommandLine(argv: readonly string[], commands: readonly CommandSpec[]): CommandLine {
  const { end, unfinished } = skipLeadingOptions(argv);
  const leading = argv.slice(0, end);
  if (unfinished) return { leading, unfinished, words: [], rest: [] };
  // Other clients have their commands under `mcp`, so `plugboard mcp list` is accepted too.
  const words = argv.slice(argv[end] === "mcp" ? end + 1 : end);
  for (const length of [2, 1]) {
    const name = words.slice(0, length).join(" ");
    const command = commands.find((candidate) => candidate.name === name || candidate.aliases?.includes(name));
    if (command) return { leading, words, command, rest: words.slice(length) };
  }
  return { leading, words, rest: [] };
}

/** Returns the index of the first word that is not a leading option or its value. */
function skipLeadingOptions(argv: readonly string[]): { readonly end: number; readonly unfinished?: OptionSpec } {
  const options = new Map(Object.entries(leadingOptions).map(([key, option]) => [optionName(key), option]));
  let end = 0;
  while (end < argv.length) {
    const [name = "", inlineValue] = argv[end]!.split("=", 2);
    const option = options.get(name);
    if (!option) return { end };
    const takesNextWord = option.label !== undefined && inlineValue === undefined;
    if (takesNextWord && end + 1 === argv.length) return { end: argv.length, unfinished: option };
    end += takesNextWord ? 2 : 1;
  }
  return { end };
}

function findHelp(words: readonly string[], commands: readonly CommandSpec[]): FoundCommand {
  if (words.length === 0) return { type: "help", prefix: "", requested: true };
  return findCommand([...words, "--help"], commands);
}

function findSubcommandHelp(
  group: string,
  second: string | undefined,
  subcommands: readonly CommandSpec[],
): FoundCommand {
  if (second === undefined) return { type: "help", prefix: group, requested: false };
  if (second === "--help" || second === "-h") return { type: "help", prefix: group, requested: true };
  const typed = `${group} ${second}`;
  throw usageError(`unknown command '${typed}'`, { command: group, typed, known: subcommands.map(({ name }) => name) });
}
