/**
 * Removes secrets that we sent from text that a server returned. Also removes parts of a secret that have eight or more
 * characters.
 */
const REDACTED = "***";
const FRAGMENT_LENGTH = 8;
/** A shorter secret would match everywhere. */
const MIN_SECRET_LENGTH = 4;

export function redactEchoedSecrets(text: string, secrets: readonly string[]): string {
  const forms = [...new Set(secrets.flatMap((secret) => [secret, encodeURIComponent(secret)]))]
    .filter((secret) => secret.length >= MIN_SECRET_LENGTH)
    // Longer secrets first, because one may contain another.
    .toSorted((a, b) => b.length - a.length);
  const redacted = forms.reduce((rest, secret) => rest.replaceAll(secret, REDACTED), text);
  return forms.some((secret) => secret.length >= FRAGMENT_LENGTH) ? redactFragments(redacted, forms) : redacted;
}

function redactFragments(text: string, secrets: readonly string[]): string {
  const fragments = new Set(
    secrets.flatMap((secret) =>
      Array.from({ length: secret.length }, (_, index) => secret.slice(index, index + FRAGMENT_LENGTH)),
    ),
  );
  const isFragment = (index: number) =>
    index + FRAGMENT_LENGTH <= text.length && fragments.has(text.slice(index, index + FRAGMENT_LENGTH));
  let redacted = "";
  for (let index = 0; index < text.length; index++) {
    if (!isFragment(index)) {
      redacted += text[index];
      continue;
    }
    // Overlapping fragments are parts of one longer quote.
    while (isFragment(index + 1)) index += 1;
    index += FRAGMENT_LENGTH - 1;
    redacted += REDACTED;
  }
  return redacted;
}
