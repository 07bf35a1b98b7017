/** Implements `plugboard keys drop`. */
import type { CliContext } from "../../terminal/cli-context.ts";
import { withOperations } from "../../workspace/with-operations.ts";

const CONSEQUENCES =
  "What it has encrypted can't be decrypted any more: a client that answers a form from before the rotation gets an error, and has to repeat the call.";

export async function dropKey(
  { id, json }: { readonly id: string; readonly json: boolean },
  cli: CliContext,
): Promise<number> {
  await withOperations(cli, (operations) => operations.dropKey(id), { anywhere: true });
  if (json) cli.stdout.json({ id });
  else cli.stdout.write(`Dropped the key ${id}. ${CONSEQUENCES}\n`);
  return 0;
}
