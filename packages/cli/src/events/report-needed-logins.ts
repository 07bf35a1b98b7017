/** Reports servers that need a login while a host runs. Reports each server once, and again only after a login. */
import { sanitizeLine } from "@plugboard/contracts";
import type { HostApi, Snapshot, Workspace } from "@plugboard/contracts";
import { needsLogin } from "../render/logins/render-logins.ts";
import type { CliContext } from "../terminal/cli-context.ts";
import { followEvents } from "./follow-events.ts";
import type { EventSubscription } from "./follow-events.ts";

/** Skips the servers in the snapshot that need a login, because they have been shown already. */
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
    // Events come from all workspaces. Only servers of this workspace are reported.
    const server = (await host.workspace.status()).find((candidate) => candidate.id === id);
    if (!server || !needsLogin(server)) return;
    reported.add(id);
    stderr.write(`${sanitizeLine(`${id} needs a login. Run: plugboard login ${id}`)}\n`);
  });
}
