/** Implements `plugboard prompt get`. */
import type { GetPromptResult, Prompt } from "@plugboard/contracts";
import { usageError } from "../../command-line/usage-error.ts";
import { renderToolResult } from "../../render/tools/render-tool-result.ts";
import type { CliContext } from "../../terminal/cli-context.ts";
import { NoAnswerError, openTerminalLines } from "../../terminal/terminal-lines.ts";
import { withWorkspace } from "../../workspace/with-workspace.ts";
import type { CommandContext, CommandOptions } from "../../workspace/with-workspace.ts";
import { parseNamedTexts, splitQualifiedName } from "./parse-named-texts.ts";

interface GetPromptInput extends CommandOptions {
  readonly prompt: string;
  readonly pairs: readonly string[];
}

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
      const args = found ? await completeArguments(found, given, context, cli) : given;
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
async function completeArguments(
  { arguments: known = [] }: Prompt,
  given: { readonly [name: string]: string },
  { interrupted, interrupt }: CommandContext,
  cli: CliContext,
): Promise<{ readonly [name: string]: string }> {
  const names = known.map((argument) => argument.name);
  const unknown = Object.keys(given).find((name) => !names.includes(name));
  if (unknown !== undefined)
    throw usageError(`the prompt has no argument '${unknown}'`, { command: COMMAND, typed: unknown, known: names });
  const missing = known.filter(({ name, required }) => required && !Object.hasOwn(given, name));
  if (missing.length === 0) return given;
  const list = missing.map(({ name }) => name).join(", ");
  if (!cli.stdin.isTTY || !cli.stderr.isTTY)
    throw usageError(`missing arguments of the prompt: ${list}`, { command: COMMAND });
  const lines = openTerminalLines(cli, interrupted, interrupt);
  try {
    const entered: { [name: string]: string } = {};
    for (const { name, description } of missing) {
      lines.show(description === undefined ? "" : `${description}\n`);
      entered[name] = await lines.read(`${name}: `);
    }
    return { ...given, ...entered };
  } catch (thrown) {
    if (thrown instanceof NoAnswerError)
      throw usageError(`missing arguments of the prompt: ${list}`, { command: COMMAND });
    throw thrown;
  } finally {
    lines.close();
  }
}

function renderMessages({ messages }: GetPromptResult): string {
  return messages.map(({ role, content }) => `${role}:\n${renderToolResult({ content: [content] })}`).join("\n");
}
