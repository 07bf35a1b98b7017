/** Parses the option `--mcp-server id=<command or URL>`. */
import { HostError } from "@plugboard/contracts";
import type { ServerEntry } from "@plugboard/contracts";

/** Returns the servers by id. Throws USAGE if an id occurs twice. */
export function parseServerFlags(flags: readonly string[]): { [id: string]: ServerEntry } {
  const parsed = flags.map(parseServerFlag);
  const duplicate = parsed.find(({ id }, index) => parsed.findIndex((other) => other.id === id) < index);
  if (duplicate) throw usageError(`--mcp-server gives ${JSON.stringify(duplicate.id)} twice`);
  return Object.fromEntries(parsed.map(({ id, entry }) => [id, entry]));
}

export function parseServerFlag(flag: string): { id: string; entry: ServerEntry } {
  const equals = flag.indexOf("=");
  const id = flag.slice(0, Math.max(0, equals));
  const target = flag.slice(equals + 1).trim();
  if (!id || !target) throw usageError(`--mcp-server ${JSON.stringify(flag)} is not of the form id=<command or URL>`);
  if (/^https?:\/\//i.test(target)) return { id, entry: { transport: "http", url: target } };
  if (/^wss?:\/\//i.test(target)) return { id, entry: { transport: "websocket", url: target } };
  const scheme = /^[a-z][a-z0-9+.-]*:\/\//i.exec(target);
  if (scheme)
    // The rest of the URL may contain a password.
    throw usageError(`--mcp-server ${id}=…: a URL begins with http:// or https://, not ${scheme[0]}`);
  const [command, ...args] = splitCommand(target);
  if (!command) throw usageError(`--mcp-server ${JSON.stringify(flag)} names no command`);
  return { id, entry: { transport: "stdio", command, args } };
}

/** Splits a command line into words, with quotes and backslashes as in a shell. Expands no variables and runs no shell. */
export function splitCommand(text: string): string[] {
  const words: string[] = [];
  let word: string | undefined;
  let quote: string | undefined;
  for (let index = 0; index < text.length; index++) {
    const character = text[index]!;
    if (quote) {
      if (character === quote) quote = undefined;
      else if (character === "\\" && quote === '"' && /["\\]/.test(text[index + 1] ?? "")) word += text[++index]!;
      else word += character;
    } else if (character === '"' || character === "'") {
      quote = character;
      word ??= "";
    } else if (character === "\\" && process.platform !== "win32") {
      word = (word ?? "") + (text[++index] ?? "");
    } else if (/\s/.test(character)) {
      if (word !== undefined) words.push(word);
      word = undefined;
    } else {
      word = (word ?? "") + character;
    }
  }
  if (quote) throw usageError(`a quote (${quote}) is not closed in ${JSON.stringify(text)}`);
  return word === undefined ? words : [...words, word];
}

function usageError(message: string): HostError {
  return new HostError("USAGE", { message });
}
