import { HostError } from "@plugboard/contracts";
import type { PendingServer } from "@plugboard/contracts";
import { unlessInterrupted } from "../interruption.ts";
import { shortName } from "../prompt/quote.ts";
import { columnsOfOutput, openTerminalLines, Unanswered } from "../prompt/terminal-lines.ts";
import { renderJson } from "../render/json.ts";
import { renderPending } from "../render/pending.ts";
import type { Surroundings } from "../surroundings.ts";
import { withWorkspace } from "../with-workspace.ts";
import type { CommonOptions, Opened } from "../with-workspace.ts";

/** The exit status of a server that stays untrusted. */
const NOT_AGREED = 5;

interface TrustOptions extends CommonOptions {
  readonly revoke?: boolean;
  readonly yes?: boolean;
}

/** Lists the project's servers that wait for consent, or shows one of them and asks for consent. */
export function trustServer(
  server: string | undefined,
  options: TrustOptions,
  surroundings: Surroundings,
): Promise<number> {
  return withWorkspace(options, surroundings, (opened) => trustIn(opened, server, options, surroundings));
}

export async function trustIn(
  opened: Opened,
  server: string | undefined,
  options: TrustOptions,
  surroundings: Surroundings,
): Promise<number> {
  const { stdout } = surroundings;
  const { workspace, interrupted } = opened;
  const { config } = workspace;
  if (options.revoke) {
    if (server === undefined) throw new HostError("USAGE", { what: "no server was named" });
    await unlessInterrupted(config.distrust(server), interrupted);
    return 0;
  }
  const pending = await unlessInterrupted(config.pending(), interrupted);
  const shown = server === undefined ? pending : [find(server, pending)];
  stdout.write(options.json ? renderJson(shown) : renderPending(shown, columnsOfOutput(stdout)));
  if (server === undefined) {
    if (!options.json && shown.length > 0) stdout.write("\nTo use one of them: plugboard trust <server>\n");
    return 0;
  }
  if (!options.yes && !(await agreed(server, opened, surroundings))) return NOT_AGREED;
  const { id, hash } = shown[0]!;
  await unlessInterrupted(config.trust(id, hash), interrupted);
  if (!options.json) stdout.write(`Agreed to. If its definition changes, you are asked again.\n`);
  return 0;
}

/** To what was shown just now, by whoever could see it. */
async function agreed(
  server: string,
  { interrupted, interrupt }: Opened,
  surroundings: Surroundings,
): Promise<boolean> {
  const { stdin, stdout, stderr } = surroundings;
  if (!stdin.isTTY || !stdout.isTTY || !stderr.isTTY) {
    throw new HostError("USAGE", {
      what: "Nobody is there to agree to it; with --yes you agree to what the files say now",
    });
  }
  const lines = openTerminalLines(surroundings, interrupted, interrupt);
  try {
    return /^y(es)?$/i.test((await lines.read(`Use the server ${shortName(server)}? y / N: `)).trim());
  } catch (thrown) {
    if (!(thrown instanceof Unanswered)) throw thrown;
    lines.show("\n");
    return false;
  } finally {
    lines.close();
  }
}

/** What stands highest is what would run. */
function find(server: string, pending: readonly PendingServer[]): PendingServer {
  const found = pending.findLast(({ id }) => id === server);
  if (found) return found;
  throw new HostError("NOT_FOUND", { what: `definition of "${server}" that waits for consent` });
}
