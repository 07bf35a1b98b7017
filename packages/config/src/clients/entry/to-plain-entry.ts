/** Converts a definition to an entry in Plugboard's own spelling, as a person would write it: without defaults. */
import { entryRows, transportOfUrl } from "@plugboard/contracts";
import type { ServerEntry } from "@plugboard/contracts";
import type { ServerDefinition } from "../../definition/definition.ts";
import { unmaskedEntry } from "../../redaction/redacted-entry.ts";

/** Leaves out a transport that follows from the command or the URL. */
export function toPlainEntry(definition: ServerDefinition): ServerEntry {
  const entry = unmaskedEntry(definition);
  const keys = entryRows().map(([key]) => key);
  const written = keys.filter((key) => entry[key] !== undefined && !(key === "transport" && isImplied(definition)));
  return Object.fromEntries(written.map((key) => [key, entry[key]]));
}

function isImplied(definition: ServerDefinition): boolean {
  if (definition.transport === "stdio" || definition.transport === "http") return true;
  return "url" in definition && transportOfUrl(definition.url) === definition.transport;
}
