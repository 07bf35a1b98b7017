/** Converts the arguments of a workspace method to JSON (in a client) and back (in the daemon). */
import type { Progress } from "../protocol/progress.ts";
import { WORKSPACE_METHODS } from "./workspace-methods.ts";
import type { MethodSpec, WorkspaceMethodPath } from "./workspace-methods.ts";

/** The options of a method that can't be converted to JSON. */
export interface LocalOptions {
  readonly signal?: AbortSignal | undefined;
  readonly onProgress?: ((progress: Progress) => void) | undefined;
}

/** Separates the JSON arguments from the local options. */
export function packArguments(
  path: WorkspaceMethodPath,
  args: readonly unknown[],
): { readonly sent: readonly unknown[]; readonly local: LocalOptions } {
  const { params, signal: takesSignal }: MethodSpec = WORKSPACE_METHODS[path];
  const given = params.map((_, at) => args[at]);
  if (!takesSignal) return { sent: given, local: {} };
  const { signal, onProgress, ...sent } = (given.at(-1) ?? {}) as LocalOptions;
  return { sent: [...given.slice(0, -1), sent], local: { signal, onProgress } };
}

/** Checks arguments from another process and adds the local options. Throws USAGE for an invalid argument. */
export function unpackArguments(
  path: WorkspaceMethodPath,
  sent: readonly unknown[],
  local: LocalOptions = {},
): readonly unknown[] {
  const { params, signal, progress }: MethodSpec = WORKSPACE_METHODS[path];
  const args = params.map((check, at) => check(sent[at], `argument ${at + 1} of "${path}"`));
  if (!signal) return args;
  const options = {
    ...(args.at(-1) as object),
    signal: local.signal,
    ...(progress && { onProgress: local.onProgress }),
  };
  return [...args.slice(0, -1), options];
}
