/** Longer words are cut, and still match by prefix. */
const MAX_TOKEN_LENGTH = 40;
/** Matches the most common words, which need no splitting. */
const SINGLE_TOKEN = /^[a-z0-9]+$/;

/** Splits a text into lower-case words. `readFile`, `read_file` and `read-file` become `read`, `file` and `readfile`. */
export function tokenize(text: string): string[] {
  return (text.match(/[\p{L}\p{M}\p{N}_-]+/gu) ?? []).flatMap((run) => {
    if (SINGLE_TOKEN.test(run)) return run.slice(0, MAX_TOKEN_LENGTH);
    const parts = run.split(/[_-]+|(?<=[\p{Ll}\p{N}])(?=\p{Lu})|(?<=\p{Lu})(?=\p{Lu}\p{Ll})/u).filter(Boolean);
    const words = parts.length > 1 ? [...parts, parts.join("")] : parts;
    return words.map((word) => word.toLowerCase().slice(0, MAX_TOKEN_LENGTH));
  });
}
