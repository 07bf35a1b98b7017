/**
 * Parses the argument patterns of a rule: `(repo=acme/*, filter.owner="Ann, or Bob")`. `match-arguments.ts` matches
 * them against calls.
 */
import { parseGlob } from "./glob.ts";
import type { Glob } from "./glob.ts";
import { parseUrlPattern } from "./url-pattern.ts";
import type { UrlPattern } from "./url-pattern.ts";
import { normaliseUrlPattern } from "./url-spellings.ts";

export interface ArgumentPattern {
  /** The path to the argument: `["filter", "owner"]`. */
  readonly path: readonly string[];
  readonly value: Glob;
  /** The parsed URL pattern. Undefined if the value is not a URL. */
  readonly url: UrlPattern | undefined;
  /** The value with a normalised host. Equals `value` if the value is not a URL. */
  readonly normalisedValue: Glob;
}

interface PatternParseFailure {
  readonly error: string;
}

const MAX_PATTERNS = 16;

/** Parses the text from the opening parenthesis, which is at index `openParen`, to the end. */
export function parseArgumentPatterns(
  text: string,
  openParen: number,
): readonly ArgumentPattern[] | PatternParseFailure {
  const scanner = new Scanner(text, openParen + 1);
  const patterns: ArgumentPattern[] = [];
  try {
    do {
      scanner.skipSpaces();
      if (patterns.length === MAX_PATTERNS)
        throw scanner.syntaxError(`a rule can have at most ${MAX_PATTERNS} arguments`);
      const path = readPath(scanner);
      const value = readValue(scanner);
      patterns.push(toArgumentPattern(path, value));
    } while (scanner.consume(","));
    if (!scanner.consume(")"))
      throw scanner.syntaxError('expected "," or ")"; put a value with other characters in quotes');
    if (!scanner.atEnd) throw scanner.syntaxError("unexpected text after the closing parenthesis");
    return patterns;
  } catch (thrown) {
    if (thrown instanceof PatternSyntaxError) return { error: thrown.message };
    throw thrown;
  }
}

function toArgumentPattern(path: readonly string[], value: string): ArgumentPattern {
  const normalisedValue = parseGlob(normaliseUrlPattern(value));
  return { path, value: parseGlob(value), url: parseUrlPattern(value), normalisedValue };
}

function readPath(scanner: Scanner): string[] {
  const path: string[] = [];
  do {
    const quoted = scanner.quoted();
    const name = quoted ?? scanner.until(/[.=,()"\s]/);
    if (name === "") throw scanner.syntaxError("the argument name is missing");
    // Otherwise the rule would seem to match any argument, but would match none.
    if (quoted === undefined && name.includes("*"))
      throw scanner.syntaxError("* is allowed in a value, not in an argument name");
    path.push(name);
  } while (scanner.consume("."));
  if (!scanner.consume("="))
    throw scanner.syntaxError(`expected "=" and a value after ${JSON.stringify(path.join("."))}`);
  return path;
}

function readValue(scanner: Scanner): string {
  const quoted = scanner.quoted();
  if (quoted !== undefined) return quoted;
  const value = scanner.until(/[,)"\s]/);
  if (value === "") throw scanner.syntaxError('the value is missing; write "" for an empty value');
  return value;
}

class PatternSyntaxError extends Error {}

class Scanner {
  readonly #text: string;
  #position: number;

  constructor(text: string, position: number) {
    this.#text = text;
    this.#position = position;
  }

  get atEnd(): boolean {
    return this.#position === this.#text.length;
  }

  consume(character: string): boolean {
    if (this.#text[this.#position] !== character) return false;
    this.#position += 1;
    return true;
  }

  skipSpaces(): void {
    while (this.consume(" "));
  }

  until(stop: RegExp): string {
    const from = this.#position;
    while (!this.atEnd && !stop.test(this.#text[this.#position]!)) this.#position += 1;
    return this.#text.slice(from, this.#position);
  }

  /** Reads a quoted text with the escapes `\"` and `\\`. Returns undefined if the next character is not a quote. */
  quoted(): string | undefined {
    const from = this.#position;
    if (!this.consume('"')) return undefined;
    let value = "";
    while (!this.consume('"')) {
      if (this.atEnd) throw new PatternSyntaxError(`the quote at character ${from + 1} is not closed`);
      if (/^\\["\\]/.test(this.#text.slice(this.#position, this.#position + 2))) this.#position += 1;
      value += this.#text[this.#position];
      this.#position += 1;
    }
    return value;
  }

  syntaxError(message: string): PatternSyntaxError {
    return new PatternSyntaxError(`${message} (at character ${this.#position + 1})`);
  }
}
