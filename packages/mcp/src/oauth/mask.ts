/**
 * Takes what we sent in confidence out of what was said about it, also where
 * only a part was quoted: any eight characters in a row are covered.
 */
const MASK = "***";
const RUN = 8;
/** Shorter than that it says nothing, and would be found everywhere. */
const SHORTEST = 4;

export function mask(said: string, secrets: readonly string[]): string {
  const all = [...new Set(secrets.flatMap((secret) => [secret, encodeURIComponent(secret)]))]
    .filter((secret) => secret.length >= SHORTEST)
    // One may be a part of another.
    .toSorted((a, b) => b.length - a.length);
  const whole = all.reduce((left, secret) => left.replaceAll(secret, MASK), said);
  return all.some((secret) => secret.length >= RUN) ? coverRuns(whole, all) : whole;
}

function coverRuns(said: string, secrets: readonly string[]): string {
  const runs = new Set(
    secrets.flatMap((secret) => Array.from({ length: secret.length }, (_, at) => secret.slice(at, at + RUN))),
  );
  const isRun = (at: number) => at + RUN <= said.length && runs.has(said.slice(at, at + RUN));
  let shown = "";
  for (let at = 0; at < said.length; at++) {
    if (!isRun(at)) {
      shown += said[at];
      continue;
    }
    while (isRun(at + 1)) at += 1;
    at += RUN - 1;
    shown += MASK;
  }
  return shown;
}
