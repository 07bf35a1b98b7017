/** Implements `plugboard token`. */
import { ownerToken } from "@plugboard/daemon";
import type { CliContext } from "../terminal/cli-context.ts";

/** Prints the owner's token. Creates it on first use. */
export async function printToken({ env, stdout }: CliContext): Promise<number> {
  stdout.write(`${await ownerToken(env)}\n`);
  return 0;
}
