/** Renders the command or URL of a server entry as the user would type it. Pure. */
import { quoteShellWord, sanitizeLine } from "@plugboard/contracts";
import type { EntryValue, ServerEntry } from "@plugboard/contracts";

/** Returns the whole command line, or the URL. A secret is shown by its name. */
export function renderTarget({ command, args = [], url }: ServerEntry): string {
  if (command === undefined) return sanitizeLine(url ?? "");
  return sanitizeLine([command, ...args].map(renderWord).join(" "));
}

/** Returns one text for each environment variable or header, such as `LOG_LEVEL=info` or `X-Region: eu`. */
export function renderPairs({ env = {}, headers = {} }: ServerEntry): string[] {
  return [
    ...Object.entries(env).map(([name, value]) => sanitizeLine(`${name}=${renderWord(value)}`)),
    ...Object.entries(headers).map(([name, value]) => sanitizeLine(`${name}: ${describeValue(value)}`)),
  ];
}

/** Quotes words with spaces and signs that a shell would interpret. `${NAME}` has the same meaning in a shell. */
function renderWord(value: EntryValue): string {
  if (typeof value !== "string") return describeValue(value);
  return quoteShellWord(value, /^(?:[\w@%+=:,./~-]|\$\{\w+\})+$/);
}

function describeValue(value: EntryValue): string {
  if (typeof value === "string") return value;
  if ("$secret" in value) return `<secret ${value.$secret}>`;
  return "$file" in value ? `<file ${value.$file}>` : `<output of ${value.$cmd[0]}>`;
}
