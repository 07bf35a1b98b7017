/** Finds the command that a command line names, and separates its name from the remaining words. */
import { usageError } from "./usage-error.ts";
import type { CommandSpec } from "./command-spec.ts";

export type FoundCommand =
  | { readonly type: "command"; readonly command: CommandSpec; readonly words: readonly string[] }
  /** The line asks for help. `prefix` is the beginning of command names, such as `auth`, or empty. */
  | { readonly type: "help"; readonly prefix: string; readonly requested: boolean }
  | { readonly type: "version" };

/** The options that may precede the command's name, and whether a value follows. */
const LEADING_OPTIONS: ReadonlyMap<string, boolean> = new Map([
  ["--config", true],
  ["--mcp-server", true],
  ["--json", false],
  ["--private", false],
]);

export function findCommand(argv: readonly string[], commands: readonly CommandSpec[]): FoundCommand {
  const nameAt = skipLeadingOptions(argv);
  const leading = argv.slice(0, nameAt);
  // Other clients have their commands under `mcp`, so `plugboard mcp list` is accepted too.
  const words = argv.slice(argv[nameAt] === "mcp" ? nameAt + 1 : nameAt);
  const [first, second] = words;
  if (first === "--version" || first === "-V") return { type: "version" };
  if (first === undefined) return { type: "help", prefix: "", requested: false };
  if (first === "--help" || first === "-h") return { type: "help", prefix: "", requested: true };
  if (first === "help") return findHelp(words.slice(1), commands);
  const isNamed = (name: string) => (command: CommandSpec) => command.name === name || command.aliases?.includes(name);
  const twoWords = second === undefined ? undefined : commands.find(isNamed(`${first} ${second}`));
  if (twoWords) return { type: "command", command: twoWords, words: [...leading, ...words.slice(2)] };
  const oneWord = commands.find(isNamed(first));
  if (oneWord) return { type: "command", command: oneWord, words: [...leading, ...words.slice(1)] };
  const subcommands = commands.filter(({ name }) => name.startsWith(`${first} `));
  if (subcommands.length > 0) return findSubcommandHelp(first, second, subcommands);
  const known = commands.filter(({ hidden }) => !hidden).map(({ name }) => name);
  if (first.startsWith("-"))
    throw usageError(`unknown option '${first}'`, { typed: first, known: [...LEADING_OPTIONS.keys()] });
  throw usageError(`unknown command '${first}'`, { typed: first, known });
}

/** Returns the index of the first word that is not a leading option or its value. */
function skipLeadingOptions(argv: readonly string[]): number {
  let index = 0;
  while (index < argv.length) {
    const [name = "", inlineValue] = argv[index]!.split("=", 2);
    const takesValue = LEADING_OPTIONS.get(name);
    if (takesValue === undefined) return index;
    index += takesValue && inlineValue === undefined ? 2 : 1;
  }
  return index;
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
