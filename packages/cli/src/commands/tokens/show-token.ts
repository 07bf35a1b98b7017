/** Implements `plugboard token show`. */
import { ownerToken } from "@plugboard/host/tokens";
import type { CliContext } from "../../terminal/cli-context.ts";

/** Prints the owner's token. Creates it on first use. */
export async function showToken({ json }: { readonly json: boolean }, { env, stdout }: CliContext): Promise<number> {
  const token = await ownerToken(env);
  if (json) stdout.json({ token });
  else stdout.write(`${token}\n`);
  return 0;
}
