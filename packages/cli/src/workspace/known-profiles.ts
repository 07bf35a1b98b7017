/** Checks the name of a profile against those that are defined. It may be a typing error. */
import { HostError, nearest } from "@plugboard/contracts";
import type { CliContext } from "../terminal/cli-context.ts";
import { withOperations } from "./with-operations.ts";

/** Throws USAGE for a profile that is not defined. */
export async function requireProfile(profile: string, cli: CliContext): Promise<void> {
  const known = await knownProfiles(cli);
  if (!known.includes(profile)) throw unknownProfile(profile, known);
}

/** A profile may be defined later, so an unknown one is only a warning. */
export async function warnUnknownProfile(profile: string, cli: CliContext): Promise<void> {
  const known = await knownProfiles(cli);
  if (known.includes(profile)) return;
  const suggestion = nearest(profile, known);
  const hint = suggestion === undefined ? "" : ` Did you mean "${suggestion}"?`;
  const effect = `Until \`plugboard profile set ${profile}\` adds it, the client gets an error.`;
  cli.stderr.write(`warning: there is no profile "${profile}".${hint} ${effect}\n`);
}

function unknownProfile(profile: string, known: readonly string[]): HostError {
  const suggestion = nearest(profile, known);
  const message = `there is no profile "${profile}"`;
  if (suggestion !== undefined) return new HostError("USAGE", { message, suggestion, omitHelp: true });
  const advice = `\`plugboard profile list\` shows the profiles, and \`plugboard profile set ${profile}\` adds one`;
  return new HostError("USAGE", { message: `${message}. ${advice}`, omitHelp: true });
}

async function knownProfiles(cli: CliContext): Promise<readonly string[]> {
  return (await withOperations(cli, (operations) => operations.profiles())).map(({ name }) => name);
}
