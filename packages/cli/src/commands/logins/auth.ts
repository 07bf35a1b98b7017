/** Implements `plugboard auth list` and `plugboard auth store`. */
import { ERROR_TABLE } from "@plugboard/contracts";
import type { LoginList } from "@plugboard/contracts";
import { rejectOnInterrupt } from "../../terminal/interruption.ts";
import { renderError } from "../../render/render-error.ts";
import { renderJson } from "../../terminal/render-json.ts";
import { renderLogins, renderBackendChange } from "../../render/logins/render-logins.ts";
import type { CliContext } from "../../terminal/cli-context.ts";
import { withWorkspace } from "../../workspace/with-workspace.ts";
import type { CommandOptions } from "../../workspace/with-workspace.ts";

/** Shows all stored logins, including those of servers that are not configured here. */
export function listLogins(options: CommandOptions, cli: CliContext): Promise<number> {
  return withWorkspace(options, cli, async ({ workspace, interrupted }) => {
    const stored = await rejectOnInterrupt(workspace.logins.list(), interrupted);
    return showLogins(stored, options.json === true, cli);
  });
}

/** Shows where the logins are stored even if they can't be read. Returns the exit status. */
export function showLogins(
  stored: LoginList,
  json: boolean,
  { stdout, stderr }: Pick<CliContext, "stdout" | "stderr">,
): number {
  stdout.write(json ? renderJson(stored) : renderLogins(stored, Date.now(), stdout.columns));
  const { unreadable } = stored;
  if (!unreadable) return 0;
  stderr.write(renderError(unreadable, { json }));
  return ERROR_TABLE[unreadable.code].exit;
}

/** Changes where the logins are stored. */
export function setLoginBackend(
  { backend, ...options }: CommandOptions & { readonly backend: "keyring" | "file" },
  cli: CliContext,
): Promise<number> {
  return withWorkspace(options, cli, async ({ workspace, interrupted }) => {
    const stored = await rejectOnInterrupt(workspace.logins.setBackend(backend), interrupted);
    cli.stdout.write(options.json ? renderJson(stored) : renderBackendChange(stored));
    return 0;
  });
}
