/** Implements `plugboard login`. */
import { rejectOnInterrupt } from "../../terminal/interruption.ts";
import { renderJson } from "../../terminal/render-json.ts";
import { renderLoggedIn } from "../../render/logins/render-logins.ts";
import type { CliContext } from "../../terminal/cli-context.ts";
import { showPhases } from "../../workspace/show-phases.ts";
import { withWorkspace } from "../../workspace/with-workspace.ts";
import type { CommandOptions } from "../../workspace/with-workspace.ts";

interface LoginInput extends CommandOptions {
  readonly server: string;
  readonly noBrowser: boolean;
  readonly device: boolean;
}

/** Logs in to one server. Opens the browser without asking, because the user typed the command. */
export async function logIn({ server, ...options }: LoginInput, cli: CliContext): Promise<number> {
  const method = options.device ? "device" : "browser";
  let output = "";
  const status = await withWorkspace(
    options,
    cli,
    async ({ workspace, interrupted }) => {
      const phases = showPhases(cli.liveLine, `logging in to ${server}`);
      const login = workspace.servers.login(server, { method, signal: interrupted });
      const serverStatus = await rejectOnInterrupt(login, interrupted).finally(() => phases.stop());
      // A login succeeds even if the list of logins can't be read afterwards.
      const stored = await rejectOnInterrupt(
        workspace.logins.list().catch(() => undefined),
        interrupted,
      );
      output = options.json ? renderJson(serverStatus) : renderLoggedIn(serverStatus, stored, Date.now());
      return 0;
    },
    { server, loginCommand: { mayOpenBrowser: !options.noBrowser } },
  );
  // Printed last, after the prompt for the redirect URL has closed.
  cli.stdout.write(output);
  return status;
}
