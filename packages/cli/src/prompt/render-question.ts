/** Questions in words. Everything that came from a server is made safe to show. */
import { sanitise, sanitiseLine } from "@plugboard/contracts";
import type {
  DefinitionChange,
  ElicitationQuestion,
  FormField,
  Json,
  PermissionQuestion,
  Question,
  SamplingQuestion,
  TrustQuestion,
} from "@plugboard/contracts";
import { renderJson, renderJsonLine, tryRenderJson } from "../render/json.ts";

export function renderPermission(question: PermissionQuestion): string {
  const { server, tool, arguments: args, rule, description, changes } = question;
  const why = rule === undefined ? "" : ` (rule ${sanitiseLine(rule)})`;
  const about = description === undefined || description === "" ? "" : ` It says of itself:\n${indented(description)}`;
  const warning = changes ? renderChanges("The tool is not the one that you allowed before", changes) : "";
  return `\n${sanitiseLine(`${server}:${tool}`)} needs your permission${why}.${about}\n${warning}Arguments:\n${renderJson(args)}`;
}

/** In full, as it is written: whoever agrees to it agrees to every word. */
/** Whoever has written rules for one server is to know that they would hold for another. */
export function renderReplaced(replaces: string | undefined): string {
  if (replaces === undefined) return "";
  return `It would take the place of the ${replaces} server of that name: what rules allow that one, they would allow this one.\n`;
}

export function renderTrust(question: TrustQuestion): string {
  const { server, source, folder, definition, variables, changes, replaces } = question;
  const receives =
    variables.length === 0 ? "It would receive none of your variables." : `It would receive: ${variables.join(", ")}`;
  const warning = changes ? renderChanges("It is not the one that you agreed to before", changes) : "";
  return [
    `\nThe ${source} file in ${sanitiseLine(folder)} defines the server ${sanitiseLine(server)}, which you have not agreed to:\n`,
    renderJson(definition),
    `${sanitiseLine(receives)}\n`,
    renderReplaced(replaces),
    warning,
  ].join("");
}

export function renderSampling({ server, tool, request }: SamplingQuestion): string {
  const asker = sanitiseLine(tool === undefined ? server : `${server}:${tool}`);
  return `\n${asker} wants a text of the model for:\n${tryRenderJson(request) ?? "(nested too deeply to be shown)\n"}`;
}

function renderChanges(title: string, changes: readonly DefinitionChange[]): string {
  const lines = changes.flatMap(({ path, before, after }) => {
    const place = sanitiseLine(path);
    return [
      ...(before === undefined ? [] : [`  - ${place}: ${renderJsonLine(before).trimEnd()}\n`]),
      ...(after === undefined ? [] : [`  + ${place}: ${renderJsonLine(after).trimEnd()}\n`]),
    ];
  });
  return `${title}:\n${lines.join("")}`;
}

function indented(text: string): string {
  return `  ${sanitise(text).replaceAll("\n", "\n  ")}`;
}

export function renderAsker({ server, tool, elicitation }: ElicitationQuestion): string {
  const asker = sanitiseLine(tool === undefined ? server : `${server}:${tool}`);
  const url = elicitation.mode === "url" ? renderUrl(elicitation.url) : "";
  return `\n${asker} asks:\n${indented(elicitation.message)}\n${url}`;
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
