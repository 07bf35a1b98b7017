/** Converts a file whose format differs from Plugboard's own. Plugboard reads all other files without a conversion. */
import type { ClientName, JsonObject } from "@plugboard/contracts";
import { nodeValue } from "../config/parse/members.ts";
import { parseConfigText } from "../config/parse/parse-config-text.ts";
import { detectClient } from "./detect-client.ts";
import { readClientDocument } from "./read-client-file.ts";
import type { ClientServers } from "./read-client-file.ts";
import { parseDocument, syntaxOf } from "./syntax/parse-document.ts";

/** Clients whose JSON files Plugboard reads without a conversion. It expands their placeholders as its own. */
const OWN_FORMAT: ReadonlySet<ClientName | "other"> = new Set(["claude-desktop", "other"]);

/** `project` is the folder that the user works in. Returns undefined for a file that needs no conversion. */
export async function convertForeignText(
  file: string,
  text: string,
  project: string,
): Promise<ClientServers | undefined> {
  const syntax = syntaxOf(file);
  const document = syntax === "json" ? parseJsonObject(text) : await parseDocument(file, text, syntax);
  if (!document) return undefined;
  const client = detectClient(file, document);
  if (syntax === "json" && OWN_FORMAT.has(client.name)) return undefined;
  return readClientDocument(file, document, client, { project, platform: process.platform, scope: "project" });
}

/** Returns undefined for invalid text. Plugboard's own reader reports the position of the mistake. */
function parseJsonObject(text: string): JsonObject | undefined {
  const { root, syntaxErrors } = parseConfigText(text);
  return syntaxErrors.length > 0 || root?.type !== "object" ? undefined : (nodeValue(root) as JsonObject);
}
