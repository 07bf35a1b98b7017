/** Validates a server's entry and adds defaults. Loading zod is slow, so other modules import this one dynamically. */
import * as z from "zod/mini";
import { hasUrl, TRANSPORTS } from "@plugboard/contracts";
import type { ConfigSource, TransportName } from "@plugboard/contracts";
import { checkAuth } from "./check-auth.ts";
import type { ServerDefinition } from "../definition/definition.ts";
import { fieldsFor } from "./entry-fields.ts";
import { explainIssue } from "../parse/explain-issue.ts";
import type { EntryIssue } from "../parse/explain-issue.ts";
import { quoteJson } from "../parse/diagnostics.ts";
import type { RawEntry } from "./normalise-entry.ts";
import { isProjectSource } from "../definition/project-limits.ts";
import { envReferencesIn } from "../lib/env-references.ts";
import { findForbiddenReferences } from "../definition/secret-reference.ts";
import { toCamelKeys } from "../lib/key-case.ts";
import { transportFor } from "./transport-names.ts";
import { validateHeader } from "./validate-header.ts";
import { validateServerUrl } from "./validate-url.ts";

const COMMON_FIELDS = fieldsFor();
const URL_FIELDS = { ...COMMON_FIELDS, ...fieldsFor("url") };

/** The schemas by the target of the transport. */
const ENTRY_SCHEMAS = {
  stdio: z.strictObject({ ...COMMON_FIELDS, ...fieldsFor("stdio") }),
  url: z.strictObject(URL_FIELDS),
  proxy: z.strictObject({ ...URL_FIELDS, ...fieldsFor("proxy") }),
  sdk: z.strictObject({ ...COMMON_FIELDS, ...fieldsFor("sdk") }),
};

/** Limits the time to validate an entry whose author is unknown. */
const MAX_ISSUES = 20;

export type CheckedEntry =
  | { readonly definition: ServerDefinition; readonly warnings: readonly EntryIssue[] }
  | { readonly issues: readonly EntryIssue[] };

/** Expects keys in Plugboard's own spelling. */
export function checkEntry(entry: RawEntry, source: ConfigSource): CheckedEntry {
  const transport = transportFor(entry);
  if (transport === undefined) return invalid([], 'it has neither a "command" nor a "url"');
  if (!isTransport(transport)) {
    return invalid(
      ["transport"],
      `is ${quoteJson(transport)}; it must be one of ${Object.keys(TRANSPORTS).join(", ")}`,
    );
  }
  const forbidden = findForbiddenReferences(entry, source);
  if (forbidden.length > 0) return { issues: forbidden };
  const { rest, auth, warnings } = dropIneffectiveKeys(entry, transport, source);
  const parsed = ENTRY_SCHEMAS[TRANSPORTS[transport].target].safeParse(rest);
  const checkedAuth = checkAuth(auth, transport);
  const authIssues = "issues" in checkedAuth ? checkedAuth.issues : [];
  if (!parsed.success) {
    const found = parsed.error.issues.slice(0, MAX_ISSUES);
    return { issues: [...found.flatMap((issue) => explainIssue(issue, rest, `a ${transport} server`)), ...authIssues] };
  }
  if ("issues" in checkedAuth) return checkedAuth;
  const issues = validateUrlAndHeaders(parsed.data, transport, checkedAuth.headerName);
  if (issues.length > 0) return { issues };
  const withAuth = "url" in parsed.data ? { auth: checkedAuth.auth } : {};
  const definition: Pick<ServerDefinition, "transport"> = { transport, ...toCamelKeys(parsed.data), ...withAuth };
  // The cast is safe, because the schema and the type are made from the same table of keys.
  return { definition: definition as ServerDefinition, warnings };
}

/** Drops keys that have no effect, with a warning, so that a file for several clients still works. */
function dropIneffectiveKeys(entry: RawEntry, transport: TransportName, source: ConfigSource) {
  const { transport: _, auth, ...others } = entry;
  const rest: { [key: string]: unknown } = others;
  const warnings: EntryIssue[] = [];
  const drop = (key: string, message: string) => {
    if (rest[key] === undefined) return;
    delete rest[key];
    warnings.push({ path: [key], message });
  };
  const withoutEffect = `has no effect on a ${transport} server`;
  if (transport !== "sdk") drop("name", withoutEffect);
  if (hasUrl(transport)) drop("env", withoutEffect);
  const argumentsHint = hintAtArguments(rest);
  if (argumentsHint !== undefined) warnings.push({ path: ["command"], message: argumentsHint });
  if (rest["trust_annotations"] === true && isProjectSource(source)) {
    drop("trust_annotations", "is ignored in a project's file; set it in your own config file");
  }
  return { rest, auth, warnings };
}

/**
 * Splits a command that contains its arguments, such as `npx -y server`. Returns undefined for other commands. A path
 * may contain spaces, so it is not split.
 */
export function splitArguments({ command, args }: { readonly command?: unknown; readonly args?: unknown }) {
  if (typeof command !== "string" || /^\S*[\\/]/.test(command)) return undefined;
  const [program = "", ...words] = command.trim().split(/\s+/);
  return words.length === 0 || (Array.isArray(args) && args.length > 0) ? undefined : { program, words };
}

function hintAtArguments(rest: { readonly [key: string]: unknown }): string | undefined {
  const split = splitArguments(rest);
  if (!split) return undefined;
  const { program, words } = split;
  return `contains spaces; arguments belong in "args": "command": ${quoteJson(program)}, "args": ${quoteJson(words)}`;
}

function validateUrlAndHeaders(entry: object, transport: TransportName, authHeader: string | undefined): EntryIssue[] {
  if (!("url" in entry && "headers" in entry)) return [];
  const url = entry.url as string;
  // A URL with `${…}` is validated when the definition is resolved.
  const urlError = envReferencesIn(url).length > 0 ? undefined : validateServerUrl(url, transport);
  const headerIssues = Object.entries(entry.headers as object).flatMap(([name, value]) => {
    const isSetByAuth = name.toLowerCase() === authHeader?.toLowerCase();
    const text = typeof value === "string" ? value : "";
    const message =
      validateHeader(name, text) ?? (isSetByAuth ? 'is also set by "auth"; remove one of the two' : undefined);
    return message === undefined ? [] : [{ path: ["headers", name], message }];
  });
  return urlError === undefined ? headerIssues : [{ path: ["url"], message: urlError }, ...headerIssues];
}

function invalid(path: readonly string[], message: string): CheckedEntry {
  return { issues: [{ path, message }] };
}

function isTransport(value: unknown): value is TransportName {
  return typeof value === "string" && Object.hasOwn(TRANSPORTS, value);
}
