import { ERROR_TABLE } from "@plugboard/contracts";
import type { StoredLogins } from "@plugboard/contracts";
import { unlessInterrupted } from "../interruption.ts";
import { renderError } from "../render/error.ts";
import { renderJson } from "../render/json.ts";
import { renderLogins, renderMoved } from "../render/logins.ts";
import type { Surroundings } from "../surroundings.ts";
import { withWorkspace } from "../with-workspace.ts";
import type { CommonOptions } from "../with-workspace.ts";

/** All logins that are kept, also those of servers that are not configured here. */
export function listLogins(options: CommonOptions, surroundings: Surroundings): Promise<number> {
  return withWorkspace(options, surroundings, async ({ workspace, interrupted }) => {
    const stored = await unlessInterrupted(workspace.logins.list(), interrupted);
    return showLogins(stored, options.json === true, surroundings);
  });
}

/** Where they are kept is known also if they can't be read. */
export function showLogins(
  stored: StoredLogins,
  json: boolean,
  { stdout, stderr }: Pick<Surroundings, "stdout" | "stderr">,
): number {
  stdout.write(json ? renderJson(stored) : renderLogins(stored, Date.now()));
  const { unreadable } = stored;
  if (!unreadable) return 0;
  stderr.write(renderError(unreadable, json));
  return ERROR_TABLE[unreadable.code].exit;
}

/** Keeps them elsewhere from now on. */
export function storeLogins(
  backend: "keyring" | "file",
  options: CommonOptions,
  surroundings: Surroundings,
): Promise<number> {
  return withWorkspace(options, surroundings, async ({ workspace, interrupted }) => {
    const stored = await unlessInterrupted(workspace.logins.keepIn(backend), interrupted);
    surroundings.stdout.write(options.json ? renderJson(stored) : renderMoved(stored));
    return 0;
  });
}
