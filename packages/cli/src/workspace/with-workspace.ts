/** Runs a command with the workspace that its options describe, answers its questions, and closes the workspace afterwards. */
import { HostError, sanitizeLine } from "@plugboard/contracts";
import type { ConfigLayer, ConfigProblem, HostApi, Workspace, WorkspaceSpec } from "@plugboard/contracts";
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
import { showServerActivity } from "../events/show-server-activity.ts";
import { renderError } from "../render/render-error.ts";
import type { CliContext } from "../terminal/cli-context.ts";
import { showPhases } from "./show-phases.ts";
import type { Phases } from "./show-phases.ts";

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
  /** Asks no questions, even on a terminal. */
  readonly unattended?: true;
  /** The config layers that a host of its own reads. By default all. */
  readonly layers?: readonly ConfigLayer[] | undefined;
}

export interface CommandContext {
  readonly api: HostApi;
  readonly workspace: Workspace;
  /** True if the command uses a host of its own, which ends with the command. */
  readonly isPrivate: boolean;
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
  const attended = !options.unattended && ((stdin.isTTY && stderr.isTTY) || loginCommand !== undefined);
  const spec = toWorkspaceSpec(options, cwd);
  const interruption = new Interruption(cli);
  const { signal } = interruption;
  const phases = showPhases(cli.liveLine, "opening the host");
  try {
    const hostOptions = { attended, usePrivate: options.private === true, layers: options.layers };
    const host = await rejectOnInterrupt(openHost(env, hostOptions), signal);
    interruption.force = () => void host.close();
    try {
      phases.enter("reading the config");
      const workspace = await rejectOnInterrupt(openWorkspace(host, spec, cli), signal);
      const { api, isPrivate } = host;
      const { mayOpenBrowser = true } = loginCommand ?? {};
      const promptContext = { api, workspace, cli, interruption, mayOpenBrowser };
      const interrupt = () => interruption.interrupt();
      const commandContext = { api, workspace, isPrivate, interrupted: signal, interrupt };
      phases.enter("working");
      const followOptions = { attended, login, isPrivate, phases };
      const status = await withQuestions(promptContext, followOptions, () => runCommand(commandContext));
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
    phases.stop();
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
  /** True if the servers stop with the command. */
  readonly isPrivate: boolean;
  readonly phases: Phases;
}

/** Answers questions on the terminal while the command runs. Without a terminal, reports them as unanswered. */
async function withQuestions(
  context: Omit<PromptContext, "snapshot">,
  options: FollowOptions,
  work: () => Promise<number>,
): Promise<number> {
  const { login, isPrivate, phases } = options;
  const snapshot = await rejectOnInterrupt(context.workspace.snapshot(), context.interruption.signal);
  const promptContext = { ...context, snapshot };
  const activity = showServerActivity(promptContext, { server: login?.server });
  const subscriptions = [...startFollowing(promptContext, options), activity];
  try {
    return await work();
  } finally {
    await Promise.all(subscriptions.map((subscription) => subscription.stop()));
    phases.enter(isPrivate ? `stopping ${activity.running().join(", ") || "the host"}` : "leaving the host");
  }
}

function startFollowing(context: PromptContext, { attended, login }: FollowOptions): readonly EventSubscription[] {
  const { api, snapshot, cli } = context;
  if (!attended) return [reportUnattended(api, snapshot.seq, cli)];
  const { stdin, stderr } = cli;
  const answering = stdin.isTTY && stderr.isTTY ? answerOnTerminal(context) : loginWithoutTerminal(context);
  if (!login) return [answering];
  return [answering, reportLogins(context, login.server), reportUnstored(api, snapshot.seq, cli)];
}
