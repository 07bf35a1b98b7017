/** Stores the secrets that the user has typed for a new server. */
import type { NeededSecret } from "@plugboard/config/registry";
import type { CliContext } from "../../terminal/cli-context.ts";
import { rejectOnInterrupt } from "../../terminal/interruption.ts";
import { withWorkspace } from "../../workspace/with-workspace.ts";

/** Returns the exit status. Secrets without a value are left out. */
export async function storeSecrets(secrets: readonly NeededSecret[], cli: CliContext): Promise<number> {
  const typed = secrets.filter((secret) => secret.value !== undefined);
  if (typed.length === 0) return 0;
  return withWorkspace({ config: [], mcpServer: [] }, cli, async ({ workspace, interrupted }) => {
    for (const { name, value = "" } of typed) {
      await rejectOnInterrupt(workspace.secrets.set(name, value), interrupted);
    }
    return 0;
  });
}
