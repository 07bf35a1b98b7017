/** Renders docs/cli.md from the descriptions of the commands. */
import { EXIT_STATUSES } from "@plugboard/contracts";
import { argumentName } from "./command-spec.ts";
import type { CommandGroup, CommandSpec, OptionSpec } from "./command-spec.ts";
import { asSentence, describeSpec, optionLabel, usageLine } from "./render-help.ts";

/** Options that many commands have are described once, in the introduction. */
const SHARED_OPTIONS = ["config", "mcpServer", "private", "json"];

/** `introduction` is Markdown that precedes the commands. */
export function renderReference(groups: readonly CommandGroup[], introduction: string): string {
  const shown = groups.map(({ title, commands }) => ({ title, commands: commands.filter(({ hidden }) => !hidden) }));
  const contents = shown.map(({ title, commands }) => `- **${title}**: ${commands.map(linkTo).join(", ")}\n`).join("");
  const sections = shown.map(({ title, commands }) => `\n## ${title}\n${commands.map(renderCommand).join("")}`);
  return `${introduction.trim()}\n\n${contents}${sections.join("")}${renderExitStatuses()}`;
}

function renderExitStatuses(): string {
  const rows = Object.values(EXIT_STATUSES).map(({ status, meaning }) => `| ${status} | ${meaning} |\n`);
  return `\n## Exit status\n\n| status | meaning |\n|---|---|\n${rows.join("")}`;
}

function renderCommand(command: CommandSpec): string {
  const { name, summary, description, aliases = [], examples, output } = command;
  const own = Object.entries(command.options).filter(([key, { hidden }]) => !hidden && !SHARED_OPTIONS.includes(key));
  const shared = SHARED_OPTIONS.filter((key) => Object.hasOwn(command.options, key));
  const rows = [
    ...Object.entries(command.arguments).map(([key, spec]) => row(argumentName(key, spec), describeSpec(spec))),
    ...own.map(([key, option]) => row(optionLabel(key, option), describeSpec(option))),
  ];
  return [
    `\n### ${name}\n\n`,
    `${asSentence(summary)}${description === undefined ? "" : ` ${description}`}`,
    aliases.length === 0 ? "\n" : ` Alias: ${aliases.map((alias) => `\`${alias}\``).join(", ")}.\n`,
    `\n\`\`\`sh\nplugboard ${usageLine(command)}\n\`\`\`\n`,
    rows.length === 0 ? "" : `\n| argument or option | meaning |\n|---|---|\n${rows.join("")}`,
    `\n${sharedSentence(shared, command.options)}${output === undefined ? "" : ` Output with \`--json\`: [${output}.json](../packages/cli/schemas/${output}.json).`}\n`,
    `\n\`\`\`sh\n${examples.map(({ line, about }) => (about === undefined ? line : `${line}   # ${about}`)).join("\n")}\n\`\`\`\n`,
  ].join("");
}

function sharedSentence(keys: readonly string[], options: { readonly [key: string]: OptionSpec }): string {
  return `Common options: ${keys.map((key) => `\`${optionLabel(key, options[key]!)}\``).join(", ")}.`;
}

function row(name: string, about: string): string {
  return `| \`${name.replaceAll("|", "\\|")}\` | ${about.replaceAll("|", "\\|")} |\n`;
}

function linkTo({ name }: CommandSpec): string {
  return `[${name}](#${name.replaceAll(" ", "-")})`;
}
