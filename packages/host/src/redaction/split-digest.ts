/** Recognises a pinned version: an image digest or a commit after a name. It is not secret, and tells which version runs. Pure. */

const PINNED_VERSION = /^(.*[^@])(@(?:sha256:[0-9a-f]{64}|[0-9a-f]{40}))$/s;

/** Splits `name@sha256:…` or `name@commit` into the name and the rest; without a digest the rest is empty. */
export function splitDigest(text: string): readonly [name: string, digest: string] {
  const [, name = text, digest = ""] = PINNED_VERSION.exec(text) ?? [];
  return [name, digest];
}
