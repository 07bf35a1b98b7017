/** Returns true for a word that is a URL, and false for a command. */
export function isUrl(word: string): boolean {
  return /^[a-z][a-z0-9+.-]*:\/\//i.test(word);
}
