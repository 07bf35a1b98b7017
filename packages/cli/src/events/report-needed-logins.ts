/** Tells of servers that come to need a login while a host runs, each once until somebody has logged in. */
import { sanitizeLine } from "@plugboard/contracts";
import type { HostApi, Snapshot, Workspace } from "@plugboard/contracts";
import { needsLogin } from "../render/render-logins.ts";
import type { CliContext } from "../terminal/cli-context.ts";
import { followEvents } from "./follow-events.ts";
import type { EventSubscription } from "./follow-events.ts";

/** What is in the snapshot has been told already. */
export function reportNeededLogins(
  host: { readonly workspace: Pick<Workspace, "status">; readonly events: HostApi["events"] },
  { seq, servers }: Pick<Snapshot, "seq" | "servers">,
  { stderr }: Pick<CliContext, "stderr">,
): EventSubscription {
  const reported = new Set(servers.filter(needsLogin).map(({ id }) => id));
  return followEvents(host, seq, async (event) => {
    if (event.type !== "server.changed") return;
    const { server: id, state } = event;
    if (state === "ready") reported.delete(id);
    if (state !== "auth_required" || reported.has(id)) return;
    // Facts are of all workspaces; what can be said here is of this one's servers.
    const server = (await host.workspace.status()).find((one) => one.id === id);
    if (!server || !needsLogin(server)) return;
    reported.add(id);
    stderr.write(`${sanitizeLine(`${id} needs a login: plugboard login ${id}`)}\n`);
  });
}
