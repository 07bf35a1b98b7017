/** Nobody searches for longer ones; cut, they still begin alike. */
const MAX_TOKEN_LENGTH = 40;
/** Most are so, and need no cutting up. */
const SINGLE_TOKEN = /^[a-z0-9]+$/;

/**
 * The words of a text, in lower case: `readFile`, `read_file` and `read-file`
 * are `read`, `file` and, for those who write it in one, `readfile`.
 */
export function tokenize(text: string): string[] {
  return (text.match(/[\p{L}\p{M}\p{N}_-]+/gu) ?? []).flatMap((run) => {
    if (SINGLE_TOKEN.test(run)) return run.slice(0, MAX_TOKEN_LENGTH);
    const parts = run.split(/[_-]+|(?<=[\p{Ll}\p{N}])(?=\p{Lu})|(?<=\p{Lu})(?=\p{Lu}\p{Ll})/u).filter(Boolean);
    const words = parts.length > 1 ? [...parts, parts.join("")] : parts;
    return words.map((word) => word.toLowerCase().slice(0, MAX_TOKEN_LENGTH));
  });
}
