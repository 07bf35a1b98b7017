/** Recognises a secret in a command line by its own form. Pure. */
import { isHarmlessWord } from "./harmless-word.ts";

const KNOWN_PREFIX =
  /^(?:[spr]k[-_]|gh[pousr]_|github_pat_|glpat-|xox[a-z]-|xapp-|AKIA|ASIA|AIza|ya29\.|eyJ|npm_|hf_|pypi-|SG\.|shp(?:at|ss|ca|pa)_|dop_v1_|lin_api_|ntn_|secret_|whsec_)/;
const LONGEST = 64;
const MOST_DIGITS = 11;
const RANDOM_IN_ARGUMENT = 12;
const RANDOM_IN_CODE = 16;

/** Matches a known kind of token or a long random string, in an argument or a part of a path. */
export function looksLikeSecret(word: string): boolean {
  if (hasKnownPrefix(word) || word.length > LONGEST || word.replace(/\D/g, "").length > MOST_DIGITS) return true;
  return runsOf(word).some((run) => run.length >= RANDOM_IN_ARGUMENT && !isHarmlessWord(run));
}

/** Does the same within code, where odd names are common. Treats a string as random only if it also has digits. */
export function looksLikeSecretInCode(word: string): boolean {
  if (hasKnownPrefix(word)) return true;
  return runsOf(word).some((run) => run.length >= RANDOM_IN_CODE && /\d/.test(run) && !isHarmlessWord(run));
}

function hasKnownPrefix(word: string): boolean {
  return KNOWN_PREFIX.test(word) && !isHarmlessWord(word);
}

function runsOf(word: string): string[] {
  return word.split(/[^\p{L}\p{N}]+/u);
}
