/** Quotes a word for a POSIX shell, unless it matches `plain`. Line breaks and other quotes stay as they are. */
export function quoteShellWord(word: string, plain: RegExp = PLAIN): string {
  return plain.test(word) ? word : `'${word.replaceAll("'", String.raw`'\''`)}'`;
}

const PLAIN = /^[\w@%+=:,./-]+$/;
