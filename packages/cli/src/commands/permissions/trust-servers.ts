/** Implements `plugboard trust`. */
import type { PendingServer } from "@plugboard/contracts";
import { isProjectSource } from "@plugboard/config";
import { usageError } from "../../command-line/usage-error.ts";
import { EXIT_DECLINED } from "../../prompt/confirm.ts";
import { rejectOnInterrupt } from "../../terminal/interruption.ts";
import { NOTHING_PENDING, renderPending } from "../../render/questions/render-pending.ts";
import { renderApproved, renderRevoked, renderUnchanged } from "../../render/questions/render-trust.ts";
import type { UnchangedServer } from "../../render/questions/render-trust.ts";
import type { CliContext } from "../../terminal/cli-context.ts";
import { withWorkspace } from "../../workspace/with-workspace.ts";
import type { CommandOptions, CommandContext } from "../../workspace/with-workspace.ts";
import { confirmTrust } from "./confirm-trust.ts";
import { notRevoked, trustStateOf } from "./trust-state.ts";

interface TrustInput extends CommandOptions {
  readonly servers: readonly string[];
  readonly all: boolean;
  readonly revoke: boolean;
  readonly yes: boolean;
}

/** What the command has done. */
interface TrustReport {
  readonly approved: readonly string[];
  readonly revoked: readonly string[];
  readonly unchanged: readonly UnchangedServer[];
}

/** Lists the project's servers that need approval, or approves servers, or withdraws approvals. */
export function trustServers(input: TrustInput, cli: CliContext): Promise<number> {
  checkInput(input);
  return withWorkspace(input, cli, (context) => trustInWorkspace(context, input, cli));
}

function checkInput({ servers, all, yes, revoke, json }: TrustInput): void {
  const command = "trust";
  if (all && servers.length > 0) throw usageError("--all can't be used together with a server", { command });
  const isChange = all || servers.length > 0;
  const option = yes ? "--yes" : "--revoke";
  if ((yes || revoke) && !isChange) throw usageError(`${option} needs the id of a server, or --all`, { command });
  if (json && isChange && !yes && !revoke) {
    throw usageError("--json asks no questions. Add --yes to approve the definitions as they are now", { command });
  }
}

export async function trustInWorkspace(context: CommandContext, input: TrustInput, cli: CliContext): Promise<number> {
  const { stdout } = cli;
  const { config } = context.workspace;
  const { servers, all, revoke, json } = input;
  const pending = await rejectOnInterrupt(config.pending(), context.interrupted);
  const isList = servers.length === 0 && !all;
  const report = isList
    ? NOTHING_DONE
    : await (revoke ? revokeServers(input, pending, context) : approveServers(input, pending, context, cli));
  if (json) {
    stdout.json({ pending: await config.pending(), ...report });
  } else if (isList) {
    stdout.write(renderPending(pending, stdout.columns));
    const words = pending.length === 1 ? pending[0]!.id : "<server>, or plugboard trust --all";
    if (pending.length > 0) stdout.write(`\nTo approve, run: plugboard trust ${words}\n`);
  } else {
    const { approved, revoked, unchanged } = report;
    stdout.write([renderApproved(approved), renderRevoked(revoked), unchanged.map(renderUnchanged).join("")]);
    if (approved.length + revoked.length + unchanged.length === 0)
      stdout.write(revoke ? NOTHING_APPROVED : NOTHING_PENDING);
  }
  return report.unchanged.some(({ reason }) => reason === "declined") ? EXIT_DECLINED : 0;
}

const NOTHING_DONE: TrustReport = { approved: [], revoked: [], unchanged: [] };
const NOTHING_APPROVED = "You have approved no server of this project, so there is nothing to withdraw.\n";

/** Shows each definition and approves exactly what was shown, even if the file changes meanwhile. */
async function approveServers(
  { servers, all, yes, json }: TrustInput,
  pending: readonly PendingServer[],
  context: CommandContext,
  cli: CliContext,
): Promise<TrustReport> {
  const { workspace, interrupted } = context;
  const ids = [...new Set(all ? pending.map(({ id }) => id) : servers)];
  const states = await rejectOnInterrupt(
    Promise.all(ids.map((id) => trustStateOf(id, pending, workspace))),
    interrupted,
  );
  const shown = states.flatMap((state) => ("pending" in state ? state.pending : []));
  if (!json && shown.length > 0) cli.stdout.write(renderPending(shown, cli.stdout.columns));
  const approved = yes || shown.length === 0 ? shown : await confirmTrust(shown, context, cli);
  for (const { id, hash } of approved) await rejectOnInterrupt(workspace.config.trust(id, hash), interrupted);
  const declined = shown.filter((server) => !approved.includes(server));
  return {
    approved: approved.map(({ id }) => id),
    revoked: [],
    unchanged: [
      ...states.flatMap((state) => ("unchanged" in state ? state.unchanged : [])),
      ...declined.map(({ id }): UnchangedServer => ({ server: id, reason: "declined" })),
    ],
  };
}

async function revokeServers(
  { servers, all }: TrustInput,
  pending: readonly PendingServer[],
  { workspace, interrupted }: CommandContext,
): Promise<TrustReport> {
  const active = await rejectOnInterrupt(workspace.status(), interrupted);
  const projectServers = active.filter(({ source }) => isProjectSource(source));
  // A changed definition waits for approval, but an earlier version of it may be approved.
  const ids = all ? [...projectServers, ...pending].map(({ id }) => id) : servers;
  const revoked: string[] = [];
  const unchanged: UnchangedServer[] = [];
  for (const id of new Set(ids)) {
    if (await rejectOnInterrupt(workspace.config.distrust(id), interrupted)) revoked.push(id);
    else if (!all) unchanged.push(await notRevoked(id, workspace));
  }
  return { approved: [], revoked, unchanged };
}
