/**
 * Recognises the path of a file or folder. A path is not masked as a whole, because it may be a program that runs.
 * Pure.
 */

const PATH_START = /^(?:\.{0,2}|~|[a-z]:|\$\{[^}]*\})[\\/]/i;
const FILE_EXTENSION = /\.[a-z]\w{0,3}$/i;

export function looksLikePath(text: string): boolean {
  if (PATH_START.test(text)) return true;
  // A relative path such as `scripts/run.sh`, but not a URL, an assignment or a sentence.
  return /[\\/]/.test(text) && FILE_EXTENSION.test(text) && !/[\s:@=]/.test(text);
}
