/** Lists the ways to run one server of a registry: one choice for each of its remotes and packages. Pure. */
import type { UnsupportedRegistryChoice } from "@plugboard/contracts";
import { packageChoice } from "./package-choice.ts";
import type { RegistryServer } from "./registry-server.ts";
import { remoteChoice } from "./remote-choice.ts";
import type { ServerChoice, SupportedChoice } from "./server-choice.ts";

/** Returns remotes before packages, because they install nothing. */
export function toChoices({ remotes, packages }: Pick<RegistryServer, "remotes" | "packages">): ServerChoice[] {
  return withUniqueLabels([
    ...remotes.map((remote) => ("invalid" in remote ? invalidChoice("URL", remote.invalid) : remoteChoice(remote))),
    ...packages.map((part) => ("invalid" in part ? invalidChoice("package", part.invalid) : packageChoice(part))),
  ]);
}

/** Adds a number to a label that an earlier choice has, because a choice is identified by its label. */
function withUniqueLabels(choices: readonly ServerChoice[]): ServerChoice[] {
  const counts = new Map<string, number>();
  return choices.map((choice) => {
    const count = (counts.get(choice.label) ?? 0) + 1;
    counts.set(choice.label, count);
    return count === 1 ? choice : { ...choice, label: `${choice.label} (${count})` };
  });
}

export function isSupported(choice: ServerChoice): choice is SupportedChoice {
  return "template" in choice;
}

function invalidChoice(label: string, problem: string): UnsupportedRegistryChoice {
  return { label, unsupported: `its description is invalid: ${problem}` };
}
