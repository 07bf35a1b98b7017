import { HostError } from "@plugboard/contracts";
import type { PendingServer } from "@plugboard/contracts";
import { rejectOnInterrupt } from "../terminal/interruption.ts";
import { shortName } from "../render/quote-untrusted.ts";
import { outputColumns, openTerminalLines, NoAnswerError } from "../terminal/terminal-lines.ts";
import { renderJson } from "../render/render-json.ts";
import { renderPending } from "../render/render-pending.ts";
import type { CliContext } from "../terminal/cli-context.ts";
import { withWorkspace } from "./with-workspace.ts";
import type { CommonOptions, CommandContext } from "./with-workspace.ts";

/** The exit status of a server that stays untrusted. */
const EXIT_NOT_TRUSTED = 5;

interface TrustOptions extends CommonOptions {
  readonly revoke?: boolean;
  readonly yes?: boolean;
}

/** Lists the project's servers that wait for consent, or shows one of them and asks for consent. */
export function trustServer(server: string | undefined, options: TrustOptions, cli: CliContext): Promise<number> {
  return withWorkspace(options, cli, (context) => trustInWorkspace(context, server, options, cli));
}

export async function trustInWorkspace(
  context: CommandContext,
  server: string | undefined,
  options: TrustOptions,
  cli: CliContext,
): Promise<number> {
  const { stdout } = cli;
  const { workspace, interrupted } = context;
  const { config } = workspace;
  if (options.revoke) {
    if (server === undefined) throw new HostError("USAGE", { message: "no server was named" });
    await rejectOnInterrupt(config.distrust(server), interrupted);
    return 0;
  }
  const pending = await rejectOnInterrupt(config.pending(), interrupted);
  const shown = server === undefined ? pending : [findPending(server, pending)];
  stdout.write(options.json ? renderJson(shown) : renderPending(shown, outputColumns(stdout)));
  if (server === undefined) {
    if (!options.json && shown.length > 0) stdout.write("\nTo use one of them: plugboard trust <server>\n");
    return 0;
  }
  if (!options.yes && !(await confirmTrust(server, context, cli))) return EXIT_NOT_TRUSTED;
  const { id, hash } = shown[0]!;
  await rejectOnInterrupt(config.trust(id, hash), interrupted);
  if (!options.json) stdout.write(`Agreed to. If its definition changes, you are asked again.\n`);
  return 0;
}

/** To what was shown just now, by whoever could see it. */
async function confirmTrust(
  server: string,
  { interrupted, interrupt }: CommandContext,
  cli: CliContext,
): Promise<boolean> {
  const { stdin, stdout, stderr } = cli;
  if (!stdin.isTTY || !stdout.isTTY || !stderr.isTTY) {
    throw new HostError("USAGE", {
      message: "Nobody is there to agree to it; with --yes you agree to what the files say now",
    });
  }
  const lines = openTerminalLines(cli, interrupted, interrupt);
  try {
    return /^y(es)?$/i.test((await lines.read(`Use the server ${shortName(server)}? y / N: `)).trim());
  } catch (thrown) {
    if (!(thrown instanceof NoAnswerError)) throw thrown;
    lines.show("\n");
    return false;
  } finally {
    lines.close();
  }
}

/** What stands highest is what would run. */
function findPending(server: string, pending: readonly PendingServer[]): PendingServer {
  const found = pending.findLast(({ id }) => id === server);
  if (found) return found;
  throw new HostError("NOT_FOUND", { subject: `definition of "${server}" that waits for consent` });
}
