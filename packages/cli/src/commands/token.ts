import { ownerToken } from "@plugboard/daemon";
import type { Surroundings } from "../surroundings.ts";

/** Prints the owner's token, making it on first use. */
export async function printToken({ env, stdout }: Surroundings): Promise<number> {
  stdout.write(`${await ownerToken(env)}\n`);
  return 0;
}
