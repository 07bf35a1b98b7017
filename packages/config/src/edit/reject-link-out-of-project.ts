/**
 * Rejects a project's file that is a link out of the project. A project could contain a link to the user's own config,
 * where a server needs no approval.
 */
import { HostError } from "@plugboard/contracts";
import type { ConfigSource } from "@plugboard/contracts";
import { isInsideFolder, realPathOrSelf } from "@plugboard/store";
import { isProjectSource } from "../definition/project-limits.ts";
import { projectFolderOf } from "../files/find-project.ts";

/**
 * Throws CONFIG_INVALID, with the real path. Expects the path that will be written: a link that is resolved again may
 * lead elsewhere by then.
 */
export async function rejectLinkOutOfProject(file: string, realPath: string, source: ConfigSource): Promise<void> {
  if (!isProjectSource(source)) return;
  if (isInsideFolder(await realPathOrSelf(projectFolderOf(file)), realPath)) return;
  const reason = `it is a link to ${realPath}, outside of the project's folder. Remove the link, or edit that file`;
  throw new HostError("CONFIG_INVALID", { file, reason });
}

/** Throws CONFIG_INVALID if the file or one of its folders was replaced by a link after the path was resolved. */
export async function rejectReplacedByLink(realPath: string): Promise<void> {
  const current = await realPathOrSelf(realPath);
  if (current === realPath) return;
  const reason = `it has become a link to ${current} while it was edited. Remove the link, and try again`;
  throw new HostError("CONFIG_INVALID", { file: realPath, reason });
}
