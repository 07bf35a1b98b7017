/**
 * Creates config files and their folders. A project's file is for all users of the project, the others only for their
 * owner.
 */
import { stat } from "node:fs/promises";
import { dirname } from "node:path";
import type { ConfigSource } from "@plugboard/contracts";
import { ioErrorCode, realPathOrSelf, unwritableError, makeFolder, writeAtomically } from "@plugboard/store";
import { EMPTY_CONFIG } from "./apply-change.ts";
import { rejectLinkOutOfProject } from "./reject-link-out-of-project.ts";

/** Creates a file without servers, for an editor to open, unless it exists. Throws for a link out of a project. */
export async function createConfigFile(file: string, source: ConfigSource): Promise<void> {
  const realPath = await realPathOrSelf(file);
  await rejectLinkOutOfProject(file, realPath, source);
  try {
    await stat(realPath);
  } catch (error) {
    if (ioErrorCode(error) !== "ENOENT") throw unwritableError(file, error);
    await makeConfigFolder(realPath, source);
    await writeAtomically(realPath, EMPTY_CONFIG, { mode: newFileMode(source) });
  }
}

/** Creates the folder of the file. Throws STORE_UNWRITABLE. */
export async function makeConfigFolder(file: string, source: ConfigSource): Promise<void> {
  try {
    await makeFolder(dirname(file), source === "project" ? 0o777 : 0o700);
  } catch (error) {
    throw unwritableError(file, error);
  }
}

/** Returns the mode of a new file before the umask applies. */
export function newFileMode(source: ConfigSource): number {
  return source === "project" ? 0o666 : 0o600;
}
