/** Implements `plugboard token show`. */
import type { CliContext } from "../../terminal/cli-context.ts";
import { withOperations } from "../../workspace/with-operations.ts";

/** Prints the owner's token. */
export async function showToken({ json }: { readonly json: boolean }, cli: CliContext): Promise<number> {
  const token = await withOperations(cli, (operations) => operations.ownerToken(), { anywhere: true });
  if (json) cli.stdout.json({ token });
  else cli.stdout.write(`${token}\n`);
  return 0;
}
