/** Implements `plugboard logout`. */
import { rejectOnInterrupt } from "../../terminal/interruption.ts";
import { renderJson } from "../../terminal/render-json.ts";
import { renderLoggedOut } from "../../render/logins/render-logins.ts";
import type { CliContext } from "../../terminal/cli-context.ts";
import { showPhases } from "../../workspace/show-phases.ts";
import { withWorkspace } from "../../workspace/with-workspace.ts";
import type { CommandOptions } from "../../workspace/with-workspace.ts";

/** Revokes and deletes the login of one server. Succeeds if there was none. */
export function logOut(
  { server, ...options }: CommandOptions & { readonly server: string },
  cli: CliContext,
): Promise<number> {
  return withWorkspace(options, cli, async ({ workspace, interrupted }) => {
    const phases = showPhases(cli.liveLine, `logging out of ${server}`);
    const logout = rejectOnInterrupt(workspace.servers.logout(server), interrupted);
    const report = await logout.finally(() => phases.stop());
    cli.stdout.write(options.json ? renderJson(report) : renderLoggedOut(server, report));
    return 0;
  });
}
