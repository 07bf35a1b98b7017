/**
 * Removes secrets that we sent from text that a server returned. Also removes partial quotes of eight or more
 * characters.
 */
const REDACTED = "***";
const FRAGMENT_LENGTH = 8;
/** A shorter secret would match everywhere. */
const MIN_SECRET_LENGTH = 4;

export function redactEchoedSecrets(text: string, secrets: readonly string[]): string {
  const all = [...new Set(secrets.flatMap((secret) => [secret, encodeURIComponent(secret)]))]
    .filter((secret) => secret.length >= MIN_SECRET_LENGTH)
    // Longer secrets first, because one may contain another.
    .toSorted((a, b) => b.length - a.length);
  const whole = all.reduce((left, secret) => left.replaceAll(secret, REDACTED), text);
  return all.some((secret) => secret.length >= FRAGMENT_LENGTH) ? redactFragments(whole, all) : whole;
}

function redactFragments(text: string, secrets: readonly string[]): string {
  const fragments = new Set(
    secrets.flatMap((secret) =>
      Array.from({ length: secret.length }, (_, at) => secret.slice(at, at + FRAGMENT_LENGTH)),
    ),
  );
  const isFragment = (at: number) =>
    at + FRAGMENT_LENGTH <= text.length && fragments.has(text.slice(at, at + FRAGMENT_LENGTH));
  let redacted = "";
  for (let at = 0; at < text.length; at++) {
    if (!isFragment(at)) {
      redacted += text[at];
      continue;
    }
    while (isFragment(at + 1)) at += 1;
    at += FRAGMENT_LENGTH - 1;
    redacted += REDACTED;
  }
  return redacted;
}
