/** The same call as a command line and as a program, to be copied. Pure. */
import { replaceHiddenCharacters, sanitize } from "@plugboard/contracts";
import type { Json, JsonObject } from "@plugboard/contracts";

/** A line for a POSIX shell. A server chooses the names of its tools, so every word is quoted if it needs to be. */
export function callCommand(server: string, tool: string, args: JsonObject): string {
  const pairs = Object.entries(args).map(([name, value]) => {
    if (!/^[\w.-]+$/.test(name)) return undefined;
    const isPlain = typeof value === "string" && !value.startsWith("@") && sanitize(value) === value;
    return isPlain ? `${name}=${value}` : `${name}:=${toVisibleJson(value)}`;
  });
  const words = pairs.every((pair) => pair !== undefined) ? pairs : ["--args", toVisibleJson(args)];
  return ["plugboard", "call", `${server}:${tool}`, ...words].map(quoteWord).join(" ");
}

export function callProgram(server: string, tool: string, args: JsonObject): string {
  return `import { createHost } from "@plugboard/host";

const host = await createHost();
const result = await host.tools.call(${toVisibleJson(`${server}:${tool}`)}, ${toVisibleJson(args, 2)});
console.log(result.content);
await host.close();`;
}

/** Hidden characters are written as escapes, such as `\u200b`, which mean the same. */
function toVisibleJson(value: Json | undefined, indent?: number): string {
  const toEscape = (unit: string) => `\\u${unit.charCodeAt(0).toString(16).padStart(4, "0")}`;
  return replaceHiddenCharacters(JSON.stringify(value ?? null, null, indent), (character) =>
    character.split("").map(toEscape).join(""),
  );
}

/** Line breaks and quotes stay inside single quotes. */
export function quoteWord(word: string): string {
  return /^[\w@%+=:,./-]+$/.test(word) ? word : `'${word.replaceAll("'", String.raw`'\''`)}'`;
}
