/** Tells of servers that come to need a login while a host runs, each once until somebody has logged in. */
import { sanitiseLine } from "@plugboard/contracts";
import type { HostApi, Snapshot, Workspace } from "@plugboard/contracts";
import { needsLogin } from "../render/logins.ts";
import type { Surroundings } from "../surroundings.ts";
import { followEvents } from "./follow-events.ts";
import type { Following } from "./follow-events.ts";

/** What is in the snapshot has been told already. */
export function reportNeededLogins(
  host: { readonly workspace: Pick<Workspace, "status">; readonly events: HostApi["events"] },
  { seq, servers }: Pick<Snapshot, "seq" | "servers">,
  { stderr }: Pick<Surroundings, "stderr">,
): Following {
  const told = new Set(servers.filter(needsLogin).map(({ id }) => id));
  return followEvents(host, seq, async (event) => {
    if (event.type !== "server.changed") return;
    const { server: id, state } = event;
    if (state === "ready") told.delete(id);
    if (state !== "auth_required" || told.has(id)) return;
    // Facts are of all workspaces; what can be said here is of this one's servers.
    const server = (await host.workspace.status()).find((one) => one.id === id);
    if (!server || !needsLogin(server)) return;
    told.add(id);
    stderr.write(`${sanitiseLine(`${id} needs a login: plugboard login ${id}`)}\n`);
  });
}
