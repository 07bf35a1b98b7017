/** Checks the name of a profile that a client gets. The name may contain a typo. */
import { HostError, nearest } from "@plugboard/contracts";
import { inspectConfig } from "@plugboard/config/edit";
import type { OperationsPlace } from "../operations-context.ts";

/** Throws USAGE for a profile that is not defined. An invalid definition counts, because the user can correct it. */
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
