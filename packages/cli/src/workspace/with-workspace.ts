/** Runs a command with the workspace that its options describe, answers its questions, and closes the workspace afterwards. */
import { HostError, sanitizeLine } from "@plugboard/contracts";
import type { ConfigProblem, Workspace, WorkspaceSpec } from "@plugboard/contracts";
import { Interruption, interruptedError, rejectOnInterrupt } from "../terminal/interruption.ts";
import { openHost } from "./open-host.ts";
import type { HostHandle } from "./open-host.ts";
import { parseServerFlags } from "../arguments/parse-server-flag.ts";
import { answerOnTerminal } from "../prompt/answer-on-terminal.ts";
import type { EventSubscription } from "../events/follow-events.ts";
import type { PromptContext } from "../events/follow-questions.ts";
import { loginWithoutTerminal } from "../prompt/login-without-terminal.ts";
import { reportLogins } from "../events/report-logins.ts";
import { reportUnattended } from "../events/report-unattended.ts";
import { reportUnstored } from "../events/report-unstored.ts";
import { renderError } from "../render/render-error.ts";
import type { CliContext } from "../terminal/cli-context.ts";

/** The options of every command that opens a workspace. */
export interface ConfigOptions {
  /** The additional config files. */
  readonly config: readonly string[];
  /** The values of `--mcp-server`, such as `files=npx server`. */
  readonly mcpServer: readonly string[];
}

/** The options of every command except `serve`, `stdio` and `token`. */
export interface CommandOptions extends ConfigOptions {
  readonly json?: boolean;
  /** Uses a host of its own, even if a host is running. */
  readonly private?: boolean;
}

export interface CommandContext {
  readonly workspace: Workspace;
  /** Aborts when the user interrupts the command. */
  readonly interrupted: AbortSignal;
  /** Called when the user types Ctrl-C at a prompt. */
  readonly interrupt: () => void;
}

/** How a command handles logins. Commands without it only answer questions. */
export interface LoginHandling {
  /** The server whose logins are reported. By default, those of all servers. */
  readonly server?: string | undefined;
  /** Set for `plugboard login`, which logs in without asking and also works without a terminal. */
  readonly loginCommand?: {
    readonly mayOpenBrowser: boolean;
  };
}

type RunCommand = (context: CommandContext) => Promise<number>;

/** Returns the command's exit status, or the status for the signal if the command was interrupted. */
export async function withWorkspace(
  options: CommandOptions,
  cli: CliContext,
  runCommand: RunCommand,
  login?: LoginHandling,
): Promise<number> {
  const { cwd, env, stdin, stderr } = cli;
  const { loginCommand } = login ?? {};
  const attended = (stdin.isTTY && stderr.isTTY) || loginCommand !== undefined;
  const spec = toWorkspaceSpec(options, cwd);
  const interruption = new Interruption(cli);
  const { signal } = interruption;
  try {
    const host = await rejectOnInterrupt(openHost(env, { attended, usePrivate: options.private === true }), signal);
    interruption.force = () => void host.close();
    try {
      const workspace = await rejectOnInterrupt(openWorkspace(host, spec, cli), signal);
      const { mayOpenBrowser = true } = loginCommand ?? {};
      const promptContext = { api: host.api, workspace, cli, interruption, mayOpenBrowser };
      const commandContext = { workspace, interrupted: signal, interrupt: () => interruption.interrupt() };
      const status = await withQuestions(promptContext, { attended, login }, () => runCommand(commandContext));
      return interruption.exitStatus ?? status;
    } finally {
      await host.close();
    }
  } catch (thrown) {
    if (interruption.exitStatus === undefined) throw thrown;
    const cancelled = thrown instanceof HostError && thrown.code === "CANCELLED";
    const error = cancelled ? thrown : interruptedError(signal, "command");
    stderr.write(renderError(error, options));
    return interruption.exitStatus;
  } finally {
    interruption.stopListening();
  }
}

export function toWorkspaceSpec(options: ConfigOptions, cwd: string): WorkspaceSpec {
  return { cwd, configFiles: options.config, servers: parseServerFlags(options.mcpServer) };
}

async function openWorkspace(host: HostHandle, spec: WorkspaceSpec, { stderr }: CliContext): Promise<Workspace> {
  const workspace = await host.workspace(spec);
  for (const problem of await workspace.config.problems()) stderr.write(renderProblem(problem));
  return workspace;
}

function renderProblem({ severity, file, line, column, server, message }: ConfigProblem): string {
  const location = line === undefined ? file : `${file}:${line}:${column}`;
  return `${severity}: ${sanitizeLine(`${location}: ${server ? `"${server}": ` : ""}${message}`)}\n`;
}

interface FollowOptions {
  /** True if a person can answer questions. */
  readonly attended: boolean;
  readonly login: LoginHandling | undefined;
}

/** Answers questions on the terminal while the command runs. Without a terminal, reports them as unanswered. */
async function withQuestions(
  context: Omit<PromptContext, "snapshot">,
  options: FollowOptions,
  work: () => Promise<number>,
): Promise<number> {
  const snapshot = await rejectOnInterrupt(context.workspace.snapshot(), context.interruption.signal);
  const subscriptions = startFollowing({ ...context, snapshot }, options);
  try {
    return await work();
  } finally {
    await Promise.all(subscriptions.map((subscription) => subscription.stop()));
  }
}

function startFollowing(context: PromptContext, { attended, login }: FollowOptions): EventSubscription[] {
  const { api, snapshot, cli } = context;
  if (!attended) return [reportUnattended(api, snapshot.seq, cli)];
  const { stdin, stderr } = cli;
  const answering = stdin.isTTY && stderr.isTTY ? answerOnTerminal(context) : loginWithoutTerminal(context);
  if (!login) return [answering];
  return [answering, reportLogins(context, login.server), reportUnstored(api, snapshot.seq, cli)];
}
