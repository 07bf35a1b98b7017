/**
 * Describes a command: its arguments, options and examples. Parsing, help, shell completion and docs/cli.md are derived
 * from these descriptions.
 */
import type { CliContext } from "../terminal/cli-context.ts";

/** A kind of value that shell completion can suggest. */
export type Completes = "server" | "tool" | "serverOrTool" | "toolArgument" | "file" | "folder";

interface WordSpec {
  /** What the value is, as a phrase for the help. */
  readonly about: string;
  readonly choices?: readonly string[];
  /** Other words that are accepted for a choice, such as `global` for `user`. The help does not show them. */
  readonly spellings?: { readonly [word: string]: string };
  readonly completes?: Completes;
  /** Words that shell completion suggests. Other words are accepted, too. */
  readonly suggests?: readonly string[];
}

/** An argument by position. `Value` is the type of the parsed value. */
export interface ArgumentSpec<Value = unknown> extends WordSpec {
  /** An optional argument before a required one is left out if there are not enough words for both. */
  readonly arity: "one" | "optional" | "rest" | "oneOrMore";
  /** The name in the help, if it differs from the key. */
  readonly label?: string;
  /**
   * Only for the last argument. If it returns true for the preceding argument, all following words belong to this
   * argument, even words that look like options.
   */
  readonly takesOptions?: (previous: string) => boolean;
  /** Never set. Carries the type of the value. */
  readonly value?: Value;
}

/** An option. `Value` is the type of the parsed value. */
export interface OptionSpec<Value = unknown> extends WordSpec {
  /** The placeholder of the value in the help, such as `file`. A flag has none. */
  readonly label?: string;
  /** The text of an option that is given without a value. With it, a value must be written as `--name=value`. */
  readonly bare?: string;
  /** One letter, such as `e` for `-e`. */
  readonly short?: string;
  /** The keys of options that can't be given together with this one. */
  readonly conflicts?: readonly string[];
  /** True if the help does not show the option. */
  readonly hidden?: true;
  /** True if the option may be given several times. */
  readonly repeatable?: true;
  /** Converts the given texts. A flag gets one empty text each time it is given. Throws an `Error` with the reason. */
  readonly parse: (texts: readonly string[]) => Value;
}

interface Example {
  readonly line: string;
  /** What the line does, as a phrase. */
  readonly about?: string;
}

type Arguments = { readonly [key: string]: ArgumentSpec };
type Options = { readonly [key: string]: OptionSpec };

/** The parsed arguments and options by key. */
type CommandInput<A extends Arguments = {}, O extends Options = {}> = {
  readonly [Key in keyof A]: A[Key] extends ArgumentSpec<infer Value> ? Value : never;
} & { readonly [Key in keyof O]: O[Key] extends OptionSpec<infer Value> ? Value : never } & {
  readonly json: boolean;
  /** True if the words contained `--`, after which no word is an option. */
  readonly separator: boolean;
};

interface CommandDefinition<A extends Arguments, O extends Options> {
  /** One or two words, such as `add` or `auth list`. */
  readonly name: string;
  readonly aliases?: readonly string[];
  /** What the command does, as a phrase that begins with a verb. */
  readonly summary: string;
  /** More sentences for the help of the command. */
  readonly description?: string;
  readonly arguments?: A;
  readonly options?: O;
  /** The message for a surplus argument, if the argument itself must not be shown. */
  readonly refusesArgument?: string;
  readonly examples: readonly Example[];
  /** Returns what to write instead of an option that the command does not have. */
  readonly adviseUnknownOption?: (option: string) => string;
  /** The name of the JSON Schema in `schemas/` that describes the output with --json. */
  readonly output?: string;
  readonly hidden?: true;
  /** Runs the command and returns its exit status. */
  readonly run: (input: CommandInput<A, O>, cli: CliContext) => Promise<number>;
}

/** A command whose input types are erased, so that commands can be in one list. */
export interface CommandSpec extends Omit<CommandDefinition<Arguments, Options>, "run" | "arguments" | "options"> {
  readonly arguments: Arguments;
  readonly options: Options;
  readonly run: (input: ParsedWords, cli: CliContext) => Promise<number>;
}

/** The values of the arguments and options by key, as the specs of the command have converted them. */
export interface ParsedWords {
  readonly [key: string]: unknown;
}

/** Commands that the help shows together. */
export interface CommandGroup {
  readonly title: string;
  readonly commands: readonly CommandSpec[];
}

export function defineCommand<const A extends Arguments = {}, const O extends Options = {}>(
  definition: CommandDefinition<A, O>,
): CommandSpec {
  const { arguments: args = {}, options = {} } = definition;
  const run: CommandSpec["run"] = (input, cli) => definition.run(input as CommandInput<A, O>, cli);
  return { ...definition, arguments: args, options: { ...options, json: JSON_OPTION }, run };
}

export function required(about: string, more: Partial<ArgumentSpec> = {}): ArgumentSpec<string> {
  return { about, arity: "one", ...more } as ArgumentSpec<string>;
}

export function optional(about: string, more: Partial<ArgumentSpec> = {}): ArgumentSpec<string | undefined> {
  return { about, arity: "optional", ...more } as ArgumentSpec<string | undefined>;
}

/** All words after the preceding arguments. */
export function rest(about: string, more: Partial<ArgumentSpec> = {}): ArgumentSpec<readonly string[]> {
  return { about, arity: "rest", ...more } as ArgumentSpec<readonly string[]>;
}

/** All words after the preceding arguments, but at least one. */
export function oneOrMore(about: string, more: Partial<ArgumentSpec> = {}): ArgumentSpec<readonly string[]> {
  return { about, arity: "oneOrMore", ...more } as ArgumentSpec<readonly string[]>;
}

/** An argument that must be one of the choices. */
export function choice<const Choice extends string>(
  choices: readonly Choice[],
  about: string,
  more: Partial<ArgumentSpec> = {},
): ArgumentSpec<Choice> {
  return { about, arity: "one", choices, ...more } as ArgumentSpec<Choice>;
}

type MoreOption = Partial<Omit<OptionSpec, "parse">>;

export function flag(about: string, more: MoreOption = {}): OptionSpec<boolean> {
  return { about, ...more, parse: (texts) => texts.length > 0 };
}

/** An option with one text. */
export function value(label: string, about: string, more: MoreOption = {}): OptionSpec<string | undefined> {
  return { about, label, ...more, parse: (texts) => texts.at(-1) };
}

/** An option whose value must be one of the choices. */
export function oneOf<const Choice extends string>(
  choices: readonly Choice[],
  about: string,
  more: MoreOption = {},
): OptionSpec<Choice | undefined> {
  return { about, label: choices.join("|"), choices, ...more, parse: (texts) => texts.at(-1) as Choice | undefined };
}

/** An option that may be given several times. */
export function list(label: string, about: string, more: MoreOption = {}): OptionSpec<readonly string[]> {
  return { about, label, repeatable: true, ...more, parse: (texts) => texts };
}

/** An option with a whole number. */
export function wholeNumber(
  label: string,
  about: string,
  {
    min = 0,
    max = Number.MAX_SAFE_INTEGER,
    ...more
  }: MoreOption & { readonly min?: number; readonly max?: number } = {},
): OptionSpec<number | undefined> {
  const parse = (texts: readonly string[]) => {
    const text = texts.at(-1);
    if (text === undefined) return undefined;
    const number = Number(text);
    if (/^\d+$/.test(text) && number >= min && number <= max) return number;
    const range = max === Number.MAX_SAFE_INTEGER ? `of at least ${min}` : `from ${min} to ${max}`;
    throw new Error(`must be a whole number ${range}`);
  };
  return { about, label, ...more, parse };
}

const JSON_OPTION = flag("print the output as JSON");

/** The options of commands that read the config. */
export const configOptions = {
  config: list("file", "also read this config file", { completes: "file" }),
  mcpServer: list("id=command or URL", "add a server for this command only"),
};

/** The options of commands that use a host. */
export const hostOptions = {
  ...configOptions,
  private: flag("start a host for this command only, even if one is running"),
};

/** The options that may precede the command's name. */
export const leadingOptions: Options = { ...hostOptions, json: JSON_OPTION };

/** Returns the option as the user types it, such as `--no-browser`. */
export function optionName(key: string): string {
  return `--${key.replaceAll(/[A-Z]/g, (letter) => `-${letter.toLowerCase()}`)}`;
}

/** Returns the name of an argument in the help, such as `<server>` or `[args…]`. */
export function argumentName(key: string, { arity, label = key }: ArgumentSpec): string {
  return { one: `<${label}>`, optional: `[${label}]`, rest: `[${label}…]`, oneOrMore: `<${label}…>` }[arity];
}

/** Returns true if the argument takes all remaining words. */
export function takesSeveralWords({ arity }: Pick<ArgumentSpec, "arity">): boolean {
  return arity === "rest" || arity === "oneOrMore";
}
