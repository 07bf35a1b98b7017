/**
 * Whether a text may be shown although nobody said that it is no secret: it is
 * a few words, names or versions that a person would write, and nothing random.
 */

const MAX_LENGTH = 64;
const MAX_DIGITS = 8;
const VERSION_TAG = /:(?=v?\d|latest$|main$|stable$|next$|beta$|alpha$|edge$)/;

/** A name of a package, a file, an option, an image; with `-`, `_`, `.`, `@`, `+` and spaces between its parts. */
export function looksLikePlainWord(text: string): boolean {
  if (text.length > MAX_LENGTH || text.replace(/\D/g, "").length > MAX_DIGITS) return false;
  const parts = text
    .replace(VERSION_TAG, "-")
    .replace(/==(?=\d)/, "-")
    .split(/[-_.@+~ ]+/);
  return parts.every((part) => part === "" || isNumber(part) || isName(part));
}

function isNumber(part: string): boolean {
  return /^v?\d{1,5}$/.test(part);
}

function isName(part: string): boolean {
  // Such as k8s and e2e.
  if (/^[a-z]\d{1,2}[a-z]$/i.test(part)) return true;
  const letters = /^(\p{L}{1,24})\d{0,4}$/u.exec(part)?.[1];
  return letters !== undefined && hasConsistentCase(letters) && isPronounceable(letters);
}

/** lower, UPPER, Capitalised or camelCase; a random text has its capitals anywhere. */
function hasConsistentCase(letters: string): boolean {
  if (letters.length === 1) return true;
  if (letters === letters.toUpperCase()) return letters.length <= 14;
  const humps = letters.split(/(?=\p{Lu})/u);
  return humps.length <= 5 && humps.every((hump) => hump.length > 1);
}

/** Random letters have long runs of consonants. */
function isPronounceable(letters: string): boolean {
  return letters.length < 6 || !/[bcdfghjklmnpqrstvwxz]{5}/i.test(letters);
}
