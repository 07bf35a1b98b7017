/** Implements `plugboard secret set`. */
import { readSecretValue } from "../../prompt/read-secret-value.ts";
import { renderSecretSet } from "../../render/logins/render-secrets.ts";
import type { CliContext } from "../../terminal/cli-context.ts";
import { rejectOnInterrupt } from "../../terminal/interruption.ts";
import { withWorkspace } from "../../workspace/with-workspace.ts";
import type { CommandOptions } from "../../workspace/with-workspace.ts";

/** Stores the value that the user types or pipes to the command. */
export function setSecret(
  { name, ...options }: CommandOptions & { readonly name: string },
  cli: CliContext,
): Promise<number> {
  return withWorkspace(options, cli, async ({ workspace, interrupted, interrupt }) => {
    const value = await readSecretValue(name, cli, interrupted, interrupt);
    await rejectOnInterrupt(workspace.secrets.set(name, value), interrupted);
    const { secrets, ...place } = await rejectOnInterrupt(workspace.secrets.list(), interrupted);
    const servers = secrets.find((secret) => secret.name === name)?.servers ?? [];
    if (options.json) cli.stdout.json({ name, ...place, servers });
    else cli.stdout.write(renderSecretSet(name, servers, place));
    return 0;
  });
}
