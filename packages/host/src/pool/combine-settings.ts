/**
 * Combines the settings of all workspaces that share a connection, so that the last opened workspace does not decide
 * for the others. The table of the config keys has the rule for each setting (`COMBINED_KEYS`).
 */
import type { CombineRule } from "@plugboard/contracts";
import { COMBINED_KEYS } from "@plugboard/config";
import type { ConnectionSettings } from "@plugboard/mcp";

/** Returns undefined without settings. */
export function combineSettings(all: readonly ConnectionSettings[]): ConnectionSettings | undefined {
  const last = all.at(-1);
  if (!last || all.length === 1) return last;
  const combined = [...COMBINED_KEYS].map(([key, rule]) => {
    const values = all.map((settings) => settings[key as keyof ConnectionSettings]);
    return [key, combine(values, rule)] as const;
  });
  return { ...last, ...(Object.fromEntries(combined) as Partial<ConnectionSettings>) };
}

type Value = ConnectionSettings[keyof ConnectionSettings];

function combine(values: readonly Value[], rule: CombineRule): Value {
  // `wins` names a value that applies if one workspace has it. Otherwise the longest time applies. 0 means never.
  if ("wins" in rule) return values.find((value) => value === rule.wins) ?? values.at(-1);
  const times = values.map((value) => value ?? rule.absent).filter((value) => typeof value === "number");
  if (times.length === 0) return undefined;
  return times.includes(0) ? 0 : Math.max(...times);
}
