/** Finds parts of a JSON text that `JSON.parse` silently changes or drops. Pure. */

/** A string, a number or a bracket. */
const TOKEN = /"(?:[^"\\]|\\.)*"|-?\d[\d.eE+-]*|[{}[\]]/g;

/** Expects valid JSON. Returns the reason as a phrase, or undefined if nothing is lost. */
export function findJsonLoss(json: string): string | undefined {
  /** The keys of each object that is open, or undefined for a list. */
  const open: (Set<string> | undefined)[] = [];
  for (const { 0: token, index } of json.matchAll(TOKEN)) {
    if (token === "{") open.push(new Set());
    else if (token === "[") open.push(undefined);
    else if (token === "}" || token === "]") open.pop();
    else if (!token.startsWith('"')) {
      const loss = findNumberLoss(token);
      if (loss !== undefined) return loss;
    } else if (/^\s*:/.test(json.slice(index + token.length, index + token.length + MAX_SPACE))) {
      const keys = open.at(-1);
      const key = JSON.parse(token) as string;
      if (keys?.has(key)) return `the key ${token} occurs twice`;
      keys?.add(key);
    }
  }
  return undefined;
}

/** The number of characters after a string in which its colon is looked for. */
const MAX_SPACE = 1000;

/** Returns the reason if the number can't be sent exactly. Fractions are rounded as in every JSON program. */
export function findNumberLoss(number: string): string | undefined {
  const value = Number(number);
  const isInteger = /^-?\d+$/.test(number);
  const isSame = () => String(value) === number || BigInt(number) === BigInt(value);
  const isExact = Number.isFinite(value) && (!isInteger || isSame());
  return isExact ? undefined : `the number ${number} is too large to be sent exactly`;
}
