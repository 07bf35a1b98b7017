/** Implements `plugboard disconnect`. */
import type { ClientName, Operations } from "@plugboard/contracts";
import { renderDisconnected, renderFileChange } from "../../render/servers/render-connect.ts";
import type { CliContext } from "../../terminal/cli-context.ts";
import { withOperations } from "../../workspace/with-operations.ts";
import { confirmChange } from "../../prompt/confirm-change.ts";

interface DisconnectInput {
  readonly client: ClientName;
  readonly scope: "user" | "project" | undefined;
  readonly restore: boolean;
  readonly dryRun: boolean;
  readonly yes: boolean;
  readonly json: boolean;
}

/** Removes Plugboard's entry from the file of a client. */
export function disconnectClient(input: DisconnectInput, cli: CliContext): Promise<number> {
  return withOperations(cli, (operations) => disconnect(input, cli, operations));
}

async function disconnect(input: DisconnectInput, cli: CliContext, operations: Operations): Promise<number> {
  const { client, restore, dryRun, yes, json } = input;
  const { stdout } = cli;
  const plan = await operations.planDisconnect(client, { restore, ...(input.scope && { scope: input.scope }) });
  const isChange = plan.action !== "none";
  if (!json && isChange) stdout.write(renderFileChange(plan));
  if (isChange && !dryRun && !yes) {
    const withoutTerminal = "Add --yes to write the change, or --dry-run to only see it";
    const declined = await confirmChange(`Disconnect ${plan.label} from Plugboard?`, withoutTerminal, cli);
    if (declined !== undefined) return declined;
  }
  const isWritten = isChange && !dryRun;
  if (isWritten) await operations.changeClient(plan.plan);
  if (json) {
    const { scope, file, action, diff } = plan;
    stdout.json({ client, scope, file, action, written: isWritten, diff });
  } else stdout.write(renderDisconnected(plan, { isWritten, dryRun }));
  return 0;
}
