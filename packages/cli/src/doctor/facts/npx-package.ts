/** Finds the package that a command runs with npx. Pure. */
import { programName } from "@plugboard/contracts";

export interface NpxPackage {
  readonly name: string;
  /** Set for an exact version. */
  readonly version?: string;
}

/** The options of npx that have no value. */
const FLAGS = new Set(["-y", "--yes", "-q", "--quiet", "--no", "--no-install", "--prefer-offline", "--offline"]);
/** A package with an optional scope and version, such as `@scope/name@1.2.3`. */
const PACKAGE = /^(@[a-z0-9~][a-z0-9._~-]*\/[a-z0-9._~-]+|[a-z0-9~][a-z0-9._~-]*)(?:@([\w.+-]+))?$/i;
const EXACT_VERSION = /^\d+\.\d+\.\d+/;

/** Returns undefined if the command is not npx, or if an unknown option comes before the package. */
export function npxPackage(command: string, args: readonly string[]): NpxPackage | undefined {
  if (programName(command) !== "npx") return undefined;
  for (const [index, arg] of args.entries()) {
    if (FLAGS.has(arg)) continue;
    const [, inline] = /^--package=(.+)$/.exec(arg) ?? [];
    const spec = arg === "-p" || arg === "--package" ? args[index + 1] : (inline ?? arg);
    const [, name, version = ""] = PACKAGE.exec(spec ?? "") ?? [];
    if (name === undefined) return undefined;
    return { name, ...(EXACT_VERSION.test(version) && { version }) };
  }
  return undefined;
}
