/** Opens the workspace that the common options describe, hands it to a command, and leaves nothing running behind. */
import { HostError, sanitiseLine } from "@plugboard/contracts";
import type { ConfigProblem, Workspace, WorkspaceSpec } from "@plugboard/contracts";
import { Interruption, interruptedError, unlessInterrupted } from "./interruption.ts";
import { openHost } from "./open-host.ts";
import type { OpenedHost } from "./open-host.ts";
import { parseServerFlags } from "./parse-server-flag.ts";
import { answerOnTerminal } from "./prompt/answer-on-terminal.ts";
import type { Following } from "./prompt/follow-events.ts";
import type { Asking } from "./prompt/follow-questions.ts";
import { loginWithoutTerminal } from "./prompt/login-without-terminal.ts";
import { reportLogins } from "./prompt/report-logins.ts";
import { reportUnattended } from "./prompt/report-unattended.ts";
import { reportUnstored } from "./prompt/report-unstored.ts";
import { renderError } from "./render/error.ts";
import type { Surroundings } from "./surroundings.ts";

export interface SharedOptions {
  readonly config: readonly string[];
  readonly mcpServer: readonly string[];
}

export interface CommonOptions extends SharedOptions {
  readonly json?: boolean;
  readonly private?: boolean;
}

export interface Opened {
  readonly workspace: Workspace;
  /** Fires when the user wants to stop. */
  readonly interrupted: AbortSignal;
  /** For a Ctrl-C that is typed into a prompt. */
  readonly interrupt: () => void;
}

/** Of a command that may come to log in. */
export interface MayLogIn {
  /** Where; anywhere, unless given. */
  readonly server?: string | undefined;
  /** The command is a login: it does by itself what that takes, also where nobody is at a terminal. */
  readonly loggingIn?: {
    /** Whether it opens the browser. */
    readonly browser: boolean;
  };
}

type Use = (opened: Opened) => Promise<number>;

/** An interrupted command has the status of its signal, even if what it did came through. */
export async function withWorkspace(
  options: CommonOptions,
  surroundings: Surroundings,
  use: Use,
  mayLogIn?: MayLogIn,
): Promise<number> {
  const { cwd, env, stdin, stderr } = surroundings;
  const { loggingIn } = mayLogIn ?? {};
  const attended = (stdin.isTTY && stderr.isTTY) || loggingIn !== undefined;
  const spec = specOf(options, cwd);
  const interruption = new Interruption(surroundings);
  const { signal } = interruption;
  try {
    const host = await unlessInterrupted(openHost(env, attended, options.private === true), signal);
    interruption.force = () => void host.close();
    try {
      const workspace = await unlessInterrupted(openWorkspace(host, spec, surroundings), signal);
      const { browser = true } = loggingIn ?? {};
      const asking = { api: host.api, workspace, surroundings, interruption, browser };
      const opened = { workspace, interrupted: signal, interrupt: () => interruption.interrupt() };
      const status = await withQuestions(asking, { attended, mayLogIn }, () => use(opened));
      return interruption.status ?? status;
    } finally {
      await host.close();
    }
  } catch (thrown) {
    if (interruption.status === undefined) throw thrown;
    const cancelled = thrown instanceof HostError && thrown.code === "CANCELLED";
    const error = cancelled ? thrown : interruptedError(signal, "command");
    stderr.write(renderError(error, options.json === true));
    return interruption.status;
  } finally {
    interruption.stopListening();
  }
}

/** The workspace that the common options describe. */
export function specOf(options: SharedOptions, cwd: string): WorkspaceSpec {
  return { cwd, configFiles: options.config, servers: parseServerFlags(options.mcpServer) };
}

async function openWorkspace(host: OpenedHost, spec: WorkspaceSpec, { stderr }: Surroundings): Promise<Workspace> {
  const workspace = await host.workspace(spec);
  for (const problem of await workspace.config.problems()) stderr.write(renderProblem(problem));
  return workspace;
}

function renderProblem({ severity, file, line, column, server, message }: ConfigProblem): string {
  const at = line === undefined ? file : `${file}:${line}:${column}`;
  return `${severity}: ${sanitiseLine(`${at}: ${server ? `"${server}": ` : ""}${message}`)}\n`;
}

interface There {
  /** Whether somebody is, to be asked. */
  readonly attended: boolean;
  readonly mayLogIn: MayLogIn | undefined;
}

/** While the command works, its questions are put to whoever is there; if nobody is, that is said. */
async function withQuestions(
  asking: Omit<Asking, "snapshot">,
  there: There,
  work: () => Promise<number>,
): Promise<number> {
  const snapshot = await unlessInterrupted(asking.workspace.snapshot(), asking.interruption.signal);
  const following = follow({ ...asking, snapshot }, there);
  try {
    return await work();
  } finally {
    await Promise.all(following.map((one) => one.stop()));
  }
}

function follow(asking: Asking, { attended, mayLogIn }: There): Following[] {
  const { api, snapshot, surroundings } = asking;
  if (!attended) return [reportUnattended(api, snapshot.seq, surroundings)];
  const { stdin, stderr } = surroundings;
  const answering = stdin.isTTY && stderr.isTTY ? answerOnTerminal(asking) : loginWithoutTerminal(asking);
  if (!mayLogIn) return [answering];
  return [answering, reportLogins(asking, mayLogIn.server), reportUnstored(api, snapshot.seq, surroundings)];
}
