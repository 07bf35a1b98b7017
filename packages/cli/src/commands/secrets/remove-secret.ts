/** Implements `plugboard secret remove`. */
import { renderSecretRemoved } from "../../render/logins/render-secrets.ts";
import type { CliContext } from "../../terminal/cli-context.ts";
import { runWithOperations } from "../../workspace/run-with-operations.ts";
import type { CommandOptions } from "../../workspace/with-workspace.ts";

export function removeSecret(
  { name, ...options }: CommandOptions & { readonly name: string },
  cli: CliContext,
): Promise<number> {
  return runWithOperations(options, cli, async ({ operations }) => {
    await operations.removeSecret(name);
    const { secrets } = await operations.secrets();
    const servers = secrets.find((secret) => secret.name === name)?.servers ?? [];
    if (options.json) cli.stdout.json({ name, servers });
    else cli.stdout.write(renderSecretRemoved(name, servers));
    return 0;
  });
}
