import { unlessInterrupted } from "../interruption.ts";
import { renderJson } from "../render/json.ts";
import { renderKept, renderLogins } from "../render/logins.ts";
import type { Surroundings } from "../surroundings.ts";
import { withWorkspace } from "../with-workspace.ts";
import type { CommonOptions } from "../with-workspace.ts";

/** All logins that are kept, also those of servers that are not configured here. */
export function listLogins(options: CommonOptions, surroundings: Surroundings): Promise<number> {
  return withWorkspace(options, surroundings, async ({ workspace, interrupted }) => {
    const stored = await unlessInterrupted(workspace.logins.list(), interrupted);
    surroundings.stdout.write(options.json ? renderJson(stored) : renderLogins(stored, Date.now()));
    return 0;
  });
}

/** Keeps them elsewhere from now on. */
export function storeLogins(
  backend: "keyring" | "file",
  options: CommonOptions,
  surroundings: Surroundings,
): Promise<number> {
  return withWorkspace(options, surroundings, async ({ workspace, interrupted }) => {
    const stored = await unlessInterrupted(workspace.logins.keepIn(backend), interrupted);
    surroundings.stdout.write(options.json ? renderJson(stored) : `${renderKept(stored)}\n`);
    return 0;
  });
}
