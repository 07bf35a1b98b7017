/** Recognises the digest of an image or the commit of a repository. They look random but are not secret. Pure. */

const PINNED_VERSION = /^(.*[^@])(@(?:sha256:[0-9a-f]{64}|[0-9a-f]{40}))$/s;

/** Splits `name@sha256:…` or `name@commit` into the name and the digest. Without a digest, the second part is empty. */
export function splitDigest(text: string): readonly [name: string, digest: string] {
  const [, name = text, digest = ""] = PINNED_VERSION.exec(text) ?? [];
  return [name, digest];
}
