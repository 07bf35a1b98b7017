/** Converts a file whose format differs from Plugboard's own. Plugboard reads all other files without a conversion. */
import type { ClientName, JsonObject } from "@plugboard/contracts";
import { nodeValue } from "../parse/members.ts";
import { parseConfigText } from "../parse/parse-config-text.ts";
import { detectClient } from "./detect-client.ts";
import { entryNotes } from "./entry/entry-notes.ts";
import { readClientDocument } from "./read-client-file.ts";
import type { ClientServer, ClientServers } from "./read-client-file.ts";
import { parseDocument, syntaxOf } from "./syntax/parse-document.ts";

interface ForeignServers extends Pick<ClientServers, "skipped"> {
  readonly servers: readonly Pick<ClientServer, "id" | "entry" | "notes">[];
}

/** Clients whose JSON files Plugboard reads without a conversion. It expands their placeholders as its own. */
const OWN_FORMAT: ReadonlySet<ClientName | "other"> = new Set(["claude-desktop", "other"]);

/** `project` is the folder that the user works in. Returns undefined for a file that needs no conversion. */
export async function convertForeignText(
  file: string,
  text: string,
  project: string,
): Promise<ForeignServers | undefined> {
  const syntax = syntaxOf(file);
  const document = syntax === "json" ? parseJsonObject(text) : await parseDocument(file, text, syntax);
  if (!document) return undefined;
  const client = detectClient(file, document);
  if (syntax === "json" && OWN_FORMAT.has(client.name)) return undefined;
  const options = { project, platform: process.platform, scope: "project" } as const;
  const { servers, skipped } = readClientDocument(file, document, client, options);
  return { servers: servers.map((server) => ({ ...server, notes: entryNotes(server) })), skipped };
}

/** Returns undefined for invalid text. Plugboard's own reader reports the position of the mistake. */
function parseJsonObject(text: string): JsonObject | undefined {
  const { root, syntaxErrors } = parseConfigText(text);
  return syntaxErrors.length > 0 || root?.type !== "object" ? undefined : (nodeValue(root) as JsonObject);
}
