/** Resolves only the target, or only the credentials, of a definition. Returns a promise if a secret is fetched. */
import { resolveServer } from "#config/resolve/resolve-server.js";

type ResolveArguments = Parameters<typeof resolveServer>;

export function resolveTarget(...given: ResolveArguments) {
  const resolved = resolveServer(...given);
  return resolved instanceof Promise ? resolved.then(({ target }) => target) : resolved.target;
}

export function resolveAuth(...given: ResolveArguments) {
  const resolved = resolveServer(...given);
  return resolved instanceof Promise ? resolved.then(({ auth }) => auth) : resolved.auth;
}
