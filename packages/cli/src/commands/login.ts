import { unlessInterrupted } from "../interruption.ts";
import { renderJson } from "../render/json.ts";
import { renderLoggedIn } from "../render/logins.ts";
import type { Surroundings } from "../surroundings.ts";
import { withWorkspace } from "../with-workspace.ts";
import type { CommonOptions } from "../with-workspace.ts";

export interface LoginOptions extends CommonOptions {
  readonly browser?: boolean;
  readonly device?: boolean;
}

/** Logs in at one server. Whoever types it has agreed to it: nothing else is asked before the browser opens. */
export async function logIn(server: string, options: LoginOptions, surroundings: Surroundings): Promise<number> {
  const how = options.device ? "device" : "browser";
  let said = "";
  const status = await withWorkspace(
    options,
    surroundings,
    async ({ workspace, interrupted }) => {
      const login = workspace.servers.login(server, { how, signal: interrupted });
      const logged = await unlessInterrupted(login, interrupted);
      // The login is done, even if where it is kept can't be read.
      const kept = await unlessInterrupted(
        workspace.logins.list().catch(() => undefined),
        interrupted,
      );
      said = options.json ? renderJson(logged) : renderLoggedIn(logged, kept, Date.now());
      return 0;
    },
    { server, loggingIn: { browser: options.browser !== false } },
  );
  // Not before the prompt for the address has left the terminal.
  surroundings.stdout.write(said);
  return status;
}
