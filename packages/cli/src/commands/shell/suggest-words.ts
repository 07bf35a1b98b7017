/** Implements `plugboard suggest`, which the completion scripts of shells call. Starts no server. */
import { readdir } from "node:fs/promises";
import { basename, dirname, resolve } from "node:path";
import { sanitizeLine } from "@plugboard/contracts";
import { completeWords } from "../../command-line/complete-words.ts";
import type { Suggestion } from "../../command-line/complete-words.ts";
import type { CommandSpec, Completes } from "../../command-line/command-spec.ts";
import type { CliContext } from "../../terminal/cli-context.ts";
import { withWorkspace } from "../../workspace/with-workspace.ts";

interface SuggestInput {
  readonly words: readonly string[];
  readonly json: boolean;
}

/** Prints each suggestion on a line: the value, a tab and a description. */
export async function suggestWords(
  { words, json }: SuggestInput,
  commands: readonly CommandSpec[],
  cli: CliContext,
): Promise<number> {
  const { suggestions, lookUp } = completeWords(words, commands);
  const found = lookUp === undefined ? [] : await lookUpValues(lookUp, words.at(-1) ?? "", cli);
  // A value with control characters can't be typed, and would break the lines of the output.
  const all = [...suggestions, ...found].filter(({ value }) => value === sanitizeLine(value));
  if (json) cli.stdout.json(all);
  else cli.stdout.write(all.map(({ value, about = "" }) => `${value}\t${about.replaceAll(/\s+/g, " ")}\n`).join(""));
  return 0;
}

async function lookUpValues(kind: Completes, beginning: string, cli: CliContext): Promise<Suggestion[]> {
  if (kind === "file" || kind === "folder") return listFiles(kind, beginning, cli);
  const values = kind === "tool" && beginning.includes(":") ? await listTools(cli) : await listServers(kind, cli);
  return values.filter(({ value }) => value.startsWith(beginning));
}

async function listServers(kind: "server" | "tool", cli: CliContext): Promise<Suggestion[]> {
  let servers: Suggestion[] = [];
  await withWorkspace(NO_OPTIONS, cli, async ({ workspace }) => {
    const status = await workspace.status();
    servers = status.map(({ id, target }) => ({ value: kind === "tool" ? `${id}:` : id, about: target }));
    return 0;
  });
  return servers;
}

/** Lists the tools that are known without starting a server. */
async function listTools(cli: CliContext): Promise<Suggestion[]> {
  let tools: Suggestion[] = [];
  await withWorkspace(NO_OPTIONS, cli, async ({ workspace }) => {
    const offered = await workspace.tools.list();
    tools = offered.map(({ server, tool, description }) => ({ value: `${server}:${tool}`, about: description }));
    return 0;
  });
  return tools;
}

const NO_OPTIONS = { config: [], mcpServer: [] };

async function listFiles(kind: "file" | "folder", beginning: string, { cwd }: CliContext): Promise<Suggestion[]> {
  const folder = beginning.endsWith("/") || beginning === "" ? beginning : dirname(beginning);
  const start = beginning.endsWith("/") ? "" : basename(beginning);
  const prefix = beginning.slice(0, beginning.length - start.length);
  const entries = await readdir(resolve(cwd, folder), { withFileTypes: true }).catch(() => []);
  return entries
    .filter((entry) => entry.name.startsWith(start) && (kind === "file" || entry.isDirectory()))
    .map((entry) => ({ value: `${prefix}${entry.name}${entry.isDirectory() ? "/" : ""}` }));
}
