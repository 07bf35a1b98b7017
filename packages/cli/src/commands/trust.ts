import { HostError } from "@plugboard/contracts";
import type { PendingServer } from "@plugboard/contracts";
import { unlessInterrupted } from "../interruption.ts";
import { renderJson } from "../render/json.ts";
import { renderPending } from "../render/pending.ts";
import type { Surroundings } from "../surroundings.ts";
import { withWorkspace } from "../with-workspace.ts";
import type { CommonOptions } from "../with-workspace.ts";

/** What the project's files define and waits for consent; naming one agrees to it. Whoever types it has consented. */
export function trustServer(
  server: string | undefined,
  options: CommonOptions & { revoke?: boolean },
  surroundings: Surroundings,
): Promise<number> {
  const { stdout } = surroundings;
  return withWorkspace(options, surroundings, async ({ workspace: { config }, interrupted }) => {
    if (options.revoke) {
      if (server === undefined) throw new HostError("USAGE", { what: "no server was named" });
      await unlessInterrupted(config.distrust(server), interrupted);
      return 0;
    }
    const pending = await unlessInterrupted(config.pending(), interrupted);
    const shown = server === undefined ? pending : [find(server, pending)];
    stdout.write(options.json ? renderJson(shown) : renderPending(shown));
    if (server === undefined) return 0;
    const { id, hash } = shown[0]!;
    await unlessInterrupted(config.trust(id, hash), interrupted);
    if (!options.json) stdout.write(`Agreed to. If its definition changes, you are asked again.\n`);
    return 0;
  });
}

/** What stands highest is what would run. */
function find(server: string, pending: readonly PendingServer[]): PendingServer {
  const found = pending.findLast(({ id }) => id === server);
  if (found) return found;
  throw new HostError("NOT_FOUND", { what: `definition of "${server}" that waits for consent` });
}
