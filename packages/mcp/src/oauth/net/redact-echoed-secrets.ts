/**
 * Takes what we sent in confidence out of what was said about it, also where
 * only a part was quoted: any eight characters in a row are covered.
 */
const REDACTED = "***";
const FRAGMENT_LENGTH = 8;
/** Shorter than that it says nothing, and would be found everywhere. */
const MIN_SECRET_LENGTH = 4;

export function redactEchoedSecrets(text: string, secrets: readonly string[]): string {
  const all = [...new Set(secrets.flatMap((secret) => [secret, encodeURIComponent(secret)]))]
    .filter((secret) => secret.length >= MIN_SECRET_LENGTH)
    // One may be a part of another.
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
