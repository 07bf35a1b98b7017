/** Parses the option `--mcp-server id=<command or URL>`. */
import { HostError, splitShellWords, transportOfUrl } from "@plugboard/contracts";
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
  const scheme = /^[a-z][a-z0-9+.-]*:\/\//i.exec(target);
  const transport = scheme ? transportOfUrl(target) : undefined;
  if (transport) return { id, entry: { transport, url: target } };
  if (scheme)
    // Quotes only the scheme, because the rest of the URL may contain a password.
    throw usageError(`--mcp-server ${id}=…: a URL begins with http://, https://, ws:// or wss://, not ${scheme[0]}`);
  const [command, ...args] = splitCommand(target);
  if (!command) throw usageError(`--mcp-server ${JSON.stringify(flag)} names no command`);
  return { id, entry: { transport: "stdio", command, args } };
}

/** Throws USAGE if a quote is not closed. */
export function splitCommand(text: string): readonly string[] {
  const { words, openQuote } = splitShellWords(text, process.platform !== "win32");
  if (openQuote) throw usageError(`a quote (${openQuote}) is not closed in ${JSON.stringify(text)}`);
  return words;
}

function usageError(message: string): HostError {
  return new HostError("USAGE", { message });
}
