/** Suggests completions of slash commands, prompts with their arguments, and `@server:uri`. Pure. */
import type { Editor } from "./editor.ts";
import { replaceRange } from "./editor.ts";

/** What can be completed. Lists that are still loading are empty. */
export interface CompletionSources {
  readonly commands: readonly { readonly name: string; readonly about: string; readonly choices?: readonly string[] }[];
  readonly servers: readonly string[];
  /** The models that were found on this machine. */
  readonly models: readonly string[];
  readonly prompts: readonly PromptSource[];
  readonly resources: readonly { readonly server: string; readonly uri: string; readonly about?: string }[];
}

interface PromptSource {
  readonly server: string;
  readonly name: string;
  readonly about?: string;
  readonly arguments: readonly string[];
}

export interface InputSuggestion {
  readonly value: string;
  readonly about?: string;
  /** Follows the value when it is chosen. */
  readonly suffix: string;
}

export interface Completions {
  /** The part of the text that a suggestion replaces. */
  readonly start: number;
  readonly end: number;
  readonly suggestions: readonly InputSuggestion[];
  /** The argument of a prompt whose values its server can suggest. */
  readonly promptArgument?: PromptArgumentInput;
}

export interface PromptArgumentInput {
  readonly server: string;
  readonly prompt: string;
  readonly argument: string;
  readonly value: string;
  readonly others: { readonly [name: string]: string };
}

/** A longer list is hard to scan. */
const MAX_SUGGESTIONS = 200;
/** The commands whose first argument can be a server. */
const TAKES_SERVER: ReadonlySet<string> = new Set(["mcp", "tools", "resources"]);

/** Returns undefined if there is nothing to complete at the cursor. */
export function completeInput(text: string, cursor: number, sources: CompletionSources): Completions | undefined {
  const before = text.slice(0, cursor);
  const reference = /(?:^|\s)@(\S*)$/.exec(before);
  if (reference) return completeReference(reference[1] ?? "", cursor, sources);
  if (!before.startsWith("/") || before.includes("\n")) return undefined;
  const words = before.split(/ +/);
  const word = words.at(-1)!;
  const start = cursor - word.length;
  if (words.length === 1) return atMost({ start, end: cursor, suggestions: suggestCommands(word.slice(1), sources) });
  return completeArgument(words, start, cursor, sources);
}

/** Puts the suggestion into the text. */
export function applySuggestion(
  editor: Editor,
  { start, end }: Completions,
  { value, suffix }: InputSuggestion,
): Editor {
  const hasSuffix = editor.text.slice(end).startsWith(suffix);
  return replaceRange(editor, start, hasSuffix ? end + suffix.length : end, value + suffix);
}

function completeReference(
  typed: string,
  cursor: number,
  { servers, resources }: CompletionSources,
): Completions | undefined {
  const start = cursor - typed.length;
  const isServer = !typed.includes(":");
  const withResources = new Set(resources.map(({ server }) => server));
  const suggestions = isServer
    ? servers.filter((server) => withResources.has(server)).map((server) => ({ value: server, suffix: ":" }))
    : resources.map(({ server, uri, about }) => ({ value: `${server}:${uri}`, suffix: " ", ...(about && { about }) }));
  return atMost({ start, end: cursor, suggestions: suggestions.filter(({ value }) => matches(value, typed)) });
}

function suggestCommands(typed: string, { commands, prompts }: CompletionSources): InputSuggestion[] {
  const builtIn = commands.map(({ name, about }) => ({ value: `/${name}`, about, suffix: " " }));
  const ofServers = prompts.map(({ server, name, about }) => ({
    value: `/${server}:${name}`,
    suffix: " ",
    ...(about !== undefined && { about }),
  }));
  return [...builtIn, ...ofServers].filter(({ value }) => matches(value.slice(1), typed));
}

function completeArgument(
  [command = "", ...rest]: readonly string[],
  start: number,
  end: number,
  { commands, servers, prompts, models }: CompletionSources,
): Completions | undefined {
  const name = command.slice(1);
  const typed = rest.at(-1) ?? "";
  const prompt = prompts.find((candidate) => `${candidate.server}:${candidate.name}` === name);
  if (prompt) return completePrompt(prompt, rest, start, end);
  const choices = commands.find((candidate) => candidate.name === name)?.choices ?? [];
  const first = name === "model" ? models : TAKES_SERVER.has(name) ? [...servers, ...choices] : choices;
  const values = rest.length === 1 ? first : name === "mcp" ? servers : [];
  const suggestions = values.filter((value) => matches(value, typed)).map((value) => ({ value, suffix: " " }));
  return atMost({ start, end, suggestions });
}

function completePrompt(
  prompt: PromptSource,
  rest: readonly string[],
  start: number,
  end: number,
): Completions | undefined {
  const typed = rest.at(-1) ?? "";
  const equals = typed.indexOf("=");
  const given = Object.fromEntries(rest.slice(0, -1).map((word) => splitPair(word)));
  if (equals === -1) {
    const names = prompt.arguments.filter((name) => !(name in given) && matches(name, typed));
    return atMost({ start, end, suggestions: names.map((value) => ({ value, suffix: "=" })) });
  }
  const [argument, value] = splitPair(typed);
  if (!prompt.arguments.includes(argument)) return undefined;
  const { server, name } = prompt;
  const promptArgument = { server, prompt: name, argument, value, others: given };
  return { start: start + equals + 1, end, suggestions: [], promptArgument };
}

function splitPair(word: string): [name: string, value: string] {
  const equals = word.indexOf("=");
  return equals === -1 ? [word, ""] : [word.slice(0, equals), word.slice(equals + 1)];
}

function matches(value: string, typed: string): boolean {
  return value.toLowerCase().startsWith(typed.toLowerCase());
}

function atMost(completions: Completions): Completions | undefined {
  const suggestions = completions.suggestions.slice(0, MAX_SUGGESTIONS);
  return suggestions.length === 0 ? undefined : { ...completions, suggestions };
}
