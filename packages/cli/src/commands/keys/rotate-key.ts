/** Implements `plugboard keys rotate`. */
import type { CliContext } from "../../terminal/cli-context.ts";
import { withOperations } from "../../workspace/with-operations.ts";

export async function rotateKey({ json }: { readonly json: boolean }, cli: CliContext): Promise<number> {
  const id = await withOperations(cli, (operations) => operations.rotateKey(), { anywhere: true });
  if (json) cli.stdout.json({ id });
  else cli.stdout.write(`The key ${id} encrypts from now on. The older keys still decrypt.\n`);
  return 0;
}
