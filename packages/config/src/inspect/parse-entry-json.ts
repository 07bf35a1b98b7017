/** Parses the JSON of one server's entry in the spelling of any client, and converts it to Plugboard's own spelling. */
import type { ParsedEntry, ServerEntry } from "@plugboard/contracts";
import type { Node } from "jsonc-parser";
import { nearest } from "@plugboard/contracts";
import { ENTRY_TABLE, keyMappingFor } from "../entry/entry-keys.ts";
import { normaliseEntry } from "../entry/normalise-entry.ts";
import { transportFor } from "../entry/transport-names.ts";
import { membersOf } from "../parse/members.ts";
import { parseConfigText } from "../parse/parse-config-text.ts";
import { quoteJson, unknownKeyMessage } from "../parse/diagnostics.ts";

const SERVER_SECTIONS = ["mcp", "mcpServers", "mcp_servers", "servers"];

/** Also accepts a whole config with one server, as the documentation of many servers shows it. */
export function parseEntryJson(text: string): ParsedEntry {
  const { root, empty, syntaxErrors } = parseConfigText(text);
  if (empty) return { error: "the JSON is empty" };
  const [syntaxError] = syntaxErrors;
  if (syntaxError) {
    const { line, column, message } = syntaxError;
    return { error: `the JSON is invalid at line ${line}, column ${column}: ${message}` };
  }
  if (root?.type !== "object") return { error: "the JSON must be an object" };
  const found = findEntry(root);
  if ("error" in found) return found;
  const { entry, unknownKeys, warnings, duplicate } = normaliseEntry(found.node, "");
  if (duplicate) return { error: `the key ${duplicate.name} occurs twice` };
  const transport = transportFor(entry);
  return {
    entry: { ...entry, ...(entry["transport"] !== undefined && { transport }) } as ServerEntry,
    warnings: [
      ...unknownKeys.map(
        ({ key, spelling, knownKeys }) => `${unknownKeyMessage(spelling, nearest(key, knownKeys))} (it was left out)`,
      ),
      ...warnings.map(({ spelling, message }) => `${quoteJson(spelling)} ${message}`),
    ],
  };
}

/** Descends into a section such as `mcpServers`, and into the server in it if there is only one. */
function findEntry(node: Node): { readonly node: Node } | { readonly error: string } {
  const members = membersOf(node).filter(({ key }) => key !== "$schema" && key !== "version");
  const isEntry = members.some(({ key }) => keyMappingFor(key, ENTRY_TABLE) !== undefined);
  if (isEntry) return { node };
  const section = members.find(({ key }) => SERVER_SECTIONS.includes(key));
  if (section?.valueNode.type === "object") return findEntry(section.valueNode);
  const [only, ...others] = members;
  if (only === undefined) return { node };
  if (others.length > 0) return { error: `the JSON has ${members.length} servers; give the JSON of one` };
  return only.valueNode.type === "object" ? { node: only.valueNode } : { node };
}
