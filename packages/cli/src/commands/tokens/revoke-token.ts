/** Implements `plugboard token revoke`. */
import type { CliContext } from "../../terminal/cli-context.ts";
import { withOperations } from "../../workspace/with-operations.ts";

const CONSEQUENCES =
  "Requests with this token are refused from now on. A running host deletes the decisions and logins of this token. A new token of this name starts without them.";

export async function revokeToken(
  { name, json }: { readonly name: string; readonly json: boolean },
  cli: CliContext,
): Promise<number> {
  await withOperations(cli, (operations) => operations.revokeToken(name), { anywhere: true });
  if (json) cli.stdout.json({ name });
  else cli.stdout.write(`Revoked ${name}. ${CONSEQUENCES}\n`);
  return 0;
}
