/** Decides whether a text looks like words, names or versions that a person wrote, and not like a random secret. */

const MAX_LENGTH = 64;
const MAX_DIGITS = 8;
/** The colon before the tag of a container image, such as `:latest`. */
const VERSION_TAG = /:(?=v?\d|latest$|main$|stable$|next$|beta$|alpha$|edge$)/;

/** Accepts names of packages, files, options and container images. Spaces and `-_.@+~` separate their parts. */
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
  // Accepts k8s and e2e.
  if (/^[a-z]\d{1,2}[a-z]$/i.test(part)) return true;
  const pattern = isAscii(part) ? /^([A-Za-z]{1,24})\d{0,4}$/ : /^(\p{L}{1,24})\d{0,4}$/u;
  const letters = pattern.exec(part)?.[1];
  return letters !== undefined && hasConsistentCase(letters) && isPronounceable(letters);
}

/** Returns true for lower, UPPER, Capitalised or camelCase letters. Random text has capitals anywhere. */
function hasConsistentCase(letters: string): boolean {
  if (letters.length === 1) return true;
  if (letters === letters.toUpperCase()) return letters.length <= 14;
  const humps = letters.split(isAscii(letters) ? /(?=[A-Z])/ : /(?=\p{Lu})/u);
  return humps.length <= 5 && humps.every((hump) => hump.length > 1);
}

/** Returns false for a long run of consonants, which random letters often contain. */
function isPronounceable(letters: string): boolean {
  return letters.length < 6 || !/[bcdfghjklmnpqrstvwxz]{5}/i.test(letters);
}

/**
 * Used to choose a pattern. A pattern for ASCII compiles faster than one for all letters, and the difference is
 * noticeable in short commands.
 */
export function isAscii(text: string): boolean {
  return /^[\0-\x7f]*$/.test(text);
}
