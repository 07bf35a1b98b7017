/** Implements `plugboard trust`. */
import { EXIT_STATUSES } from "@plugboard/contracts";
import type { PendingServer, TrustState } from "@plugboard/contracts";
import { isProjectSource } from "@plugboard/config";
import { usageError } from "../../command-line/usage-error.ts";
import { NOTHING_PENDING, renderPending } from "../../render/questions/render-pending.ts";
import { renderApproved, renderRevoked, renderUnchanged } from "../../render/questions/render-trust.ts";
import type { UnchangedServer } from "../../render/questions/render-trust.ts";
import type { CliContext } from "../../terminal/cli-context.ts";
import { runWithOperations } from "../../workspace/run-with-operations.ts";
import type { OperationsContext } from "../../workspace/run-with-operations.ts";
import type { CommandOptions } from "../../workspace/with-workspace.ts";
import { confirmTrust } from "./confirm-trust.ts";

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
  return runWithOperations(input, cli, (context) => trustWithOperations(context, input, cli));
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

export async function trustWithOperations(
  context: OperationsContext,
  input: TrustInput,
  cli: CliContext,
): Promise<number> {
  const { stdout } = cli;
  const { operations } = context;
  const { servers, all, revoke, json } = input;
  const pending = await operations.pendingServers();
  const isList = servers.length === 0 && !all;
  const report = isList
    ? NOTHING_DONE
    : await (revoke ? revokeServers(input, context) : approveServers(input, pending, context, cli));
  if (json) {
    stdout.json({ pending: await operations.pendingServers(), ...report });
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
  return report.unchanged.some(({ reason }) => reason === "declined") ? EXIT_STATUSES.denied.status : 0;
}

const NOTHING_DONE: TrustReport = { approved: [], revoked: [], unchanged: [] };
const NOTHING_APPROVED = "You have approved no server of this project, so there is nothing to withdraw.\n";

/** Shows each definition and approves exactly what was shown, even if the file changes meanwhile. */
async function approveServers(
  { servers, all, yes, json }: TrustInput,
  pending: readonly PendingServer[],
  context: OperationsContext,
  cli: CliContext,
): Promise<TrustReport> {
  const { operations } = context;
  const ids = [...new Set(all ? pending.map(({ id }) => id) : servers)];
  const states = await operations.trustStates(ids);
  const shown = states.flatMap((state) => state.pending ?? []);
  if (!json && shown.length > 0) cli.stdout.write(renderPending(shown, cli.stdout.columns));
  const approved = yes || shown.length === 0 ? shown : await confirmTrust(shown, context, cli);
  for (const { id, hash } of approved) await operations.trustServer(id, hash);
  const declined = shown.filter((server) => !approved.includes(server));
  return {
    approved: approved.map(({ id }) => id),
    revoked: [],
    unchanged: [
      ...states.flatMap(toUnchanged),
      ...declined.map(({ id }): UnchangedServer => ({ server: id, reason: "declined" })),
    ],
  };
}

function toUnchanged({ server, source, state }: TrustState): UnchangedServer[] {
  if (state === "pending") return [];
  return [
    state === "approved" ? { server, reason: "already approved" } : { server, reason: "needs no approval", source },
  ];
}

async function revokeServers({ servers, all }: TrustInput, { operations }: OperationsContext): Promise<TrustReport> {
  const results = await operations.distrustServers(all ? undefined : servers);
  const unchanged = results.filter(({ withdrawn }) => !withdrawn && !all);
  return {
    approved: [],
    revoked: results.filter(({ withdrawn }) => withdrawn).map(({ server }) => server),
    unchanged: unchanged.map(({ server, source }) =>
      isProjectSource(source) ? { server, reason: "not approved" } : { server, reason: "needs no approval", source },
    ),
  };
}
