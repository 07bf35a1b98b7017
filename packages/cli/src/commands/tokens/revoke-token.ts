/** Implements `plugboard token revoke`. */
import { deleteNamedToken } from "@plugboard/daemon";
import type { CliContext } from "../../terminal/cli-context.ts";

interface RevokeTokenInput {
  readonly name: string;
  readonly json: boolean;
}

export async function revokeToken({ name, json }: RevokeTokenInput, { env, stdout }: CliContext): Promise<number> {
  await deleteNamedToken(env, name);
  if (json) stdout.json({ name });
  else stdout.write(`Revoked ${name}. Requests with this token are refused from now on.\n`);
  return 0;
}
