/** Checks one server's entry and fills in what it leaves out. Loads zod, so it is itself loaded on first use. */
import * as z from "zod/mini";
import type { Source, TransportName } from "@plugboard/contracts";
import { checkAuth } from "./check-auth.ts";
import type { ServerDefinition } from "./definition.ts";
import { commonFields, proxyFields, sdkFields, stdioFields, urlFields } from "./entry-fields.ts";
import { explainIssue } from "./explain-issue.ts";
import type { Mistake } from "./explain-issue.ts";
import { quote } from "./findings.ts";
import type { RawEntry } from "./normalise-entry.ts";
import { isProjects } from "./project-limits.ts";
import { referencesIn } from "./references.ts";
import { refusedReferences } from "./secret-reference.ts";
import { toCamelKeys } from "./to-camel-keys.ts";
import { wrongHeader } from "./wrong-header.ts";
import { wrongUrl } from "./web-url.ts";

const URL_ENTRY = z.strictObject({ ...commonFields, ...urlFields });

const ENTRIES = {
  stdio: z.strictObject({ ...commonFields, ...stdioFields }),
  http: URL_ENTRY,
  sse: URL_ENTRY,
  websocket: URL_ENTRY,
  "claudeai-proxy": z.strictObject({ ...commonFields, ...urlFields, ...proxyFields }),
  sdk: z.strictObject({ ...commonFields, ...sdkFields }),
};

/** What other clients call them. */
const ALIASES: { readonly [name: string]: TransportName } = {
  "streamable-http": "http",
  streamable_http: "http",
  streamableHttp: "http",
  ws: "websocket",
};

/** In every spelling. */
export const TRANSPORTS = [...Object.keys(ENTRIES), ...Object.keys(ALIASES)];

export type Checked =
  | { readonly definition: ServerDefinition; readonly warnings: readonly Mistake[] }
  | { readonly mistake: Mistake };

/** Keys are expected in Plugboard's own spelling. */
export function checkEntry(entry: RawEntry, source: Source): Checked {
  const transport = readTransport(entry);
  if (transport === undefined) return { mistake: { path: [], what: 'it has neither a "command" nor a "url"' } };
  if (!isTransport(transport)) {
    const known = Object.keys(ENTRIES).join(", ");
    return { mistake: { path: ["transport"], what: `is ${quote(transport)}; it must be one of ${known}` } };
  }
  const refused = refusedReferences(entry, source)[0];
  if (refused) return { mistake: refused };
  const { rest, auth, warnings } = setAside(entry, transport, source);
  const read = ENTRIES[transport].safeParse(rest);
  if (!read.success) return { mistake: explainIssue(read.error.issues[0]!, rest, `a ${transport} server`) };
  const login = checkAuth(auth, transport);
  if ("mistake" in login) return login;
  const mistake = wrongReach(read.data, transport, login.headerName);
  if (mistake) return { mistake };
  const withAuth = "url" in read.data ? { auth: login.auth } : {};
  return { definition: { transport, ...toCamelKeys(read.data), ...withAuth } as unknown as ServerDefinition, warnings };
}

/** What has no effect there is passed over and told, so that a file for several clients still works. */
function setAside(entry: RawEntry, transport: TransportName, source: Source) {
  const { transport: _, auth, ...others } = entry;
  const rest: { [key: string]: unknown } = others;
  const warnings: Mistake[] = [];
  const passOver = (key: string, why: string) => {
    if (rest[key] === undefined) return;
    delete rest[key];
    warnings.push({ path: [key], what: why });
  };
  const withoutEffect = `has no effect on a ${transport} server`;
  if (transport !== "sdk") passOver("name", withoutEffect);
  if (transport !== "sdk" && transport !== "stdio") passOver("env", withoutEffect);
  if (rest["trust_annotations"] === true && isProjects(source)) {
    passOver("trust_annotations", "is not taken from a project: whom to trust you say in your own config file");
  }
  return { rest, auth, warnings };
}

function wrongReach(read: object, transport: TransportName, keyHeader: string | undefined): Mistake | undefined {
  if (!("url" in read && "headers" in read)) return undefined;
  const url = read.url as string;
  // One with references is checked when they are expanded.
  const wrong = referencesIn(url).length > 0 ? undefined : wrongUrl(url, transport);
  if (wrong !== undefined) return { path: ["url"], what: wrong };
  for (const name of Object.keys(read.headers as object)) {
    const what = wrongHeader(name);
    if (what !== undefined) return { path: ["headers", name], what };
    if (name.toLowerCase() === keyHeader?.toLowerCase()) {
      return { path: ["headers", name], what: 'is the header that "auth" sets; remove one of the two' };
    }
  }
  return undefined;
}

function isTransport(value: unknown): value is TransportName {
  return typeof value === "string" && Object.hasOwn(ENTRIES, value);
}

function readTransport({ transport, command, url }: RawEntry): unknown {
  if (typeof transport === "string" && Object.hasOwn(ALIASES, transport)) return ALIASES[transport];
  if (transport !== undefined) return transport;
  if (command !== undefined) return "stdio";
  if (url === undefined) return undefined;
  return typeof url === "string" && /^wss?:/i.test(url) ? "websocket" : "http";
}
