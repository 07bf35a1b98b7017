/** Converts the arguments of a method to JSON (in a client) and back (in the daemon). */
import type { Progress } from "../workspace/workspace.ts";
import { METHODS } from "./all-methods.ts";
import type { MethodPath } from "./all-methods.ts";

/** The options of a method that can't be converted to JSON. */
export interface LocalOptions {
  readonly signal?: AbortSignal | undefined;
  readonly onProgress?: ((progress: Progress) => void) | undefined;
}

/**
 * Separates the arguments that are sent as JSON from the local options. Drops arguments that the method does not have.
 */
export function packArguments(
  path: MethodPath,
  args: readonly unknown[],
): { readonly sent: readonly unknown[]; readonly local: LocalOptions } {
  const { params, signal: takesSignal } = METHODS[path];
  const declared = params.map((_, index) => args[index]);
  if (!takesSignal) return { sent: declared, local: {} };
  const { signal, onProgress, ...jsonOptions } = (declared.at(-1) ?? {}) as LocalOptions;
  return { sent: [...declared.slice(0, -1), jsonOptions], local: { signal, onProgress } };
}

/** Checks arguments from another process and adds the local options. Throws USAGE for an invalid argument. */
export function unpackArguments(
  path: MethodPath,
  sent: readonly unknown[],
  local: LocalOptions = {},
): readonly unknown[] {
  const { params, signal, progress } = METHODS[path];
  const args = params.map((check, index) => check(sent[index], `argument ${index + 1} of "${path}"`));
  if (!signal) return args;
  const options = {
    ...(args.at(-1) as object),
    signal: local.signal,
    ...(progress && { onProgress: local.onProgress }),
  };
  return [...args.slice(0, -1), options];
}
