import { unlessInterrupted } from "../interruption.ts";
import { renderJson } from "../render/json.ts";
import { renderLoggedOut } from "../render/logins.ts";
import type { Surroundings } from "../surroundings.ts";
import { withWorkspace } from "../with-workspace.ts";
import type { CommonOptions } from "../with-workspace.ts";

/** Gives up the login at one server. That there was none is said, and no failure. */
export function logOut(server: string, options: CommonOptions, surroundings: Surroundings): Promise<number> {
  return withWorkspace(options, surroundings, async ({ workspace, interrupted }) => {
    const report = await unlessInterrupted(workspace.servers.logout(server), interrupted);
    surroundings.stdout.write(options.json ? renderJson(report) : renderLoggedOut(server, report));
    return 0;
  });
}
