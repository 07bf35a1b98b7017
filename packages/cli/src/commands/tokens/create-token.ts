/** Implements `plugboard token create`. */
import { nearest, NEEDS_PERMISSION_NOTE } from "@plugboard/contracts";
import type { Operations } from "@plugboard/contracts";
import type { CliContext } from "../../terminal/cli-context.ts";
import { withOperations } from "../../workspace/with-operations.ts";

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
  const { stdout, stderr } = cli;
  const { name, profile, mayApprove, json } = input;
  const create = async (operations: Operations) => {
    if (profile !== undefined) stderr.write(warnUnknownProfile(profile, (await operations.overview()).profiles));
    return operations.createToken(name, { mayApprove, ...(profile !== undefined && { profile }) });
  };
  const token = await withOperations(cli, create, { anywhere: profile === undefined });
  if (json) {
    stdout.json({ name, token, mayApprove, ...(profile !== undefined && { profile }) });
    return 0;
  }
  stdout.write(`${token}\n`);
  stderr.write("The token is not shown again. The client sends it in the header `Authorization: Bearer <token>`.\n");
  stderr.write(mayApprove ? MAY_APPROVE_NOTE : `${NEEDS_PERMISSION_NOTE}\n`);
  return 0;
}

/** A profile may be defined later, so an unknown one is only a warning. */
function warnUnknownProfile(profile: string, known: readonly string[]): string {
  if (known.includes(profile)) return "";
  const suggestion = nearest(profile, known);
  const hint = suggestion === undefined ? "" : ` Did you mean "${suggestion}"?`;
  const effect = `Until \`plugboard profile set ${profile}\` adds it, the client gets an error.`;
  return `warning: there is no profile "${profile}".${hint} ${effect}\n`;
}
