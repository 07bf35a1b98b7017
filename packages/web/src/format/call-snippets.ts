/** The same call as a command line and as a program, to be copied. Pure. */
import type { JsonObject } from "@plugboard/contracts";

/** A line for a POSIX shell. A server chooses the names of its tools, so every word is quoted if it needs to be. */
export function callCommand(server: string, tool: string, args: JsonObject): string {
  const pairs = Object.entries(args).map(([name, value]) => {
    if (typeof value === "string" && /^[\w.-]+$/.test(name) && !value.startsWith("@")) return `${name}=${value}`;
    return /^[\w.-]+$/.test(name) ? `${name}:=${JSON.stringify(value)}` : undefined;
  });
  const words = pairs.every((pair) => pair !== undefined) ? pairs : ["--args", JSON.stringify(args)];
  return ["plugboard", "call", `${server}:${tool}`, ...words].map(quoteWord).join(" ");
}

export function callProgram(server: string, tool: string, args: JsonObject): string {
  return `import { createHost } from "@plugboard/host";

const host = await createHost();
const result = await host.tools.call(${JSON.stringify(`${server}:${tool}`)}, ${JSON.stringify(args, null, 2)});
console.log(result.content);
await host.close();`;
}

/** Line breaks and quotes stay inside single quotes. */
export function quoteWord(word: string): string {
  return /^[\w@%+=:,./-]+$/.test(word) ? word : `'${word.replaceAll("'", String.raw`'\''`)}'`;
}
