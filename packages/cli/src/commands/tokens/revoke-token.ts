/** Implements `plugboard token revoke`. */
import { deleteNamedToken } from "@plugboard/host/tokens";
import type { CliContext } from "../../terminal/cli-context.ts";

const CONSEQUENCES =
  "Requests with this token are refused from now on. A running host deletes its decisions and logins. A new token of this name starts empty.";

interface RevokeTokenInput {
  readonly name: string;
  readonly json: boolean;
}

export async function revokeToken({ name, json }: RevokeTokenInput, { env, stdout }: CliContext): Promise<number> {
  await deleteNamedToken(env, name);
  if (json) stdout.json({ name });
  else stdout.write(`Revoked ${name}. ${CONSEQUENCES}\n`);
  return 0;
}
