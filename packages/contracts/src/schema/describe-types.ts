/** Joins types to a phrase such as `a string, a number or null`. */
export function describeTypes(types: readonly string[]): string {
  const phrases = types.map(withArticle);
  return phrases.length < 2 ? phrases.join() : `${phrases.slice(0, -1).join(", ")} or ${phrases.at(-1)}`;
}

function withArticle(type: string): string {
  return TYPE_PHRASES.get(type) ?? type;
}

const TYPE_PHRASES = new Map([
  ["string", "a string"],
  ["number", "a number"],
  ["integer", "a whole number"],
  ["boolean", "a boolean"],
  ["array", "a list"],
  ["object", "an object"],
]);
