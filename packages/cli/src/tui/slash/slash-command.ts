/** What a slash command is, and how a line becomes one. Pure. */
import type { Text } from "../../terminal/text.ts";
import type { CliContext } from "../../terminal/cli-context.ts";
import type { ChatSession, OpenChat } from "../session/chat-session.ts";

export interface SlashContext {
  readonly session: ChatSession;
  readonly chat: OpenChat;
  readonly cli: Pick<CliContext, "cwd" | "env">;
  readonly columns: number;
  readonly now: number;
  /** Shows the output of the command. */
  readonly print: (text: Text) => void;
  /** Shows another chat on the screen. */
  readonly show: (chat: OpenChat) => void;
  /** Puts a text into the input line. */
  readonly insert: (text: string) => void;
  readonly leave: () => void;
}

export interface SlashCommand {
  readonly name: string;
  /** The words after the name, for the help. */
  readonly usage?: string;
  readonly about: string;
  /** Words that complete the first argument. */
  readonly choices?: readonly string[];
  /** Prints what it finds. A thrown error is shown to the user. */
  run(words: readonly string[], context: SlashContext): Promise<void>;
}

export interface SlashLine {
  readonly name: string;
  readonly words: readonly string[];
}

/** Returns undefined for a message to the model. `//` begins a message with a slash. */
export function parseSlashLine(text: string): SlashLine | undefined {
  // `/name`, or `/server:prompt`, and the text after it.
  const [, name, rest = ""] = /^\/([a-zA-Z][\w-]*(?::\S+)?)(?:\s+([^]*))?$/.exec(text.trim()) ?? [];
  return name === undefined ? undefined : { name, words: splitWords(rest) };
}

/** Quotes keep spaces within a word: `title="two words"`. */
function splitWords(text: string): string[] {
  const matches = text.match(/(?:[^\s"]+|"(?:[^"\\]|\\.)*"?)+/g) ?? [];
  return matches.map((word) =>
    word.replaceAll(/"((?:[^"\\]|\\.)*)"?/g, (_, quoted: string) => quoted.replaceAll(/\\(.)/g, "$1")),
  );
}

/** Splits `name=value` words. Throws an `Error` for another word. */
export function parsePairs(words: readonly string[]): { [name: string]: string } {
  return Object.fromEntries(
    words.map((word) => {
      const equals = word.indexOf("=");
      if (equals < 1) throw new Error(`Write the arguments as name=value. ${JSON.stringify(word)} has no name.`);
      return [word.slice(0, equals), word.slice(equals + 1)];
    }),
  );
}
