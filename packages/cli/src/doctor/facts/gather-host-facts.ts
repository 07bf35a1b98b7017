/** Reads from a host what only a host knows: states and the journal. With --connect, also starts the servers. */
import { isUntrusted, lastLines } from "@plugboard/contracts";
import type { ActivityEntry, Env, ServerStatus } from "@plugboard/contracts";
import { advise } from "../../checks/advise.ts";
import { checkServer } from "../../checks/check-server.ts";
import { rejectOnInterrupt } from "../../terminal/interruption.ts";
import type { CommandContext } from "../../workspace/with-workspace.ts";
import type { ConnectResult } from "./facts.ts";

export interface LiveFacts {
  readonly statuses: readonly ServerStatus[];
  readonly journal: readonly ActivityEntry[];
  /** By the id of the server. Empty without --connect. */
  readonly connectResults: ReadonlyMap<string, ConnectResult>;
}

export const NO_LIVE_FACTS: LiveFacts = { statuses: [], journal: [], connectResults: new Map() };

const MAX_ENTRIES = 1000;
const MAX_STDERR_LINES = 5;

export interface ConnectSelection {
  /** Whether to connect the servers. */
  readonly connect: boolean;
  /** The ids of servers that are never connected. */
  readonly except: ReadonlySet<string>;
}

export async function gatherHostFacts(
  { connect, except }: ConnectSelection,
  env: Env,
  context: CommandContext,
): Promise<LiveFacts> {
  const { workspace, interrupted } = context;
  const read = Promise.all([workspace.status(), workspace.activity.recent({ limit: MAX_ENTRIES })]);
  const [before, journal] = await rejectOnInterrupt(read, interrupted);
  if (!connect) return { statuses: before, journal, connectResults: new Map() };
  const startable = before.filter((server) => server.enabled && !isUntrusted(server) && !except.has(server.id));
  const checks = startable.map(async (server) => [server.id, await connectServer(server, env, context)] as const);
  const connectResults = new Map(await rejectOnInterrupt(Promise.all(checks), interrupted));
  const statuses = await rejectOnInterrupt(workspace.status(), interrupted);
  return { statuses, journal, connectResults };
}

async function connectServer(server: ServerStatus, env: Env, context: CommandContext): Promise<ConnectResult> {
  const { error, steps } = await checkServer(server, context);
  if (!error) return { ok: true, ms: steps[0]!.ms };
  const { text, stderr } = await advise({ ...server, error }, env);
  const output =
    stderr === undefined ? "" : `\nIts last output on stderr: "${lastLines(stderr, MAX_STDERR_LINES).text}"`;
  return { ok: false, error, hint: `${text}${output}` };
}
