/** Implements `plugboard suggest`, which the completion scripts of shells call. Reads only files. Starts no server. */
import { readdir } from "node:fs/promises";
import { basename, dirname, resolve } from "node:path";
import { sanitizeLine } from "@plugboard/contracts";
import type { OfferedTool } from "@plugboard/contracts";
import { listServers, listStoredTools } from "@plugboard/host/offline";
import { completeWords } from "../../command-line/complete-words.ts";
import type { Suggestion, WordCompletion } from "../../command-line/complete-words.ts";
import type { CommandSpec } from "../../command-line/command-spec.ts";
import type { CliContext } from "../../terminal/cli-context.ts";
import { parseToolWords } from "../../arguments/parse-tool-words.ts";
import { matchingTools } from "../../arguments/matching-tools.ts";
import { completeToolArgument } from "./complete-tool-argument.ts";

/**
 * Prints each suggestion on a line: the value, a tab and a description. A value that ends with `:`, `=` or `/` is not a
 * whole word.
 */
export async function suggestWords(
  { words, json }: { readonly words: readonly string[]; readonly json: boolean },
  commands: readonly CommandSpec[],
  cli: CliContext,
): Promise<number> {
  const completion = completeWords(words, commands);
  const found = await lookUpValues(completion, words.at(-1) ?? "", cli);
  // A value with control characters can't be typed, and would break the lines of the output.
  const all = [...completion.suggestions, ...found].filter(({ value }) => value === sanitizeLine(value));
  if (json) cli.stdout.json(all);
  else cli.stdout.write(all.map(({ value, about = "" }) => `${value}\t${about.replaceAll(/\s+/g, " ")}\n`).join(""));
  return 0;
}

async function lookUpValues(
  { lookUp, before = [] }: WordCompletion,
  beginning: string,
  cli: CliContext,
): Promise<readonly Suggestion[]> {
  const matching = (suggestions: readonly Suggestion[]) =>
    suggestions.filter(({ value }) => value.startsWith(beginning));
  if (lookUp === undefined) return [];
  if (lookUp === "file" || lookUp === "folder") return listFiles(lookUp, beginning, cli);
  if (lookUp === "toolArgument") return suggestArguments(before, beginning, cli);
  const isTool = lookUp !== "server" && beginning.includes(":");
  if (isTool)
    return matching(
      (await storedTools(cli)).map(({ server, tool, description }) => ({
        value: `${server}:${tool}`,
        about: description,
      })),
    );
  return matching(await suggestServers(lookUp === "tool" ? ":" : "", cli));
}

async function suggestServers(end: ":" | "", { env, cwd }: CliContext): Promise<Suggestion[]> {
  const { servers } = await listServers({ env }, { cwd });
  return servers.map(({ id, target }) => ({ value: `${id}${end}`, about: target }));
}

/** `word` names the tool. `given` are the argument words after it. */
async function suggestArguments(
  [word = "", ...given]: readonly string[],
  beginning: string,
  cli: CliContext,
): Promise<readonly Suggestion[]> {
  const [, start, path] = /^([^=]+=@)(.*)$/s.exec(beginning) ?? [];
  if (start !== undefined && path !== undefined) {
    const files = await listFiles("file", path, cli);
    return files.map(({ value }) => ({ value: `${start}${value}` }));
  }
  const { candidates, words } = parseToolWords(word, given);
  const [tool] = matchingTools(candidates, await storedTools(cli));
  return tool ? completeToolArgument(tool.inputSchema, words, beginning) : [];
}

function storedTools({ env, cwd }: CliContext): Promise<OfferedTool[]> {
  return listStoredTools({ env }, { cwd });
}

async function listFiles(kind: "file" | "folder", beginning: string, { cwd }: CliContext): Promise<Suggestion[]> {
  const folder = beginning.endsWith("/") || beginning === "" ? beginning : dirname(beginning);
  const start = beginning.endsWith("/") ? "" : basename(beginning);
  const prefix = beginning.slice(0, beginning.length - start.length);
  const entries = await readdir(resolve(cwd, folder), { withFileTypes: true }).catch(() => []);
  return entries
    .filter((entry) => entry.name.startsWith(start) && (kind === "file" || entry.isDirectory()))
    .map((entry) => ({ value: `${prefix}${entry.name}${entry.isDirectory() ? "/" : ""}` }));
}
