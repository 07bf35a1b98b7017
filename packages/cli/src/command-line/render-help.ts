/** Renders the help: the list of all commands, the commands of one group, or the details of one command. */
import { argumentName, optionName } from "./command-spec.ts";
import type { CommandGroup, CommandSpec, OptionSpec } from "./command-spec.ts";

const COLUMN_GAP = 2;
const MAX_NAME_WIDTH = 28;

/** Renders all commands by group. `footer` follows them. */
export function renderOverview(groups: readonly CommandGroup[], footer: string): string {
  const sections = groups.map(({ title, commands }) => ({ title, commands: commands.filter(({ hidden }) => !hidden) }));
  const rows = sections.flatMap(({ commands }) => commands.map(toRow));
  const width = nameWidth(rows);
  const lines = sections.map(({ title, commands }) => `\n${title}:\n${renderRows(commands.map(toRow), width)}`);
  return `One host for every MCP server.\n\nUsage: plugboard <command> [arguments] [options]\n${lines.join("")}${footer}\n`;
}

/** Renders the commands that begin with the same word, such as `auth`. */
export function renderSubcommands(prefix: string, commands: readonly CommandSpec[]): string {
  const rows = commands.filter(({ name, hidden }) => !hidden && name.startsWith(`${prefix} `)).map(toRow);
  return `Usage: plugboard ${prefix} <command>\n\nCommands:\n${renderRows(rows, nameWidth(rows))}\nSee \`plugboard ${prefix} <command> --help\`.\n`;
}

export function renderCommandHelp(command: CommandSpec): string {
  const { summary, description, examples } = command;
  const argumentRows = Object.entries(command.arguments).map(([key, spec]): Row => [
    argumentName(key, spec),
    describeSpec(spec),
  ]);
  const optionRows = Object.entries(command.options)
    .filter(([, { hidden }]) => !hidden)
    .map(([key, option]): Row => [optionLabel(key, option), describeSpec(option)]);
  const width = nameWidth([...argumentRows, ...optionRows, HELP_ROW]);
  return [
    `Usage: plugboard ${usageLine(command)}\n`,
    `\n${asSentence(summary)}\n`,
    description === undefined ? "" : `${description}\n`,
    argumentRows.length === 0 ? "" : `\nArguments:\n${renderRows(argumentRows, width)}`,
    `\nOptions:\n${renderRows([...optionRows, HELP_ROW], width)}`,
    examples.length === 0 ? "" : `\nExamples:\n${examples.map(renderExample).join("")}`,
  ].join("");
}

/** Returns the command's name and arguments, such as `add <id> <command or URL> [args…] [options]`. */
export function usageLine({ name, arguments: args }: CommandSpec): string {
  return [name, ...Object.entries(args).map(([key, spec]) => argumentName(key, spec)), "[options]"].join(" ");
}

/** Returns text such as `-e, --env <NAME=value>`. */
export function optionLabel(key: string, { short, label, bare }: OptionSpec): string {
  const names = short === undefined ? optionName(key) : `-${short}, ${optionName(key)}`;
  if (label === undefined) return names;
  return bare === undefined ? `${names} <${label}>` : `${names}[=<${label}>]`;
}

/** Returns the phrase about a value, with its choices if the name does not show them. */
export function describeSpec(spec: {
  readonly about: string;
  readonly choices?: readonly string[];
  readonly label?: string;
  readonly repeatable?: true;
}): string {
  const { about, choices = [], label, repeatable } = spec;
  const notes = [
    ...(choices.length > 0 && label !== choices.join("|") ? [`one of: ${choices.join(", ")}`] : []),
    ...(repeatable ? ["repeatable"] : []),
  ];
  return notes.length === 0 ? about : `${about} (${notes.join("; ")})`;
}

type Row = readonly [name: string, about: string];

const HELP_ROW: Row = ["-h, --help", "show this help"];

function toRow({ name, summary }: CommandSpec): Row {
  return [name, summary];
}

function nameWidth(rows: readonly Row[]): number {
  const widths = rows.map(([name]) => name.length).filter((width) => width <= MAX_NAME_WIDTH);
  return Math.max(0, ...widths) + COLUMN_GAP;
}

/** Puts the description of a long name on a line of its own. */
function renderRows(rows: readonly Row[], width: number): string {
  return rows
    .map(([name, about]) =>
      name.length + COLUMN_GAP <= width
        ? `  ${name.padEnd(width)}${about}\n`
        : `  ${name}\n  ${" ".repeat(width)}${about}\n`,
    )
    .join("");
}

function renderExample({ line, about }: CommandSpec["examples"][number]): string {
  return about === undefined ? `  ${line}\n` : `  ${line}\n      ${about}\n`;
}

export function asSentence(phrase: string): string {
  return `${phrase.charAt(0).toUpperCase()}${phrase.slice(1)}.`;
}
