/** Implements `plugboard trust`. */
import { HostError } from "@plugboard/contracts";
import type { PendingServer } from "@plugboard/contracts";
import { rejectOnInterrupt } from "../../terminal/interruption.ts";
import { shortName } from "../../render/quote-untrusted.ts";
import { confirm } from "../../prompt/confirm.ts";
import { renderPending } from "../../render/render-pending.ts";
import type { CliContext } from "../../terminal/cli-context.ts";
import { withWorkspace } from "../../workspace/with-workspace.ts";
import type { CommandOptions, CommandContext } from "../../workspace/with-workspace.ts";

/** The exit status if the user does not approve the server. */
const EXIT_NOT_TRUSTED = 5;

interface TrustInput extends CommandOptions {
  readonly server: string | undefined;
  readonly revoke: boolean;
  readonly yes: boolean;
}

/** Lists the project's servers that need approval, or shows one and asks for approval. */
export function trustServer(input: TrustInput, cli: CliContext): Promise<number> {
  return withWorkspace(input, cli, (context) => trustInWorkspace(context, input, cli));
}

export async function trustInWorkspace(
  context: CommandContext,
  { server, ...options }: TrustInput,
  cli: CliContext,
): Promise<number> {
  const { stdout } = cli;
  const { workspace, interrupted } = context;
  const { config } = workspace;
  if (options.revoke) {
    if (server === undefined) throw new HostError("USAGE", { message: "--revoke needs a server" });
    await rejectOnInterrupt(config.distrust(server), interrupted);
    return 0;
  }
  const pending = await rejectOnInterrupt(config.pending(), interrupted);
  const shown = server === undefined ? pending : [findPending(server, pending)];
  if (options.json) stdout.json(shown);
  else stdout.write(renderPending(shown, stdout.columns));
  if (server === undefined) {
    if (!options.json && shown.length > 0) stdout.write("\nTo approve one of them, run: plugboard trust <server>\n");
    return 0;
  }
  if (!options.yes && !(await confirmTrust(server, context, cli))) return EXIT_NOT_TRUSTED;
  const { id, hash } = shown[0]!;
  await rejectOnInterrupt(config.trust(id, hash), interrupted);
  if (!options.json) stdout.write("Approved. If the definition changes, you will be asked again.\n");
  return 0;
}

/** Asks for approval of the definition just shown. Throws USAGE without a terminal. */
function confirmTrust(server: string, context: CommandContext, cli: CliContext): Promise<boolean> {
  const withoutTerminal = "Add --yes to approve the definition as it is now";
  return confirm(`Use the server ${shortName(server)}?`, { ...context, withoutTerminal }, cli);
}

/** Returns the definition with the highest precedence, which is the one that would run. */
function findPending(server: string, pending: readonly PendingServer[]): PendingServer {
  const found = pending.findLast(({ id }) => id === server);
  if (found) return found;
  throw new HostError("NOT_FOUND", { subject: `definition of "${server}" that needs approval` });
}
