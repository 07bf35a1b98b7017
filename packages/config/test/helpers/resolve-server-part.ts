/** Resolves a definition and returns only its target or only its auth. Returns a promise if a secret is fetched. */
import { resolveServer } from "#resolve/resolve-server.js";

type ResolveArguments = Parameters<typeof resolveServer>;

export function resolveTarget(...args: ResolveArguments) {
  const resolved = resolveServer(...args);
  return resolved instanceof Promise ? resolved.then(({ target }) => target) : resolved.target;
}

export function resolveAuth(...args: ResolveArguments) {
  const resolved = resolveServer(...args);
  return resolved instanceof Promise ? resolved.then(({ auth }) => auth) : resolved.auth;
}
