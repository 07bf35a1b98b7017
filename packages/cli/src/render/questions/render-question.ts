/** Renders questions as text. Quotes and shortens text that comes from servers and projects. */
import { describeSandboxToApprove, visibleJson, parseUrl, sanitizeLine } from "@plugboard/contracts";
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
import { renderJson, tryRenderJson } from "../../terminal/render-json.ts";
import { requesterName, shortName } from "../quote-untrusted.ts";
import type { Quoter } from "../quote-untrusted.ts";

/** Maximum rows of each part before the person types `:all`. */
const MAX_ROWS = {
  description: 12,
  arguments: 16,
  preview: 40,
  changes: 16,
  definition: 40,
  request: 16,
  message: 16,
  choices: 16,
};

export function renderPermission(question: PermissionQuestion, quote: Quoter): string {
  const { arguments: args, rule, description, changes, preview } = question;
  const byRule = rule === undefined ? "" : ` (rule ${sanitizeLine(rule)})`;
  return [
    `\n${requesterName(question)} needs your permission${byRule}${renderClient(question)}.`,
    description === undefined || description === ""
      ? "\n"
      : ` Its description:\n${quote(description, MAX_ROWS.description)}`,
    changes ? renderChanges("The tool has changed since you allowed it", changes, quote) : "",
    `Arguments:\n${quote(renderJson(args), MAX_ROWS.arguments)}`,
    preview === undefined ? "" : `What it would do:\n${quote(preview, MAX_ROWS.preview)}`,
  ].join("");
}

/** Names the client of the gateway that wants to call the tool. */
function renderClient({ requestedBy }: PermissionQuestion): string {
  if (!requestedBy) return "";
  const { principal, client } = requestedBy;
  if (principal !== undefined) return `, because a client with the token ${shortName(principal.name)} calls it`;
  return `, because ${client === undefined ? "a client" : `the client ${shortName(client)}`} calls it`;
}

/** Warns about a reused name, because rules for one server would apply to the other. */
export function renderReplaceWarning(replaces: string | undefined): string {
  if (replaces === undefined) return "";
  return `It would replace the ${replaces} server of the same name. Rules that allow that server would also allow this one.\n`;
}

/** Says which folders the server receives as roots, because it may use them regardless of its arguments. */
export function renderRoots({ roots = true }: JsonObject): string {
  if (roots === false) return "";
  const use = Array.isArray(roots)
    ? "It gets the folders under `roots` as MCP roots, and may use them"
    : "It gets the folder you run it in as its MCP root, and may use it";
  return `${use} whatever its arguments say. To prevent this, set \`"roots": false\` in the file.\n`;
}

/** Says what a program could do. A server at a URL does not run here. */
export function renderSandbox({ transport, sandbox }: Pick<TrustQuestion, "transport" | "sandbox">): string {
  return transport === "stdio" ? `${sanitizeLine(describeSandboxToApprove(sandbox))}\n` : "";
}

/** Shows the definition without redaction, because the approval covers every word. */
export function renderTrust(question: TrustQuestion, quote: Quoter): string {
  const { server, source, folder, definition, variables, changes, replaces } = question;
  const receives =
    variables.length === 0
      ? "It would receive none of your variables.\n"
      : `It would receive these variables:\n${quote(variables.join(", "), MAX_ROWS.definition)}`;
  return [
    `\nThe ${source} file in ${sanitizeLine(folder)} defines the server ${shortName(server)}, which you have not approved:\n`,
    quote(renderJson(definition), MAX_ROWS.definition),
    receives,
    renderSandbox(question),
    renderRoots(definition),
    renderReplaceWarning(replaces),
    changes ? renderChanges("It has changed since you approved it", changes, quote) : "",
  ].join("");
}

export function renderSampling(question: SamplingQuestion, quote: Quoter): string {
  const request = tryRenderJson(question.request) ?? "(nested too deeply to be shown)";
  return `\n${requesterName(question)} asks to use the model for this request:\n${quote(request, MAX_ROWS.request)}`;
}

function renderChanges(title: string, changes: readonly DefinitionChange[], quote: Quoter): string {
  const lines = changes.flatMap(({ path, before, after }) => {
    const place = sanitizeLine(path);
    return [
      ...(before === undefined ? [] : [`- ${place}: ${visibleJson(before)}\n`]),
      ...(after === undefined ? [] : [`+ ${place}: ${visibleJson(after)}\n`]),
    ];
  });
  return `${title}:\n${quote(lines.join(""), MAX_ROWS.changes)}`;
}

export function renderElicitation(question: ElicitationQuestion, quote: Quoter): string {
  const { elicitation } = question;
  const url = elicitation.mode === "url" ? renderUrl(elicitation.url, quote) : "";
  return `\n${requesterName(question)} asks:\n${quote(elicitation.message, MAX_ROWS.message)}${url}`;
}

/** Used for a type of question that the terminal can't ask. */
export function renderDismissed({ type, server }: Question): string {
  return `\n${shortName(server)} has a question (${sanitizeLine(type)}) that can't be asked here. It was dismissed.\n`;
}

/** Shows the host on its own, because a URL can be made to look like another site's. */
function renderUrl(url: string, quote: Quoter): string {
  const parsed = parseUrl(url);
  return `It wants you to visit ${displayHost(url)}:\n${parsed ? `    ${parsed.href}\n` : quote(url)}`;
}

export function displayHost(url: string): string {
  return sanitizeLine(parseUrl(url)?.host ?? "") || "a URL without a host";
}

export const COMMANDS_HELP = ":decline = no, :cancel = skip the question, Ctrl-C = cancel the call";
export const FORM_HELP = `  Press Enter to use the [default] or to skip an optional field.\n  ${COMMANDS_HELP}\n`;

export function renderField(field: FormField, quote: Quoter): string {
  const { title, description, required } = field;
  const parts = [title === field.name ? undefined : title, description].filter((text) => text !== undefined);
  const choices = field.type === "choice" || field.type === "choices" ? field.choices.map(renderChoice) : [];
  const defaultShown = defaultText(field);
  return [
    quote(`${parts.join(" – ") || field.name}${required ? " (required)" : ""}`, MAX_ROWS.message),
    choices.length === 0 ? "" : quote(choices.join("\n"), MAX_ROWS.choices),
    defaultShown.length > MAX_DEFAULT_LENGTH ? `The default is:\n${quote(defaultShown, MAX_ROWS.message)}` : "",
  ].join("");
}

function renderChoice({ value, title }: { readonly value: string; readonly title: string }, index: number): string {
  return `  ${index + 1}. ${sanitizeLine(title === value ? value : `${title} (${value})`)}`;
}

/** Longer defaults are shown above the prompt. */
const MAX_DEFAULT_LENGTH = 60;

export function fieldPrompt(asker: string, field: FormField): string {
  const inputHints = {
    string: "",
    number: " (number)",
    integer: " (whole number)",
    boolean: " (y/n)",
    choice: " (number or name)",
    choices: " (numbers or names, separated by commas)",
  };
  const text = defaultText(field);
  const defaultHint = text === "" ? "" : text.length > MAX_DEFAULT_LENGTH ? " [the default above]" : ` [${text}]`;
  return `${asker} asks for ${shortName(field.name)}${inputHints[field.type]}${defaultHint}: `;
}

function defaultText({ default: value }: FormField): string {
  return value === undefined ? "" : sanitizeLine(formatDefault(value));
}

function formatDefault(value: Json): string {
  if (typeof value === "string") return value;
  if (typeof value === "boolean") return value ? "y" : "n";
  return Array.isArray(value) ? value.map(formatDefault).join(", ") : JSON.stringify(value);
}
