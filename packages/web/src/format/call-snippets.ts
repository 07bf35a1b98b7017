/** Writes a call as a command line and as a program, for the user to copy. Pure. */
import { quoteShellWord, sanitize, visibleJson } from "@plugboard/contracts";
import type { JsonObject } from "@plugboard/contracts";

/** A line for a POSIX shell. A server chooses the names of its tools, so every word is quoted if it needs to be. */
export function callCommand(server: string, tool: string, args: JsonObject): string {
  const pairs = Object.entries(args).map(([name, value]) => {
    if (!/^[\w.-]+$/.test(name)) return undefined;
    const isPlain = typeof value === "string" && !value.startsWith("@") && sanitize(value) === value;
    return isPlain ? `${name}=${value}` : `${name}:=${visibleJson(value ?? null)}`;
  });
  const words = pairs.every((pair) => pair !== undefined) ? pairs : ["--args", visibleJson(args)];
  return ["plugboard", "call", `${server}:${tool}`, ...words].map((word) => quoteShellWord(word)).join(" ");
}

export function callProgram(server: string, tool: string, args: JsonObject): string {
  return `import { createHost } from "@plugboard/host";

const host = await createHost();
const result = await host.tools.call(${visibleJson(`${server}:${tool}`)}, ${visibleJson(args, 2)});
console.log(result.content);
await host.close();`;
}
