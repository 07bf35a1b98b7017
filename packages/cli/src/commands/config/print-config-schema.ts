/** Implements `plugboard config schema`. */
import type { CliContext } from "../../terminal/cli-context.ts";
import { withOperations } from "../../workspace/with-operations.ts";

export async function printConfigSchema(cli: CliContext): Promise<number> {
  // The schema is that of this version, so no host is asked.
  cli.stdout.json(await withOperations(cli, (operations) => operations.configSchema(), { private: true }));
  return 0;
}
