/** Joins texts to a key. Different texts never make the same key, whatever characters they contain. */
export function compoundKey(...parts: readonly string[]): string {
  let key = "";
  for (const part of parts) key += `${part.length}:${part}`;
  return key;
}
