/** Recognises a secret in a command line by its form, such as a known prefix or random characters. Pure. */
import { isAscii, looksLikePlainWord } from "../lib/looks-like-plain-word.ts";

const KNOWN_PREFIX =
  /^(?:[spr]k[-_]|gh[pousr]_|github_pat_|glpat-|xox[a-z]-|xapp-|AKIA|ASIA|AIza|ya29\.|eyJ|npm_|hf_|pypi-|SG\.|shp(?:at|ss|ca|pa)_|dop_v1_|lin_api_|ntn_|secret_|whsec_)/;
/** A longer argument, or one with more digits, counts as a secret. */
const MAX_WORD_LENGTH = 64;
const MAX_DIGITS = 11;
const MIN_RANDOM_CHARS_IN_ARGUMENT = 12;
const MIN_RANDOM_CHARS_IN_CODE = 16;

/** Returns true for a known kind of token or a long random string in an argument or path. */
export function looksLikeSecret(word: string): boolean {
  if (isKnownToken(word) || word.length > MAX_WORD_LENGTH || word.replace(/\D/g, "").length > MAX_DIGITS) return true;
  return alphanumericRuns(word).some((run) => run.length >= MIN_RANDOM_CHARS_IN_ARGUMENT && !looksLikePlainWord(run));
}

/**
 * Recognises fewer words than `looksLikeSecret`, because code has unusual names. Random strings must contain a digit.
 */
export function looksLikeSecretInCode(word: string): boolean {
  if (isKnownToken(word)) return true;
  return alphanumericRuns(word).some(
    (run) => run.length >= MIN_RANDOM_CHARS_IN_CODE && /\d/.test(run) && !looksLikePlainWord(run),
  );
}

/** Returns true for a token whose beginning names its kind, such as `ghp_…`. */
export function isKnownToken(word: string): boolean {
  return KNOWN_PREFIX.test(word) && !looksLikePlainWord(word);
}

function alphanumericRuns(word: string): string[] {
  return word.split(isAscii(word) ? /[^A-Za-z0-9]+/ : /[^\p{L}\p{N}]+/u);
}
