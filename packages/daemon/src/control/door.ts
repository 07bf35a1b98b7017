/**
 * The ways into the control API. Each door lists the caller kinds that its clients can have. The kind determines the
 * rights.
 */
import { resolve } from "node:path";
import { requireConditionalRights, requireRight, specRights } from "@plugboard/contracts";
import type { Caller, CallerKind, WorkspaceSpec } from "@plugboard/contracts";

export interface Door {
  /** The kinds of callers that a client can choose from. */
  readonly kinds: readonly CallerKind[];
  /** The workspace that the port serves. Clients without the right to open other folders get only this one. */
  readonly served?: WorkspaceSpec;
}

/** Only programs of the user can open the socket. */
export const SOCKET_DOOR: Door = { kinds: ["program", "cli", "chat"] };

/**
 * Returns the two doors of the port: `token` for a program with the owner's token, which may be stolen, and `page` for
 * the signed-in page.
 */
export function portDoors(served: WorkspaceSpec): { readonly token: Door; readonly page: Door } {
  return { token: { kinds: ["api"], served }, page: { kinds: ["page"], served } };
}

/** Throws FORBIDDEN if the spec has a field that the caller may not set. The spec has not been parsed yet. */
export function checkSpecRights(caller: Caller, spec: unknown): void {
  requireConditionalRights(caller, specRights(0), [spec]);
}

/**
 * Returns the folder to open. Throws FORBIDDEN if the caller may not open it: outside the served folder, a client could
 * have written config files that run its own commands. For the served folder, returns its path as it is served: another
 * path that looks equal, such as `link/..`, may lead to another folder.
 */
export function checkFolder(caller: Caller, cwd: string, { served }: Door): string {
  if (served && resolve(cwd) === resolve(served.cwd)) return served.cwd;
  if (served) requireRight(caller, "open_folders");
  return cwd;
}
