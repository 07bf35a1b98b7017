/** Translates the placeholders of a client's string to references in Plugboard's syntax. Resolves none of them. */
import type { EntryValue } from "@plugboard/contracts";
import { looksLikePlainWord } from "../../lib/looks-like-plain-word.ts";
import { findPlaceholders } from "./dialect.ts";
import type { Dialect, Placeholder } from "./dialect.ts";

export interface PlaceholderContext {
  readonly label: string;
  readonly dialect: Dialect;
  /** The key of the entry that contains the string, such as `Authorization`. */
  readonly key: string;
  /** Whether a reference to a secret can replace the string. */
  readonly allowsSecret: boolean;
  /** Whether the server runs in the folder of a project. */
  readonly inProject: boolean;
  readonly platform: NodeJS.Platform;
}

type ReadValue = { readonly value: EntryValue; readonly notes: readonly string[] } | { readonly skip: string };

type Part = string | Placeholder;

/** Matches text that looks like a reference to a variable. */
const VARIABLE_LOOKALIKE = /\$\{[A-Za-z_][A-Za-z0-9_]*(?::-|\})/;

export function readPlaceholders(text: string, context: PlaceholderContext): ReadValue {
  const parts = split(text, context.dialect).map((part) => simplify(part, context));
  const placeholders = parts.filter((part) => typeof part !== "string");
  const unknown = placeholders.find((part) => part.type === "unknown");
  if (unknown) return { skip: `it uses ${unknown.text}, which Plugboard can't translate` };
  const stored = placeholders.find((part) => part.type === "secret" || part.type === "file");
  return stored ? readStored(parts, stored, context) : readVariables(parts, context);
}

function split(text: string, dialect: Dialect): Part[] {
  const parts: Part[] = [];
  let last = 0;
  for (const { placeholder, start, end } of findPlaceholders(text, dialect)) {
    if (start > last) parts.push(text.slice(last, start));
    parts.push(placeholder);
    last = end;
  }
  if (last < text.length) parts.push(text.slice(last));
  return parts;
}

/** Replaces placeholders for folders with a variable or a text. */
function simplify(part: Part, { inProject, platform }: PlaceholderContext): Part {
  if (typeof part === "string") return part;
  if (part.type === "text") return part.text;
  if (part.type === "home") return { type: "variable", name: homeVariable(platform) };
  if (part.type === "separator") return platform === "win32" ? "\\" : "/";
  if (part.type !== "workspace") return part;
  // A server of a project runs in the project's folder.
  return inProject ? "." : { type: "unknown", text: "${workspaceFolder}" };
}

function readVariables(parts: readonly Part[], { label, key }: PlaceholderContext): ReadValue {
  const notes: string[] = [];
  const texts: string[] = [];
  for (const part of parts) {
    if (typeof part === "string") {
      if (VARIABLE_LOOKALIKE.test(part))
        notes.push(`${key}: \${…} is kept as text, because ${label} does not expand it; write \${NAME} to expand it`);
      texts.push(escapeReferences(part));
    } else if (part.type !== "variable") {
      return { skip: `${key} combines placeholders that Plugboard can't translate` };
    } else {
      // `$${` would be an escaped `${`.
      if (texts.at(-1)?.endsWith("$")) return { skip: `${key} has a "$" directly before a variable` };
      texts.push(part.fallback === undefined ? `\${${part.name}}` : `\${${part.name}:-${part.fallback}}`);
    }
  }
  return { value: texts.join(""), notes };
}

type StoredPlaceholder = Extract<Placeholder, { type: "secret" | "file" }>;

/** A reference to a secret replaces the whole string, so a text around the placeholder becomes part of the secret. */
function readStored(parts: readonly Part[], stored: StoredPlaceholder, context: PlaceholderContext): ReadValue {
  const { key, allowsSecret } = context;
  const isWhole = parts.length === 1;
  if (stored.type === "file") {
    if (isWhole && allowsSecret) return { value: { $file: readFilePath(stored.path, context) }, notes: [] };
    return { skip: `${key} contains the content of a file inside a text, which Plugboard can't translate` };
  }
  if (!allowsSecret || parts.filter((part) => typeof part !== "string").length > 1) {
    const read = readVariables(parts.map(secretToVariable), context);
    const note = `${key} asks for "${stored.name}"; set the environment variable ${toVariableName(stored.name)} instead`;
    return "skip" in read ? read : { value: read.value, notes: [...read.notes, note] };
  }
  const name = toSecretName(isWhole ? stored.name : `${stored.name}-${key}`);
  const whole = isWhole ? "set it" : `set the whole value (${JSON.stringify(withEllipsis(parts))})`;
  return { value: { $secret: name }, notes: [`${key}: ${whole}: plugboard secret set ${name}`] };
}

function secretToVariable(part: Part): Part {
  if (typeof part === "string" || part.type !== "secret") return part;
  return { type: "variable", name: toVariableName(part.name) };
}

/** Replaces a leading `~`, which only a shell expands. */
function readFilePath(path: string, { platform }: PlaceholderContext): string {
  const escaped = escapeReferences(path);
  return /^~[\\/]/.test(escaped) ? `\${${homeVariable(platform)}}${escaped.slice(1)}` : escaped;
}

function homeVariable(platform: NodeJS.Platform): string {
  return platform === "win32" ? "USERPROFILE" : "HOME";
}

function escapeReferences(text: string): string {
  return text.replaceAll("${", () => "$${");
}

/** Shows the text around a placeholder, such as `Bearer …`. Masks it if it may contain a secret. */
function withEllipsis(parts: readonly Part[]): string {
  const showText = (text: string) =>
    looksLikePlainWord(text.replace(/[=: ]+$/, "").replace(/^-+/, "")) ? text : "***";
  return parts.map((part) => (typeof part === "string" ? showText(part) : "…")).join("");
}

/** `github token` → `github-token` */
function toSecretName(text: string): string {
  return text.replace(/[^A-Za-z0-9_.-]+/g, "-");
}

/** `github-token` → `GITHUB_TOKEN` */
export function toVariableName(text: string): string {
  const name = text.toUpperCase().replace(/[^A-Z0-9_]+/g, "_");
  return /^[0-9]/.test(name) || name === "" ? `_${name}` : name;
}
