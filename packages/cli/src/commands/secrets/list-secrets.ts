/** Implements `plugboard secret list`. */
import { ERROR_TABLE } from "@plugboard/contracts";
import { renderError } from "../../render/render-error.ts";
import { renderSecrets } from "../../render/logins/render-secrets.ts";
import type { CliContext } from "../../terminal/cli-context.ts";
import { runWithOperations } from "../../workspace/run-with-operations.ts";
import type { CommandOptions } from "../../workspace/with-workspace.ts";

/** Shows names, never values. Fails if the stored secrets can't be read. */
export function listSecrets(options: CommandOptions, cli: CliContext): Promise<number> {
  const { stdout, stderr } = cli;
  return runWithOperations(options, cli, async ({ operations }) => {
    const list = await operations.secrets();
    if (options.json) stdout.json(list);
    else stdout.write(renderSecrets(list));
    if (!list.unreadable) return 0;
    stderr.write(renderError(list.unreadable, options));
    return ERROR_TABLE[list.unreadable.code].exit;
  });
}
