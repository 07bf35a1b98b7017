/** One half of what a definition is resolved to, at once if it can be had at once. */
import { resolveServer } from "#config/resolve-target.js";

type Given = Parameters<typeof resolveServer>;

export function resolveTarget(...given: Given) {
  const resolved = resolveServer(...given);
  return resolved instanceof Promise ? resolved.then(({ target }) => target) : resolved.target;
}

export function resolveAuth(...given: Given) {
  const resolved = resolveServer(...given);
  return resolved instanceof Promise ? resolved.then(({ auth }) => auth) : resolved.auth;
}
