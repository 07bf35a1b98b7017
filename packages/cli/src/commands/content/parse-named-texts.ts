/** Parses words of the form `name=value` whose values are texts, such as the arguments of a prompt. */
import { usageError } from "../../command-line/usage-error.ts";

export function parseNamedTexts(words: readonly string[], command: string): { [name: string]: string } {
  const entries = words.map((word): [string, string] => {
    const equals = word.indexOf("=");
    if (equals < 1) throw usageError(`${JSON.stringify(word)} is not of the form name=value`, { command });
    return [word.slice(0, equals), word.slice(equals + 1)];
  });
  return Object.fromEntries(entries);
}

/** Splits `server:name`. The server's id contains no colon, but the name may. */
export function splitQualifiedName(text: string, what: string, command: string): { server: string; name: string } {
  const colon = text.indexOf(":");
  if (colon > 0 && colon < text.length - 1) return { server: text.slice(0, colon), name: text.slice(colon + 1) };
  throw usageError(`${JSON.stringify(text)} is not of the form server:${what}, such as files:${what}-name`, {
    command,
  });
}
