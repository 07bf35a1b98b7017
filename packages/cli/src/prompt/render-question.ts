/** Renders questions as text. Quotes and bounds the text of servers and projects, and shortens names. */
import { parseUrl, sanitiseLine } from "@plugboard/contracts";
import type {
  DefinitionChange,
  ElicitationQuestion,
  FormField,
  Json,
  JsonObject,
  PermissionQuestion,
  Question,
  SamplingQuestion,
  TrustQuestion,
} from "@plugboard/contracts";
import { renderJson, renderJsonLine, tryRenderJson } from "../render/json.ts";
import { askerOf, shortName } from "./quote.ts";
import type { Quote } from "./quote.ts";

/** Maximum rows of each part before the person types `:all`. */
const ROWS = { description: 12, arguments: 16, changes: 16, definition: 40, request: 16, message: 16, choices: 16 };

export function renderPermission(question: PermissionQuestion, quote: Quote): string {
  const { arguments: args, rule, description, changes } = question;
  const why = rule === undefined ? "" : ` (rule ${sanitiseLine(rule)})`;
  return [
    `\n${askerOf(question)} needs your permission${why}.`,
    description === undefined || description === ""
      ? "\n"
      : ` It says of itself:\n${quote(description, ROWS.description)}`,
    changes ? renderChanges("The tool is not the one that you allowed before", changes, quote) : "",
    `Arguments:\n${quote(renderJson(args), ROWS.arguments)}`,
  ].join("");
}

/** Warns about a reused name, because rules for one server would apply to the other. */
export function renderReplaced(replaces: string | undefined): string {
  if (replaces === undefined) return "";
  return `It would take the place of the ${replaces} server of that name: what rules allow that one, they would allow this one.\n`;
}

/** Says which folders the server is given as roots: it may use them instead of folders in its arguments. */
export function renderRoots({ roots = true }: JsonObject): string {
  if (roots === false) return "";
  const folders = Array.isArray(roots) ? "the folders under `roots`" : "the folder you run it in";
  return `It may work in ${folders}, whatever its arguments name; \`"roots": false\` in the file ends that.\n`;
}

/** Shows the definition unmasked, because the consent covers every word. */
export function renderTrust(question: TrustQuestion, quote: Quote): string {
  const { server, source, folder, definition, variables, changes, replaces } = question;
  const receives =
    variables.length === 0
      ? "It would receive none of your variables.\n"
      : `It would receive:\n${quote(variables.join(", "), ROWS.definition)}`;
  return [
    `\nThe ${source} file in ${sanitiseLine(folder)} defines the server ${shortName(server)}, which you have not agreed to:\n`,
    quote(renderJson(definition), ROWS.definition),
    receives,
    renderRoots(definition),
    renderReplaced(replaces),
    changes ? renderChanges("It is not the one that you agreed to before", changes, quote) : "",
  ].join("");
}

export function renderSampling(question: SamplingQuestion, quote: Quote): string {
  const request = tryRenderJson(question.request) ?? "(nested too deeply to be shown)";
  return `\n${askerOf(question)} wants a text of the model for:\n${quote(request, ROWS.request)}`;
}

function renderChanges(title: string, changes: readonly DefinitionChange[], quote: Quote): string {
  const lines = changes.flatMap(({ path, before, after }) => {
    const place = sanitiseLine(path);
    return [
      ...(before === undefined ? [] : [`- ${place}: ${renderJsonLine(before)}`]),
      ...(after === undefined ? [] : [`+ ${place}: ${renderJsonLine(after)}`]),
    ];
  });
  return `${title}:\n${quote(lines.join(""), ROWS.changes)}`;
}

export function renderElicitation(question: ElicitationQuestion, quote: Quote): string {
  const { elicitation } = question;
  const url = elicitation.mode === "url" ? renderUrl(elicitation.url, quote) : "";
  return `\n${askerOf(question)} asks:\n${quote(elicitation.message, ROWS.message)}${url}`;
}

/** For a kind of question that the terminal can't put. */
export function renderDismissed({ type, server }: Question): string {
  return `\n${shortName(server)} has a question (${sanitiseLine(type)}) that can't be asked here; it is dismissed.\n`;
}

/** Shows the host on its own, because a URL can make it look like another. */
function renderUrl(url: string, quote: Quote): string {
  const parsed = parseUrl(url);
  return `It wants you to visit ${hostOf(url)}:\n${parsed ? `    ${parsed.href}\n` : quote(url)}`;
}

export function hostOf(url: string): string {
  return sanitiseLine(parseUrl(url)?.host ?? "") || "an address without a host";
}

export const COMMANDS_HELP = ":decline = no, :cancel = skip the question, Ctrl-C = give up the call";
export const FORM_HELP = `  Enter takes the [default] or leaves an optional field out.\n  ${COMMANDS_HELP}\n`;

export function renderField(field: FormField, quote: Quote): string {
  const { title, description, required } = field;
  const about = [title === field.name ? undefined : title, description].filter((text) => text !== undefined);
  const choices = field.type === "choice" || field.type === "choices" ? field.choices.map(renderChoice) : [];
  const fallback = defaultOf(field);
  return [
    quote(`${about.join(" – ") || field.name}${required ? " (required)" : ""}`, ROWS.message),
    choices.length === 0 ? "" : quote(choices.join("\n"), ROWS.choices),
    fallback.length > LONGEST_DEFAULT ? `The default is:\n${quote(fallback, ROWS.message)}` : "",
  ].join("");
}

function renderChoice({ value, title }: { readonly value: string; readonly title: string }, at: number): string {
  return `  ${at + 1}. ${sanitiseLine(title === value ? value : `${title} (${value})`)}`;
}

/** Longer defaults are shown above the prompt. */
const LONGEST_DEFAULT = 60;

export function fieldPrompt(asker: string, field: FormField): string {
  const kind = {
    string: "",
    number: " (number)",
    integer: " (whole number)",
    boolean: " (y/n)",
    choice: " (number or name)",
    choices: " (numbers or names, separated by commas)",
  };
  const fallback = defaultOf(field);
  const shown = fallback === "" ? "" : fallback.length > LONGEST_DEFAULT ? " [the default above]" : ` [${fallback}]`;
  return `${asker} asks for ${shortName(field.name)}${kind[field.type]}${shown}: `;
}

function defaultOf({ default: fallback }: FormField): string {
  return fallback === undefined ? "" : sanitiseLine(inWords(fallback));
}

function inWords(value: Json): string {
  if (typeof value === "string") return value;
  if (typeof value === "boolean") return value ? "y" : "n";
  return Array.isArray(value) ? value.map(inWords).join(", ") : JSON.stringify(value);
}
