/** How deep a valid JSON text is nested, told without a stack that could overflow. */
const QUOTE = 0x22;
const BACKSLASH = 0x5c;
const OPEN_BRACKET = 0x5b;
const CLOSE_BRACKET = 0x5d;
const OPEN_BRACE = 0x7b;
const CLOSE_BRACE = 0x7d;

export function isDeeperThan(json: string, limit: number): boolean {
  // Each level takes a character to open and one to close.
  if (json.length <= 2 * limit) return false;
  let depth = 0;
  for (let at = 0; at < json.length; at++) {
    switch (json.charCodeAt(at)) {
      case QUOTE:
        at = endOfString(json, at);
        break;
      case OPEN_BRACE:
      case OPEN_BRACKET:
        if (++depth > limit) return true;
        break;
      case CLOSE_BRACE:
      case CLOSE_BRACKET:
        depth -= 1;
    }
  }
  return false;
}

function endOfString(json: string, start: number): number {
  let at = start + 1;
  while (json.charCodeAt(at) !== QUOTE) at += json.charCodeAt(at) === BACKSLASH ? 2 : 1;
  return at;
}
