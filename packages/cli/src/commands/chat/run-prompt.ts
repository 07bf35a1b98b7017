/** Implements `plugboard run`: one turn of a model that uses the tools, without a screen. */
import { ERROR_TABLE, HostError, cancelled, sameCaller, toHostError } from "@plugboard/contracts";
import type { ChatEvent, ChatSpec, ChatView, Env, HostErrorJson } from "@plugboard/contracts";
import { pathVariables, selectVariables } from "@plugboard/host/internal";
import { usageError } from "../../command-line/usage-error.ts";
import { answerOnTerminal } from "../../prompt/answer-on-terminal.ts";
import { renderError } from "../../render/render-error.ts";
import { shortName } from "../../render/quote-untrusted.ts";
import type { CliContext } from "../../terminal/cli-context.ts";
import { interruptedError, rejectOnInterrupt } from "../../terminal/interruption.ts";
import { withWorkspace } from "../../workspace/with-workspace.ts";
import type { CommandContext, CommandOptions } from "../../workspace/with-workspace.ts";
import { toWorkspaceSpec } from "../../workspace/workspace-spec.ts";
import { reportErrors } from "../tools/connect-servers.ts";
import { readPrompt } from "./read-prompt.ts";
import { openOutput } from "./run-outputs.ts";
import type { OutputFormat } from "./run-outputs.ts";
import { applyTurnEvent, NOT_STARTED, toReport } from "./run-report.ts";
import type { RunReport } from "./run-report.ts";

export interface RunInput extends CommandOptions {
  readonly prompt: string | undefined;
  readonly output: OutputFormat | undefined;
  readonly model: string | undefined;
  readonly profile: string | undefined;
  readonly allow: readonly string[];
  readonly maxSteps: number | undefined;
  readonly maxTokens: number | undefined;
  readonly noNativeTools: boolean;
  readonly continue: boolean;
  readonly resume: string | undefined;
}

export async function runPrompt(input: RunInput, cli: CliContext): Promise<number> {
  const format = input.output ?? (input.json ? "json" : "text");
  const options = { ...input, json: format !== "text" };
  try {
    await checkRules(input.allow);
    const text = await readPrompt(input.prompt, cli);
    return await withWorkspace(options, cli, (context) => runTurn(text, format, options, context, cli));
  } catch (thrown) {
    // The command prints errors as JSON only for --json, which the other JSON formats include.
    if (!options.json || input.json) throw thrown;
    const error = toHostError(thrown);
    cli.stderr.write(renderError(error, options));
    return ERROR_TABLE[error.code].exit;
  }
}

/** Throws USAGE before anything is started. */
async function checkRules(rules: readonly string[]): Promise<void> {
  if (rules.length === 0) return;
  const { parseRuleOrError } = await import("@plugboard/host/config-commands");
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
  const { interrupted } = context;
  const startedAt = performance.now();
  const view = await rejectOnInterrupt(openChat(input, context, cli), interrupted);
  const { id } = view.chat;
  const questions = cli.canPrompt ? await answerQuestions(view, context, cli) : undefined;
  const output = openOutput(format, cli);
  try {
    const report = await sendAndFollow(text, view, context, cli, {
      onEvent: (event) => output.onEvent(event),
      onServersKnown: () => reportServers(id, input, context, cli),
    });
    const durationMs = Math.round(performance.now() - startedAt);
    const isStored = input.continue || input.resume !== undefined;
    output.onEnd({ ...report, durationMs, ...(isStored && { chat: id }) });
    return reportEnd(report, input, context, cli);
  } finally {
    await questions?.stop();
  }
}

/** Opens a chat that is not stored, or the one that the user wants to continue. */
async function openChat(
  input: RunInput,
  { api, variables }: CommandContext,
  { cwd, env }: CliContext,
): Promise<ChatView> {
  const spec = toWorkspaceSpec(input, cwd);
  const sent = variables && { env: await selectEnv(env, variables) };
  const id = input.resume ?? (input.continue ? (await api.chats.list({ cwd, limit: 1 }))[0]?.id : undefined);
  if (id !== undefined) return api.chats.resume(id, { ...(spec.servers && { servers: spec.servers }), ...sent });
  const { model, profile, allow, maxSteps: steps, maxTokens: tokens } = input;
  const chatSpec: ChatSpec = {
    ...spec,
    ...sent,
    permissions: { allow },
    limits: { ...(steps !== undefined && { steps }), ...(tokens !== undefined && { tokens }) },
    ...(model !== undefined && { model }),
    ...(profile !== undefined && { profile }),
    ...(input.noNativeTools && { nativeTools: false }),
    ...(!input.continue && { temporary: true }),
  };
  return api.chats.create(chatSpec);
}

/** A running host has another environment, so it gets the variables that the definitions refer to, and those of models. */
async function selectEnv(env: Env, variables: readonly string[]): Promise<{ [name: string]: string }> {
  const { modelVariables } = await import("@plugboard/agent/chat");
  return { ...pathVariables(env), ...selectVariables(env, [...variables, ...modelVariables()]) };
}

/** Asks the questions of the chat on the terminal. Without one, `ask` is a denial. */
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

interface TurnListener {
  onEvent(event: ChatEvent): void;
  /** Called when the servers have started or failed. */
  onServersKnown(): Promise<void>;
}

/** Sends the message and passes on the events of its turn. Cancels the turn if the user or the reader stops it. */
async function sendAndFollow(
  text: string,
  { chat: { id }, seq, caller }: ChatView,
  { api, interrupted }: CommandContext,
  { stdout: { stream }, stderr }: CliContext,
  { onEvent, onServersKnown }: TurnListener,
): Promise<RunReport> {
  const cancel = () => void api.chats.cancel(id).catch(() => {});
  interrupted.addEventListener("abort", cancel);
  stream.once("error", cancel);
  const denied = new Set<string>();
  try {
    const sent = await api.chats.send(id, { text });
    // An interruption before the message was sent had nothing to cancel.
    if (interrupted.aborted) cancel();
    let progress = NOT_STARTED;
    let isOurs = false;
    for await (const event of api.events(seq)) {
      if (event.type === "decision.made" && event.decision === "nobody_to_ask" && sameCaller(event.caller, caller))
        denied.add(`${event.server}:${event.tool}`);
      if (event.type !== "chat.event" || event.chat !== id) continue;
      const { event: chatEvent } = event;
      if (chatEvent.type === "closed") throw new HostError("HOST_CLOSED", {});
      // A chat that is open elsewhere may run another turn first.
      if (chatEvent.type === "turn.started") isOurs = chatEvent.input === sent.id;
      if (!isOurs) continue;
      progress = applyTurnEvent(progress, chatEvent);
      onEvent(chatEvent);
      if (chatEvent.type === "step.started" && chatEvent.step === 1) await onServersKnown();
      if (progress.isFinished) return toReport(progress);
    }
    throw new HostError("HOST_UNREACHABLE", { reason: "it has ended" });
  } finally {
    interrupted.removeEventListener("abort", cancel);
    stream.off("error", cancel);
    for (const tool of denied)
      stderr.write(
        `Nobody could be asked about ${shortName(tool)}. To allow it in a run, add --allow ${shortName(tool)}\n`,
      );
  }
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

/** Returns the exit status, after an error message if the turn has not ended well. */
function reportEnd(
  { outcome, error }: RunReport,
  options: CommandOptions,
  { interrupted }: CommandContext,
  { stderr }: CliContext,
): number {
  if (outcome === "done") return 0;
  const failure = toFailure(outcome, error, interrupted);
  stderr.write(renderError(failure, options));
  return ERROR_TABLE[failure.code].exit;
}

function toFailure(
  outcome: Exclude<RunReport["outcome"], "done">,
  error: HostErrorJson | undefined,
  interrupted: AbortSignal,
): HostError | HostErrorJson {
  if (outcome === "failed") return error ?? new HostError("INTERNAL", { reason: "the turn failed without an error" });
  if (outcome !== "cancelled") return new HostError("TURN_INCOMPLETE", { reason: outcome });
  return interrupted.aborted ? interruptedError(interrupted, "command") : cancelled("The turn was cancelled");
}
