/** Validates a server's entry and adds defaults. Loading zod is slow, so other modules import this one dynamically. */
import * as z from "zod/mini";
import type { ConfigSource, TransportName } from "@plugboard/contracts";
import { checkAuth } from "./check-auth.ts";
import type { ServerDefinition } from "../definition/definition.ts";
import { commonFields, proxyFields, sdkFields, stdioFields, urlFields } from "./entry-fields.ts";
import { explainIssue } from "../parse/explain-issue.ts";
import type { EntryIssue } from "../parse/explain-issue.ts";
import { quoteJson } from "../parse/diagnostics.ts";
import type { RawEntry } from "./normalise-entry.ts";
import { isProjectSource } from "../definition/project-limits.ts";
import { envReferencesIn } from "../../lib/env-references.ts";
import { findForbiddenReferences } from "../definition/secret-reference.ts";
import { toCamelKeys } from "../../lib/key-case.ts";
import { validateHeader } from "./validate-header.ts";
import { validateServerUrl } from "./validate-url.ts";

const URL_ENTRY_SCHEMA = z.strictObject({ ...commonFields, ...urlFields });

const ENTRY_SCHEMAS = {
  stdio: z.strictObject({ ...commonFields, ...stdioFields }),
  http: URL_ENTRY_SCHEMA,
  sse: URL_ENTRY_SCHEMA,
  websocket: URL_ENTRY_SCHEMA,
  "claudeai-proxy": z.strictObject({ ...commonFields, ...urlFields, ...proxyFields }),
  sdk: z.strictObject({ ...commonFields, ...sdkFields }),
};

/** The names that other clients use. */
const TRANSPORT_ALIASES: { readonly [name: string]: TransportName } = {
  "streamable-http": "http",
  streamable_http: "http",
  streamableHttp: "http",
  ws: "websocket",
};

/** All transport names that are accepted, including those of other clients. */
export const TRANSPORT_SPELLINGS = [...Object.keys(ENTRY_SCHEMAS), ...Object.keys(TRANSPORT_ALIASES)];

export type CheckedEntry =
  | { readonly definition: ServerDefinition; readonly warnings: readonly EntryIssue[] }
  | { readonly issue: EntryIssue };

/** Expects keys in Plugboard's own spelling. */
export function checkEntry(entry: RawEntry, source: ConfigSource): CheckedEntry {
  const transport = readTransport(entry);
  if (transport === undefined) return { issue: { path: [], message: 'it has neither a "command" nor a "url"' } };
  if (!isTransport(transport)) {
    const transports = Object.keys(ENTRY_SCHEMAS).join(", ");
    return { issue: { path: ["transport"], message: `is ${quoteJson(transport)}; it must be one of ${transports}` } };
  }
  const forbidden = findForbiddenReferences(entry, source)[0];
  if (forbidden) return { issue: forbidden };
  const { rest, auth, warnings } = dropIneffectiveKeys(entry, transport, source);
  const parsed = ENTRY_SCHEMAS[transport].safeParse(rest);
  if (!parsed.success) return { issue: explainIssue(parsed.error.issues[0]!, rest, `a ${transport} server`) };
  const checkedAuth = checkAuth(auth, transport);
  if ("issue" in checkedAuth) return checkedAuth;
  const issue = validateUrlAndHeaders(parsed.data, transport, checkedAuth.headerName);
  if (issue) return { issue };
  const withAuth = "url" in parsed.data ? { auth: checkedAuth.auth } : {};
  return {
    definition: { transport, ...toCamelKeys(parsed.data), ...withAuth } as unknown as ServerDefinition,
    warnings,
  };
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
  if (transport !== "sdk" && transport !== "stdio") drop("env", withoutEffect);
  if (rest["trust_annotations"] === true && isProjectSource(source)) {
    drop("trust_annotations", "is ignored in a project's file; set it in your own config file");
  }
  return { rest, auth, warnings };
}

function validateUrlAndHeaders(
  entry: object,
  transport: TransportName,
  authHeader: string | undefined,
): EntryIssue | undefined {
  if (!("url" in entry && "headers" in entry)) return undefined;
  const url = entry.url as string;
  // A URL with `${…}` is validated when the definition is resolved.
  const urlError = envReferencesIn(url).length > 0 ? undefined : validateServerUrl(url, transport);
  if (urlError !== undefined) return { path: ["url"], message: urlError };
  for (const name of Object.keys(entry.headers as object)) {
    const message = validateHeader(name);
    if (message !== undefined) return { path: ["headers", name], message };
    if (name.toLowerCase() === authHeader?.toLowerCase()) {
      return { path: ["headers", name], message: 'is also set by "auth"; remove one of the two' };
    }
  }
  return undefined;
}

function isTransport(value: unknown): value is TransportName {
  return typeof value === "string" && Object.hasOwn(ENTRY_SCHEMAS, value);
}

function readTransport({ transport, command, url }: RawEntry): unknown {
  if (typeof transport === "string" && Object.hasOwn(TRANSPORT_ALIASES, transport)) return TRANSPORT_ALIASES[transport];
  if (transport !== undefined) return transport;
  if (command !== undefined) return "stdio";
  if (url === undefined) return undefined;
  return typeof url === "string" && /^wss?:/i.test(url) ? "websocket" : "http";
}
