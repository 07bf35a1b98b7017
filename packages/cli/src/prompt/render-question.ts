/** Questions in words. Everything that came from a server is made safe to show. */
import { sanitise, sanitiseLine } from "@plugboard/contracts";
import type { ElicitationQuestion, FormField, Json, PermissionQuestion, Question } from "@plugboard/contracts";
import { renderJson } from "../render/json.ts";

export function renderPermission({ server, tool, arguments: args, rule }: PermissionQuestion): string {
  const why = rule === undefined ? "" : ` (rule ${sanitiseLine(rule)})`;
  return `\n${sanitiseLine(`${server}:${tool}`)} needs your permission${why}. Arguments:\n${renderJson(args)}`;
}

/** A rule that asks for this very tool would win over one that allows it. */
export function renderAllowAlways({ server, tool, rule }: PermissionQuestion): string {
  const allow = `${server}:${tool}`;
  const instead = rule === allow ? ", and take it out of permissions.ask" : "";
  return `  To allow it always, add ${sanitiseLine(JSON.stringify(allow))} to permissions.allow${instead}.\n`;
}

export function renderAsker({ server, tool, elicitation }: ElicitationQuestion): string {
  const asker = sanitiseLine(tool === undefined ? server : `${server}:${tool}`);
  const url = elicitation.mode === "url" ? renderUrl(elicitation.url) : "";
  return `\n${asker} asks:\n  ${sanitise(elicitation.message).replaceAll("\n", "\n  ")}\n${url}`;
}

/** For a kind of question that the terminal can't put. */
export function renderDismissed({ type, server }: Question): string {
  return `\n${sanitiseLine(server)} has a question (${sanitiseLine(type)}) that can't be asked here; it is dismissed.\n`;
}

/** The host is told apart: within an address it can be made to look like another. */
function renderUrl(url: string): string {
  const host = URL.canParse(url) ? new URL(url).host : "";
  return `  It wants you to visit ${sanitiseLine(host) || "an address without a host"}:\n    ${sanitiseLine(url)}\n`;
}

export const COMMANDS_HELP = ":decline = no, :cancel = skip the question, Ctrl-C = give up the call";
export const FORM_HELP = `  Enter takes the [default] or leaves an optional field out.\n  ${COMMANDS_HELP}\n`;

export function renderField(field: FormField): string {
  const { title, description, required } = field;
  const about = [title === field.name ? undefined : title, description].filter((text) => text !== undefined);
  const lines = [`  ${sanitiseLine(about.join(" – ") || field.name)}${required ? " (required)" : ""}`];
  if (field.type === "choice" || field.type === "choices") {
    field.choices.forEach(({ value, title: shown }, at) =>
      lines.push(`    ${at + 1}. ${sanitiseLine(shown === value ? value : `${shown} (${value})`)}`),
    );
  }
  return `${lines.join("\n")}\n`;
}

export function fieldPrompt(field: FormField): string {
  const kind = {
    string: "",
    number: " (number)",
    integer: " (whole number)",
    boolean: " (y/n)",
    choice: " (number or name)",
    choices: " (numbers or names, separated by commas)",
  };
  const fallback = field.default === undefined ? "" : ` [${sanitiseLine(shown(field.default))}]`;
  return `  ${sanitiseLine(field.name)}${kind[field.type]}${fallback}: `;
}

function shown(value: Json): string {
  if (typeof value === "string") return value;
  if (typeof value === "boolean") return value ? "y" : "n";
  return Array.isArray(value) ? value.map(shown).join(", ") : JSON.stringify(value);
}
