/** Parses the text of a config file into nodes with line and column. */
import { parseTree, printParseErrorCode } from "jsonc-parser";
import type { Node, ParseError } from "jsonc-parser";

export interface Position {
  readonly line: number;
  readonly column: number;
}

interface SyntaxError extends Position {
  readonly message: string;
}

export interface ConfigText {
  readonly root: Node | undefined;
  /** True for a text of only white space and comments. */
  readonly empty: boolean;
  /** The first error of each line with errors. Later errors of a line usually follow from its first. */
  readonly syntaxErrors: readonly SyntaxError[];
  readonly positionOf: (node: Node) => Position;
}

/** Far deeper than a person writes. Protects the recursive parser from a stack overflow. */
const MAX_DEPTH = 100;

/** Accepts comments and trailing commas. Skips a byte-order mark. */
export function parseConfigText(text: string): ConfigText {
  const body = text.replace(/^\ufeff/, "");
  const positionAt = positionLookup(body);
  const positionOf = (node: Node) => positionAt(node.offset);
  const tooDeepOffset = findTooDeepBracket(body);
  if (tooDeepOffset !== undefined) {
    const tooDeep = { ...positionAt(tooDeepOffset), message: `more than ${MAX_DEPTH} levels` };
    return { root: undefined, empty: false, positionOf, syntaxErrors: [tooDeep] };
  }
  const errors: ParseError[] = [];
  const root = parseTree(body, errors, { allowTrailingComma: true });
  const syntaxErrors = new Map<number, SyntaxError>();
  for (const { error, offset } of errors) {
    const position = positionAt(offset);
    const syntaxError = { ...position, message: toWords(printParseErrorCode(error)) };
    if (!syntaxErrors.has(position.line)) syntaxErrors.set(position.line, syntaxError);
  }
  const isEmpty = !root && errors[0] !== undefined && printParseErrorCode(errors[0].error) === "ValueExpected";
  return { root, empty: isEmpty, positionOf, syntaxErrors: [...syntaxErrors.values()] };
}

/** Returns the first error of a text that `JSON.parse` rejects, or undefined if this parser can't find it. */
export function findJsonError(text: string): SyntaxError | undefined {
  const errors: ParseError[] = [];
  if (findTooDeepBracket(text) !== undefined) return undefined;
  parseTree(text, errors, { disallowComments: true, allowEmptyContent: false });
  const [first] = errors;
  return first && { ...positionLookup(text)(first.offset), message: toWords(printParseErrorCode(first.error)) };
}

/** Returns a function that converts an offset to a position. Collects the line starts only once. */
function positionLookup(body: string): (offset: number) => Position {
  const lineStarts = [0, ...[...body.matchAll(/\n/g)].map(({ index }) => index + 1)];
  return (offset) => {
    let [low, high] = [0, lineStarts.length];
    while (high - low > 1) {
      const middle = (low + high) >> 1;
      if (lineStarts[middle]! <= offset) low = middle;
      else high = middle;
    }
    return { line: low + 1, column: offset - lineStarts[low]! + 1 };
  };
}

/**
 * Returns the offset of the first bracket that exceeds the limit, ignoring strings and comments. The pattern also
 * matches unterminated strings and comments. Otherwise each would be searched to the end, in quadratic time.
 */
function findTooDeepBracket(body: string): number | undefined {
  let depth = 0;
  for (const { 0: token, index } of body.matchAll(/"(?:[^"\\\n\r]|\\.)*"?|\/\/.*|\/\*[^]*?(?:\*\/|$)|[[{\]}]/g)) {
    if (token === "[" || token === "{") depth++;
    else if (token === "]" || token === "}") depth--;
    if (depth > MAX_DEPTH) return index;
  }
  return undefined;
}

/** Converts `CommaExpected` to `comma expected`. */
function toWords(code: string): string {
  return code.replace(/(?<=[a-z])[A-Z]/g, (letter) => ` ${letter}`).toLowerCase();
}
