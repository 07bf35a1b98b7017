/** Implements `plugboard token create`. */
import { addNamedToken } from "@plugboard/host/tokens";
import type { CliContext } from "../../terminal/cli-context.ts";
import { NEEDS_PERMISSION_NOTE } from "../../render/permission-note.ts";
import { warnUnknownProfile } from "../../workspace/known-profiles.ts";

const MAY_APPROVE_NOTE =
  "Calls that no rule mentions run without a question from Plugboard: the client is expected to ask you. A rule `ask` asks you in the client, if it supports forms, otherwise in `plugboard inbox --watch`.\n";

interface CreateTokenInput {
  readonly name: string;
  readonly profile: string | undefined;
  readonly mayApprove: boolean;
  readonly json: boolean;
}

/** Prints only the token to stdout, so that a script can store it. */
export async function createToken(input: CreateTokenInput, cli: CliContext): Promise<number> {
  const { env, stdout, stderr } = cli;
  const { name, profile, mayApprove, json } = input;
  if (profile !== undefined) await warnUnknownProfile(profile, cli);
  const token = await addNamedToken(env, { name, profile, mayApprove, now: Date.now() });
  if (json) {
    stdout.json({ name, token, mayApprove, ...(profile !== undefined && { profile }) });
    return 0;
  }
  stdout.write(`${token}\n`);
  stderr.write("The token is not shown again. The client sends it in the header `Authorization: Bearer <token>`.\n");
  stderr.write(mayApprove ? MAY_APPROVE_NOTE : `${NEEDS_PERMISSION_NOTE}\n`);
  return 0;
}
