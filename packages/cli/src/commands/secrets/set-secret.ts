/** Implements `plugboard secret set`. */
import { readSecretValue } from "../../prompt/read-secret-value.ts";
import { renderSecretSet } from "../../render/logins/render-secrets.ts";
import type { CliContext } from "../../terminal/cli-context.ts";
import { runWithOperations } from "../../workspace/run-with-operations.ts";
import type { CommandOptions } from "../../workspace/with-workspace.ts";

/** Stores the value that the user types or pipes to the command. */
export function setSecret(
  { name, ...options }: CommandOptions & { readonly name: string },
  cli: CliContext,
): Promise<number> {
  return runWithOperations(options, cli, async ({ operations, interrupted, interrupt }) => {
    const value = await readSecretValue(name, cli, interrupted, interrupt);
    await operations.setSecret(name, value);
    const { secrets, ...place } = await operations.secrets();
    const servers = secrets.find((secret) => secret.name === name)?.servers ?? [];
    if (options.json) cli.stdout.json({ name, ...place, servers });
    else cli.stdout.write(renderSecretSet(name, servers, place));
    return 0;
  });
}
