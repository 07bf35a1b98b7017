/** Questions in words. Everything that came from a server is made safe to show. */
import { sanitise, sanitiseLine } from "@plugboard/contracts";
import type { ElicitationQuestion, FormField, Json, PermissionQuestion } from "@plugboard/contracts";
import { renderJson } from "../render/json.ts";

export function renderPermission({ server, tool, arguments: args, rule }: PermissionQuestion): string {
  const why = rule === undefined ? "" : ` (rule ${sanitiseLine(rule)})`;
  return `\n${sanitiseLine(`${server}:${tool}`)} needs your permission${why}. Arguments:\n${renderJson(args)}`;
}

export function renderAsker({ server, tool, elicitation }: ElicitationQuestion): string {
  const asker = sanitiseLine(tool === undefined ? server : `${server}:${tool}`);
  const url = elicitation.mode === "url" ? `\n  It wants you to visit: ${sanitiseLine(elicitation.url)}` : "";
  return `\n${asker} asks:\n  ${sanitise(elicitation.message).replaceAll("\n", "\n  ")}${url}\n`;
}

export const FORM_HELP =
  "  Enter takes the [default] or leaves an optional field out. :decline refuses, :cancel gives no answer.\n";

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
    choice: " (one)",
    choices: " (some, by commas)",
  };
  const fallback = field.default === undefined ? "" : ` [${sanitiseLine(shown(field.default))}]`;
  return `  ${sanitiseLine(field.name)}${kind[field.type]}${fallback}: `;
}

function shown(value: Json): string {
  return typeof value === "string" ? value : JSON.stringify(value);
}
