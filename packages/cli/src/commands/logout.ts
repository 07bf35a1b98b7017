/** Implements `plugboard logout`. */
import { rejectOnInterrupt } from "../terminal/interruption.ts";
import { renderJson } from "../render/render-json.ts";
import { renderLoggedOut } from "../render/render-logins.ts";
import type { CliContext } from "../terminal/cli-context.ts";
import { withWorkspace } from "./with-workspace.ts";
import type { CommandOptions } from "./with-workspace.ts";

/** Revokes and deletes the login of one server. Succeeds if there was none. */
export function logOut(server: string, options: CommandOptions, cli: CliContext): Promise<number> {
  return withWorkspace(options, cli, async ({ workspace, interrupted }) => {
    const report = await rejectOnInterrupt(workspace.servers.logout(server), interrupted);
    cli.stdout.write(options.json ? renderJson(report) : renderLoggedOut(server, report));
    return 0;
  });
}
