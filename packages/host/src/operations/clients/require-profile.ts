/** Checks that the profile exists that a client is to be connected with. */
import { HostError, nearest } from "@plugboard/contracts";
import { inspectConfig } from "@plugboard/config/edit";
import type { OperationsPlace } from "../operations-context.ts";

/** Throws USAGE for an undefined profile, with a suggestion. A profile with an invalid definition counts as defined. */
export async function requireProfile(profile: string | undefined, place: OperationsPlace): Promise<void> {
  if (profile === undefined) return;
  const known = (await inspectConfig(place)).flatMap(({ layer }) => [...(layer?.profiles.keys() ?? [])]);
  if (known.includes(profile)) return;
  const suggestion = nearest(profile, known);
  const message = `there is no profile "${profile}"`;
  if (suggestion !== undefined) throw new HostError("USAGE", { message, suggestion, omitHelp: true });
  const advice = `\`plugboard profile list\` shows the profiles, and \`plugboard profile set ${profile}\` adds one`;
  throw new HostError("USAGE", { message: `${message}. ${advice}`, omitHelp: true });
}
