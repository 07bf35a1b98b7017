/** Implements `plugboard disconnect`. */
import type { ClientName } from "@plugboard/contracts";
import { revokeClientToken } from "@plugboard/host/tokens";
import { ensureStateFolder } from "@plugboard/store";
import { renderDisconnected, renderFileChange } from "../../render/servers/render-connect.ts";
import type { CliContext } from "../../terminal/cli-context.ts";
import { clientPlaces } from "./client-places.ts";
import { confirmChange } from "./confirm-change.ts";

interface DisconnectInput {
  readonly client: ClientName;
  readonly scope: "user" | "project" | undefined;
  readonly restore: boolean;
  readonly dryRun: boolean;
  readonly yes: boolean;
  readonly json: boolean;
}

/** Removes Plugboard's entry from the file of a client. */
export async function disconnectClient(input: DisconnectInput, cli: CliContext): Promise<number> {
  const { client, dryRun, yes, json } = input;
  const { stdout, env } = cli;
  const connect = await import("@plugboard/config/clients");
  const records = new connect.ConnectionRecords(await ensureStateFolder(env));
  const change = await connect.planDisconnect(client, input, clientPlaces(cli), records);
  const isChange = change.action !== "none";
  if (!json && isChange) stdout.write(renderFileChange(change));
  if (isChange && !dryRun && !yes) {
    const withoutTerminal = "Add --yes to write the change, or --dry-run to only see it";
    const declined = await confirmChange(`Disconnect ${change.label} from Plugboard?`, withoutTerminal, cli);
    if (declined !== undefined) return declined;
  }
  const isWritten = isChange && !dryRun;
  if (isWritten) {
    await connect.writeChange(change, records);
    await revokeClientToken(env, client, change.oldToken);
  }
  if (json) {
    const { scope, file, action, diff } = change;
    stdout.json({ client, scope, file, action, written: isWritten, diff });
  } else stdout.write(renderDisconnected(change, { isWritten, dryRun }));
  return 0;
}
