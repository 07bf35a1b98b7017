/** Asks on the terminal whether to approve servers whose definitions were just shown. */
import type { PendingServer } from "@plugboard/contracts";
import { usageError } from "../../command-line/usage-error.ts";
import { isYes } from "../../prompt/confirm.ts";
import { shortName } from "../../render/quote-untrusted.ts";
import type { CliContext } from "../../terminal/cli-context.ts";
import { openTerminalLines, NoAnswerError } from "../../terminal/terminal-lines.ts";
import type { TerminalLines } from "../../terminal/terminal-lines.ts";
import type { OperationsContext } from "../../workspace/run-with-operations.ts";

/** Returns the approved servers. Several can be approved with one answer, or one by one. Throws without a terminal. */
export async function confirmTrust(
  servers: readonly PendingServer[],
  { interrupted, interrupt }: Pick<OperationsContext, "interrupted" | "interrupt">,
  cli: CliContext,
): Promise<readonly PendingServer[]> {
  if (!cli.isInteractive) {
    const message = "There is no terminal to ask on. Add --yes to approve the definitions as they are now";
    throw usageError(message, { command: "trust" });
  }
  const lines = openTerminalLines(cli, interrupted, interrupt);
  try {
    return servers.length > 1 ? await askForAll(servers, lines) : await askForEach(servers, lines);
  } catch (thrown) {
    if (!(thrown instanceof NoAnswerError)) throw thrown;
    lines.show("\n");
    return [];
  } finally {
    lines.close();
  }
}

async function askForAll(servers: readonly PendingServer[], lines: TerminalLines): Promise<readonly PendingServer[]> {
  const answer = (
    await lines.read(`Use these ${servers.length} servers? y = all, e = ask for each, n = none: `)
  ).trim();
  if (isYes(answer)) return servers;
  return /^e(ach)?$/i.test(answer) ? askForEach(servers, lines) : [];
}

async function askForEach(servers: readonly PendingServer[], lines: TerminalLines): Promise<readonly PendingServer[]> {
  const approved: PendingServer[] = [];
  for (const server of servers) {
    if (isYes(await lines.read(`Use the server ${shortName(server.id)}? y / n: `))) approved.push(server);
  }
  return approved;
}
