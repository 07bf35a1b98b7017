/** Implements `plugboard secret remove`. */
import { renderSecretRemoved } from "../../render/logins/render-secrets.ts";
import type { CliContext } from "../../terminal/cli-context.ts";
import { rejectOnInterrupt } from "../../terminal/interruption.ts";
import { withWorkspace } from "../../workspace/with-workspace.ts";
import type { CommandOptions } from "../../workspace/with-workspace.ts";

/** Succeeds if there was no secret of that name. */
export function removeSecret(
  { name, ...options }: CommandOptions & { readonly name: string },
  cli: CliContext,
): Promise<number> {
  return withWorkspace(options, cli, async ({ workspace, interrupted }) => {
    const removed = await rejectOnInterrupt(workspace.secrets.remove(name), interrupted);
    const { secrets } = await rejectOnInterrupt(workspace.secrets.list(), interrupted);
    const servers = secrets.find((secret) => secret.name === name)?.servers ?? [];
    if (options.json) cli.stdout.json({ name, removed, servers });
    else cli.stdout.write(renderSecretRemoved(name, removed, servers));
    return 0;
  });
}
