import { ownerToken } from "@plugboard/daemon";
import type { CliContext } from "../terminal/cli-context.ts";

/** Prints the owner's token, making it on first use. */
export async function printToken({ env, stdout }: CliContext): Promise<number> {
  stdout.write(`${await ownerToken(env)}\n`);
  return 0;
}
