/** Implements `plugboard run`: one turn of a model that uses the tools, without a screen. */
import { allowAdvice, ERROR_TABLE, toHostError } from "@plugboard/contracts";
import type { ChatView } from "@plugboard/contracts";
import { usageError } from "../../command-line/usage-error.ts";
import { answerOnTerminal } from "../../prompt/answer-on-terminal.ts";
import { shortName } from "../../render/quote-untrusted.ts";
import { renderError } from "../../render/render-error.ts";
import type { CliContext } from "../../terminal/cli-context.ts";
import { rejectOnInterrupt } from "../../terminal/interruption.ts";
import { withWorkspace } from "../../workspace/with-workspace.ts";
import type { CommandContext, CommandOptions } from "../../workspace/with-workspace.ts";
import { reportErrors } from "../tools/connect-servers.ts";
import { followTurn } from "./follow-turn.ts";
import { openRunChat } from "./open-run-chat.ts";
import type { RunChatOptions } from "./open-run-chat.ts";
import { readPrompt } from "./read-prompt.ts";
import { reportOutcome } from "./report-outcome.ts";
import { openOutput } from "./run-outputs.ts";
import type { OutputFormat } from "./run-outputs.ts";

interface RunInput extends RunChatOptions {
  readonly prompt: string | undefined;
  readonly output: OutputFormat | undefined;
}

export async function runPrompt(input: RunInput, cli: CliContext): Promise<number> {
  const format = input.output ?? (input.json ? "json" : "text");
  const options = { ...input, json: format !== "text" };
  try {
    await checkRules(input.allow);
    const text = await readPrompt(input.prompt, cli);
    return await withWorkspace(options, cli, (context) => runTurn(text, format, options, context, cli));
  } catch (thrown) {
    // The caller prints JSON errors only for --json, so `--output json` and `stream-json` print theirs here.
    if (!options.json || input.json) throw thrown;
    const error = toHostError(thrown);
    cli.stderr.write(renderError(error, options));
    return ERROR_TABLE[error.code].exit;
  }
}

/** Throws USAGE before anything is started. */
async function checkRules(rules: readonly string[]): Promise<void> {
  if (rules.length === 0) return;
  const { parseRuleOrError } = await import("@plugboard/config");
  for (const rule of rules) {
    const parsed = parseRuleOrError("allow", rule);
    if ("error" in parsed) throw usageError(`--allow ${rule}: ${parsed.error}`, { command: "run" });
  }
}

async function runTurn(
  text: string,
  format: OutputFormat,
  input: RunInput,
  context: CommandContext,
  cli: CliContext,
): Promise<number> {
  const { api, interrupted } = context;
  const isStored = input.continue || input.resume !== undefined;
  const startedAt = performance.now();
  const view = await rejectOnInterrupt(openRunChat(input, context, cli), interrupted);
  const { id } = view.chat;
  const questions = cli.canPrompt ? await answerQuestions(view, context, cli) : undefined;
  const output = openOutput(format, cli);
  try {
    const report = await followTurn(text, view, context, cli, {
      onEvent: (event) => output.onEvent(event),
      onServersKnown: () => reportServers(id, input, context, cli),
      onDenied: (tool) => cli.stderr.write(renderDenied(tool, isStored)),
    });
    const durationMs = Math.round(performance.now() - startedAt);
    output.onEnd({ ...report, durationMs, ...(isStored && { chat: id }) });
    return reportOutcome(report, isStored ? id : undefined, input, context, cli);
  } finally {
    await questions?.stop();
    // The host would close the chat when this command ends, but the servers might then still be busy.
    if (!isStored) await api.chats.close(id).catch(() => {});
  }
}

/** Does not advise `--allow` for a stored chat, which keeps its own rules. */
function renderDenied(tool: string, isStored: boolean): string {
  const when = isStored ? "" : " in a run";
  return `Nobody could be asked about ${shortName(tool)}. To allow it${when}, ${allowAdvice(tool, { inRun: !isStored })}.\n`;
}

/** Asks the questions of the chat on the terminal. Without a terminal, the host denies these calls. */
async function answerQuestions(view: ChatView, context: CommandContext, cli: CliContext) {
  const { api, interrupted: signal, interrupt } = context;
  const workspace = await api.chatWorkspace(view.chat.id);
  return answerOnTerminal({
    api,
    owner: view.caller,
    workspace,
    snapshot: { seq: view.seq, questions: view.questions, servers: [] },
    cli,
    interruption: { signal, interrupt },
    mayOpenBrowser: true,
  });
}

/** Reports the servers whose tools the model does not get. */
async function reportServers(
  chat: string,
  options: CommandOptions,
  { api }: CommandContext,
  cli: CliContext,
): Promise<void> {
  const servers = await (await api.chatWorkspace(chat)).status();
  const failed = servers.flatMap(({ id, state, lastError }) =>
    lastError && state !== "ready" && state !== "disabled" ? [[id, lastError] as const] : [],
  );
  reportErrors(Object.fromEntries(failed), options, cli);
}
