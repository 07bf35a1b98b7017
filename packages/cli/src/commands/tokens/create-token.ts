/** Implements `plugboard token create`. */
import { addNamedToken } from "@plugboard/daemon";
import type { CliContext } from "../../terminal/cli-context.ts";

interface CreateTokenInput {
  readonly name: string;
  readonly profile: string | undefined;
  readonly mayApprove: boolean;
  readonly json: boolean;
}

/** Prints only the token to stdout, so that a script can store it. */
export async function createToken(input: CreateTokenInput, { env, stdout, stderr }: CliContext): Promise<number> {
  const { name, profile, mayApprove, json } = input;
  const token = await addNamedToken(env, { name, profile, mayApprove, now: Date.now() });
  if (json) {
    stdout.json({ name, token, mayApprove, ...(profile !== undefined && { profile }) });
    return 0;
  }
  stdout.write(`${token}\n`);
  stderr.write("The token is not shown again. The client sends it in the header `Authorization: Bearer <token>`.\n");
  return 0;
}
