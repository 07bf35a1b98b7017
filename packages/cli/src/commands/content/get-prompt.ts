/** Implements `plugboard prompt get`. */
import type { GetPromptResult, HostError, Prompt } from "@plugboard/contracts";
import { usageError } from "../../command-line/usage-error.ts";
import { requesterName } from "../../render/quote-untrusted.ts";
import { renderToolResult } from "../../render/tools/render-tool-result.ts";
import type { CliContext } from "../../terminal/cli-context.ts";
import { withWorkspace } from "../../workspace/with-workspace.ts";
import type { CommandContext, CommandOptions } from "../../workspace/with-workspace.ts";
import { parseNamedTexts, splitQualifiedName } from "./parse-named-texts.ts";

interface GetPromptInput extends CommandOptions {
  readonly prompt: string;
  readonly pairs: readonly string[];
}

type PromptArguments = { readonly [name: string]: string };

const COMMAND = "prompt get";

/** Prints the messages of a prompt. Asks for missing arguments on a terminal. */
export function getPrompt({ prompt, pairs, ...options }: GetPromptInput, cli: CliContext): Promise<number> {
  const { server, name } = splitQualifiedName(prompt, "prompt", COMMAND);
  const given = parseNamedTexts(pairs, COMMAND);
  return withWorkspace(
    options,
    cli,
    async (context) => {
      const { workspace, interrupted } = context;
      const { prompts } = await workspace.prompts.list({ server, signal: interrupted });
      const found = prompts.find((candidate) => candidate.name === name);
      const args = found ? await askForMissingArguments(server, found, given, context, cli) : given;
      const stop = cli.liveLine.show(() => `getting ${prompt}`);
      const result = await workspace.prompts.get(server, name, args, { signal: interrupted }).finally(stop);
      if (options.json) cli.stdout.json(result);
      else cli.stdout.content(renderMessages(result));
      return 0;
    },
    { server },
  );
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
