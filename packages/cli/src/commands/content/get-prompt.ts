/** Implements `plugboard prompt get`. */
import { HostError, nearest } from "@plugboard/contracts";
import type { GetPromptResult, Prompt } from "@plugboard/contracts";
import { usageError } from "../../command-line/usage-error.ts";
import { requesterName } from "../../render/quote-untrusted.ts";
import { renderToolResult } from "../../render/tools/render-tool-result.ts";
import type { CliContext } from "../../terminal/cli-context.ts";
import { withWorkspace } from "../../workspace/with-workspace.ts";
import type { CommandContext, CommandOptions } from "../../workspace/with-workspace.ts";
import { parseNamedTexts, splitQualifiedName } from "./parse-named-texts.ts";

type PromptArguments = { readonly [name: string]: string };

const COMMAND = "prompt get";

/** Prints the messages of a prompt. Asks for missing arguments on a terminal. */
export function getPrompt(
  { prompt, pairs, ...options }: CommandOptions & { readonly prompt: string; readonly pairs: readonly string[] },
  cli: CliContext,
): Promise<number> {
  const words = joinServerAndName([prompt, ...pairs]);
  const { server, name } = splitQualifiedName(words[0]!, "prompt", COMMAND);
  const given = parseNamedTexts(words.slice(1), COMMAND);
  return withWorkspace(
    options,
    cli,
    async (context) => {
      const { workspace, interrupted } = context;
      const { prompts } = await workspace.prompts.list({ server, signal: interrupted });
      const found = prompts.find((candidate) => candidate.name === name);
      if (!found) throw unknownPrompt(server, name, prompts);
      const args = await askForMissingArguments(server, found, given, context, cli);
      const stop = cli.liveLine.show(() => `getting ${prompt}`);
      const result = await workspace.prompts.get(server, name, args, { signal: interrupted }).finally(stop);
      if (options.json) cli.stdout.json(result);
      else cli.stdout.content(renderMessages(result));
      return 0;
    },
    { server },
  );
}

/** Accepts `server name` for `server:name`, as `call` does. */
function joinServerAndName([first = "", second, ...others]: readonly string[]): readonly string[] {
  const isServer = !first.includes(":") && second !== undefined && !second.includes("=");
  return isServer ? [`${first}:${second}`, ...others] : [first, ...(second === undefined ? [] : [second]), ...others];
}

function unknownPrompt(server: string, name: string, prompts: readonly Prompt[]): HostError {
  const suggestion = nearest(
    name,
    prompts.map((prompt) => prompt.name),
  );
  return new HostError("NOT_FOUND", {
    subject: `prompt "${name}" of "${server}"`,
    ...(suggestion !== undefined && { suggestion: `${server}:${suggestion}` }),
  });
}

/** Returns the given arguments and those that the user enters. Throws USAGE if one is missing or unknown. */
async function askForMissingArguments(
  server: string,
  { name: prompt, arguments: known = [] }: Prompt,
  given: PromptArguments,
  context: CommandContext,
  cli: CliContext,
): Promise<PromptArguments> {
  const names = known.map((argument) => argument.name);
  const unknown = Object.keys(given).find((name) => !names.includes(name));
  if (unknown !== undefined)
    throw usageError(`the prompt has no argument '${unknown}'`, { command: COMMAND, typed: unknown, known: names });
  const missing = known.filter(({ name, required }) => required && !Object.hasOwn(given, name));
  if (missing.length === 0) return given;
  if (!cli.canPrompt) throw missingError(missing.map(({ name }) => name));
  const { promptArguments } = await import("../../prompt/prompt-arguments.ts");
  const requester = requesterName({ server, tool: prompt });
  const texts = missing.map(({ name, title, description }) => ({
    name,
    schema: {
      type: "string",
      ...(title !== undefined && { title }),
      ...(description !== undefined && { description }),
    },
  }));
  const entered = await promptArguments({ requester, missing: texts, inputSchema: {}, missingError }, context, cli);
  return { ...given, ...(entered as PromptArguments) };
}

function missingError(names: readonly string[]): HostError {
  const message = `the prompt needs these arguments: ${names.join(", ")}. Pass them as name=value`;
  return usageError(message, { command: COMMAND });
}

function renderMessages({ messages }: GetPromptResult): string {
  return messages.map(({ role, content }) => `${role}:\n${renderToolResult({ content: [content] })}`).join("\n");
}
