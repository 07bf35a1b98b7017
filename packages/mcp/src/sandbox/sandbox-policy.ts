/** Makes the policy of a sandbox from the `sandbox` key of a definition. Pure. */
import { join, resolve } from "node:path";
import type { SandboxPolicy, SandboxSetting } from "@plugboard/contracts";

interface PolicyContext {
  /** The folder of the workspace. Relative paths start here. */
  readonly workspace: string;
  /** `~` in paths. */
  readonly home: string;
  readonly hide?: readonly string[];
  readonly cache?: string;
}

export function sandboxPolicy(setting: SandboxSetting, { workspace, home, hide, cache }: PolicyContext): SandboxPolicy {
  const { read = [], write = [], network = true } = expandPreset(setting, workspace);
  const absolute = (path: string) =>
    path === "~" || path.startsWith("~/") ? join(home, path.slice(1)) : resolve(workspace, path);
  return {
    read: read.map(absolute),
    write: write.map(absolute),
    network,
    ...(hide && { hide }),
    ...(cache !== undefined && { cache }),
  };
}

function expandPreset(setting: SandboxSetting, workspace: string): Exclude<SandboxSetting, true | string> {
  switch (setting) {
    case true:
      return {};
    case "read-only":
      return { read: [workspace] };
    case "offline":
      return { network: false };
    case "project":
      return { write: [workspace] };
    default:
      return setting;
  }
}
