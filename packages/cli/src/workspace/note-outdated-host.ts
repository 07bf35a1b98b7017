/** Notes that the running host was started before the command was upgraded. */
import type { RemoteHost } from "@plugboard/remote";
import type { CliContext } from "../terminal/cli-context.ts";
import { readBuildId } from "./build-id.ts";

/** A host of another version is an error. A host of another build of this version works, so a note is enough. */
export function noteOutdatedHost({ build }: Pick<RemoteHost, "build">, { stderr }: Pick<CliContext, "stderr">): void {
  if (isOutdated(build)) stderr.write(OUTDATED_NOTE);
}

/** Returns false if one of the builds is unknown. */
export function isOutdated(build: string | undefined): boolean {
  if (build === undefined) return false;
  const own = readBuildId();
  return own !== undefined && own !== build;
}

export const OUTDATED_NOTE =
  "The running host was started before the last upgrade and still runs the old code. Run `plugboard restart`.\n";
