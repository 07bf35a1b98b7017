/** All slash commands, and how one is run. */
import { sanitizeLine } from "@plugboard/contracts";
import { styled } from "../../terminal/text.ts";
import type { Text } from "../../terminal/text.ts";
import { wrapText } from "../text/wrap-text.ts";
import { catalogCommands } from "./catalog-commands.ts";
import { chatCommands } from "./chat-commands.ts";
import { describeThrown } from "./describe-thrown.ts";
import { mcpCommand } from "./mcp-command.ts";
import { permissionsCommand } from "./permissions-command.ts";
import { parsePairs } from "./slash-command.ts";
import type { SlashCommand, SlashContext, SlashLine } from "./slash-command.ts";

const help: SlashCommand = {
  name: "help",
  about: "show the commands and keys",
  async run(_, { print, columns }) {
    const commands = SLASH_COMMANDS.map(({ name, usage, about }): HelpLine => [
      `/${name}${usage === undefined ? "" : ` ${usage}`}`,
      about,
    ]);
    const rows = [...commands, ...OTHER_HELP].flatMap((line) => renderHelpLine(line, columns));
    print([...rows, "", ...wrapText(KEYS, columns)].flatMap((row) => [row, "\n"]));
  },
};

type HelpLine = readonly [name: string, about: string];

const HELP_INDENT = 28;
const OTHER_HELP: readonly HelpLine[] = [
  ["/server:prompt name=value", "use a prompt of a server"],
  ["@server:uri", "attach a resource to the message"],
];
const KEYS =
  "Tab completes. Alt-Enter, or \\ and Enter, begins a new line. ↑ ↓ show earlier messages. Esc cancels the turn. " +
  "Ctrl-O shows the latest result. Press Ctrl-C twice to leave.";

/** Puts a long name on a row of its own. */
function renderHelpLine([name, about]: HelpLine, columns: number): Text[] {
  const isLong = name.length > HELP_INDENT - 2;
  const first = isLong ? " ".repeat(HELP_INDENT) : name.padEnd(HELP_INDENT);
  return [...(isLong ? [name] : []), ...wrapText(about, columns, { first })];
}

const quit: SlashCommand = {
  name: "quit",
  about: "leave; `plugboard chat --continue` comes back to this chat",
  async run(_, { leave }) {
    leave();
  },
};

export const SLASH_COMMANDS: readonly SlashCommand[] = [
  mcpCommand,
  ...catalogCommands,
  permissionsCommand,
  ...chatCommands,
  help,
  quit,
];

/** Runs a command, or sends the prompt of a server. Shows errors instead of throwing them. */
export async function runSlashLine({ name, words }: SlashLine, context: SlashContext): Promise<void> {
  try {
    const colon = name.indexOf(":");
    if (colon > 0) return await sendPrompt(name.slice(0, colon), name.slice(colon + 1), words, context);
    const command = SLASH_COMMANDS.find((candidate) => candidate.name === name);
    if (!command) throw new Error(`There is no command /${sanitizeLine(name)}. /help lists the commands.`);
    await command.run(words, context);
  } catch (thrown) {
    const rows = wrapText(styled("red", describeThrown(thrown)), context.columns);
    context.print(rows.flatMap((row) => [row, "\n"]));
  }
}

/** Sends a prompt of a server as a message. The words are its arguments, as `name=value`. */
async function sendPrompt(
  server: string,
  name: string,
  words: readonly string[],
  { session, chat }: SlashContext,
): Promise<void> {
  const { prompts } = await chat.workspace.prompts.list({ server });
  const prompt = prompts.find((candidate) => candidate.name === name);
  if (!prompt) throw new Error(`${sanitizeLine(server)} has no prompt ${sanitizeLine(name)}.`);
  const args = parsePairs(words);
  const missing = (prompt.arguments ?? []).filter((argument) => argument.required && !(argument.name in args));
  if (missing.length > 0) {
    const example = missing.map((argument) => `${sanitizeLine(argument.name)}=…`).join(" ");
    throw new Error(`The prompt needs more: /${sanitizeLine(`${server}:${name}`)} ${example}`);
  }
  await session.send({ text: "", prompt: { server, name, arguments: args } }, chat);
}
