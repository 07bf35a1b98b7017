/** Runs a command with the workspace that its options describe, answers its questions, and closes the workspace. */
import { HostError } from "@plugboard/contracts";
import type { ConfigLayer, ConfigProblem, HostApi, HostControl, Workspace } from "@plugboard/contracts";
import { Interruption, interruptedError, rejectOnInterrupt } from "../terminal/interruption.ts";
import { openHost } from "./open-host.ts";
import type { CommandWorkspace, HostHandle, UpcomingCall } from "./open-host.ts";
import type { PromptContext } from "../events/follow-questions.ts";
import { reportUnattended } from "../events/report-unattended.ts";
import type { ServerActivityView } from "../events/show-server-activity.ts";
import { renderError } from "../render/render-error.ts";
import { renderProblem } from "../render/render-problem.ts";
import type { CliContext } from "../terminal/cli-context.ts";
import type { FollowOptions } from "./follow-command.ts";
import { noteOutdatedHost } from "./note-outdated-host.ts";
import { showPhases } from "./show-phases.ts";
import type { Phases } from "./show-phases.ts";
import { toWorkspaceSpec } from "./workspace-spec.ts";
import type { ConfigOptions } from "./workspace-spec.ts";

/** The options of commands that open a workspace. */
export interface CommandOptions extends ConfigOptions {
  readonly json?: boolean;
  /** Uses a host of its own, even if a host is running. */
  readonly private?: boolean;
  /** Asks no questions, even on a terminal. */
  readonly unattended?: true;
  /** Returns whether the user has allowed the call on the command line, so that no question is asked. */
  readonly approves?: PromptContext["approves"];
  /** Does not print the problems of the config, because the command shows them itself. */
  readonly quiet?: true;
  /** The config layers that a host of its own reads. By default all. */
  readonly layers?: readonly ConfigLayer[] | undefined;
  /** Uses the last valid config of the running host while the config files are broken. */
  readonly lastValid?: boolean;
}

export interface CommandContext {
  readonly api: HostApi;
  readonly workspace: Workspace;
  /** True if the command uses a host of its own, which ends with the command. */
  readonly isPrivate: boolean;
  /** The control of the running host. Undefined for a host of its own. */
  readonly control?: HostControl | undefined;
  /** The environment variables that a running host needs for this workspace. Undefined for a host of its own. */
  readonly variables?: readonly string[] | undefined;
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

/**
 * Returns the command's exit status, or the status for the signal if the command was interrupted. The server of
 * `upcomingCall` starts while the host loads.
 */
export async function withWorkspace(
  options: CommandOptions,
  cli: CliContext,
  runCommand: RunCommand,
  login?: LoginHandling,
  upcomingCall?: UpcomingCall,
): Promise<number> {
  const answersWithoutTerminal = login?.loginCommand !== undefined || options.approves !== undefined;
  const attended = !options.unattended && (answersWithoutTerminal || cli.canPrompt);
  const spec = toWorkspaceSpec(options, cli.cwd);
  const interruption = new Interruption(cli);
  const phases = showPhases(cli.liveLine, "opening the host");
  try {
    const { layers, lastValid } = options;
    const hostOptions = { attended, usePrivate: options.private === true, layers, lastValid, upcomingCall };
    const host = await waitForHost(openHost(cli.env, spec, hostOptions), interruption);
    try {
      return await runWithHost(host, runCommand, { options, cli, login, attended, interruption, phases });
    } finally {
      await host.close();
    }
  } catch (thrown) {
    if (interruption.exitStatus === undefined) throw thrown;
    const cancelled = thrown instanceof HostError && thrown.code === "CANCELLED";
    const error = cancelled ? thrown : interruptedError(interruption.signal, "command");
    cli.stderr.write(renderError(error, options));
    return interruption.exitStatus;
  } finally {
    phases.stop();
    interruption.stopListening();
  }
}

/** Waits for the host. If the user interrupts the command meanwhile, closes the host when it is ready, and rejects. */
function waitForHost(opening: Promise<HostHandle>, interruption: Interruption): Promise<HostHandle> {
  // A second call of `close` does not wait for the servers.
  interruption.force = () => {
    opening.then((host) => host.close()).catch(() => {});
  };
  return rejectOnInterrupt(opening, interruption.signal).catch(async (error: unknown) => {
    // The host may still be loading, and may have started a server, so it is closed when it is ready.
    await (await opening).close();
    throw error;
  });
}

interface RunContext {
  readonly options: CommandOptions;
  readonly cli: CliContext;
  readonly login: LoginHandling | undefined;
  readonly attended: boolean;
  readonly interruption: Interruption;
  readonly phases: Phases;
}

/** Opens the workspace, and runs the command in it while its questions are answered. Returns the exit status. */
async function runWithHost(host: HostHandle, runCommand: RunCommand, context: RunContext): Promise<number> {
  const { options, cli, login, attended, interruption, phases } = context;
  const { signal } = interruption;
  phases.enter("reading the config");
  const opened = await rejectOnInterrupt(openWorkspace(host, cli, options, login?.server), signal);
  const { workspace, variables } = opened;
  const { api, seq, running } = host;
  const isPrivate = running === undefined;
  if (running) noteOutdatedHost(running, cli);
  const { mayOpenBrowser = true } = login?.loginCommand ?? {};
  const { approves } = options;
  const followContext = { api, seq, workspace, cli, interruption, mayOpenBrowser, approves };
  const interrupt = () => interruption.interrupt();
  const control = running?.control;
  const commandContext = { api, workspace, isPrivate, control, variables, interrupted: signal, interrupt };
  phases.enter("working");
  const followed = await startFollowing(followContext, { attended, login });
  const status = await runFollowed(followed, () => runCommand(commandContext), {
    onStopped: () =>
      phases.enter(isPrivate ? `stopping ${followed.running().join(", ") || "the host"}` : "leaving the host"),
  });
  return interruption.exitStatus ?? status;
}

/** Prints the problems of the config. A command for one server leaves out warnings about others. */
async function openWorkspace(
  host: HostHandle,
  { stderr }: CliContext,
  { quiet }: CommandOptions,
  only: string | undefined,
): Promise<CommandWorkspace> {
  const opened = await host.workspace();
  if (quiet) return opened;
  // Problems without a server are always shown.
  const concerns = ({ severity, server = only }: ConfigProblem) =>
    severity === "error" || only === undefined || server === only;
  for (const problem of opened.problems.filter(concerns)) stderr.write(renderProblem(problem));
  return opened;
}

interface FollowContext extends Omit<PromptContext, "snapshot"> {
  /** The sequence number of the host's latest event before the workspace was opened. */
  readonly seq: number;
}

/**
 * Follows the events while the command runs. If nobody can answer and stderr is not a terminal, questions are only
 * reported.
 */
async function startFollowing(context: FollowContext, options: FollowOptions): Promise<ServerActivityView> {
  const { api, seq, cli, workspace, interruption } = context;
  if (!options.attended && !cli.stderr.isTTY) return { ...reportUnattended(api, seq, cli), running: () => [] };
  const { followCommand } = await import("./follow-command.ts");
  const snapshot = await rejectOnInterrupt(workspace.snapshot(), interruption.signal);
  return followCommand({ ...context, snapshot }, options);
}

async function runFollowed(
  followed: ServerActivityView,
  run: () => Promise<number>,
  { onStopped }: { readonly onStopped: () => void },
): Promise<number> {
  try {
    return await run();
  } finally {
    await followed.stop();
    onStopped();
  }
}
