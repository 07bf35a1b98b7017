/**
 * Rejects a project's file that is a link out of the project. A project could contain a link to the user's own config,
 * where a server needs no approval.
 */
import { HostError } from "@plugboard/contracts";
import type { ConfigSource } from "@plugboard/contracts";
import { isInsideFolder, realPathOrSelf } from "@plugboard/store";
import { isProjectSource } from "../definition/project-limits.ts";
import { projectFolderOf } from "../files/find-project.ts";

/** Throws CONFIG_INVALID, with the real path. */
export async function rejectLinkOutOfProject(file: string, source: ConfigSource): Promise<void> {
  if (!isProjectSource(source)) return;
  const [folder, realPath] = await Promise.all([realPathOrSelf(projectFolderOf(file)), realPathOrSelf(file)]);
  if (isInsideFolder(folder, realPath)) return;
  const reason = `it is a link to ${realPath}, outside of the project's folder. Remove the link, or edit that file`;
  throw new HostError("CONFIG_INVALID", { file, reason });
}
