/** Quotes a word for a POSIX shell if necessary. Line breaks and other quotes stay inside single quotes. */
export function quoteShellWord(word: string, plain: RegExp = PLAIN): string {
  return plain.test(word) ? word : `'${word.replaceAll("'", String.raw`'\''`)}'`;
}

const PLAIN = /^[\w@%+=:,./-]+$/;
