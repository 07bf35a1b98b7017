/** The `sandbox` key of a server: its presets, and how front ends describe what it allows. */
import type { SandboxPolicy, SandboxSetting } from "./server-target.ts";

/** The paths and hosts that a sandbox allows, such as in a status. Paths are absolute. */
export type SandboxAccess = Pick<SandboxPolicy, "read" | "write" | "network">;

/** What each preset stands for. `workspace` means the folder of the workspace. */
export const SANDBOX_PRESETS = {
  "read-only": { workspace: "read", network: true },
  offline: { workspace: "none", network: false },
  project: { workspace: "write", network: true },
} as const satisfies {
  readonly [Preset in Extract<SandboxSetting, string>]: {
    readonly workspace: "none" | "read" | "write";
    readonly network: boolean;
  };
};

/** The values of `sandbox` that are a single word, for flags and forms. */
export const SANDBOX_WORDS = ["true", ...Object.keys(SANDBOX_PRESETS), "false"] as const;

/** Converts a word of `SANDBOX_WORDS`. */
export function parseSandboxWord(word: string): SandboxSetting | false {
  return word === "true" || word === "false" ? word === "true" : (word as Extract<SandboxSetting, string>);
}

/** Says in one line what a sandbox allows: "may write to /home/ann/notes; may reach example.com". */
export function describeSandbox({ read, write, network }: SandboxAccess): string {
  return [
    ...(write.length > 0 ? [`may write to ${write.join(", ")}`] : []),
    ...(read.length > 0 ? [`may read ${read.join(", ")}`] : []),
    ...(write.length + read.length === 0 ? ["sees none of your files"] : []),
    `may reach ${describeNetwork(network)}`,
  ].join("; ");
}

/** Says what a server that waits for approval could do. `sandbox` is absent if it has none. */
export function describeSandboxToApprove(sandbox: SandboxAccess | undefined): string {
  return sandbox
    ? `It would run in a sandbox: it ${describeSandbox(sandbox)}.`
    : "It would run without a sandbox: it could read and change all your files, and reach every host.";
}

function describeNetwork(network: SandboxAccess["network"]): string {
  if (typeof network === "boolean") return network ? "every host except this machine" : "no host";
  return network.length === 0 ? "no host" : `only ${network.join(", ")}`;
}
