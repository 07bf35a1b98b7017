/** Stores the secrets that the user has typed for a new server. */
import type { RegistrySecret } from "@plugboard/contracts";
import type { CliContext } from "../../terminal/cli-context.ts";
import { runWithOperations } from "../../workspace/run-with-operations.ts";

/** Returns the exit status. Secrets without a value are left out. */
export async function storeSecrets(secrets: readonly RegistrySecret[], cli: CliContext): Promise<number> {
  const typed = secrets.filter((secret) => secret.value !== undefined);
  if (typed.length === 0) return 0;
  return runWithOperations({}, cli, async ({ operations }) => {
    for (const { name, value = "" } of typed) await operations.setSecret(name, value);
    return 0;
  });
}
