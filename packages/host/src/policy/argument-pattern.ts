/**
 * Patterns for the arguments of a call, as written in a rule:
 * `(repo=acme/*, filter.owner="Ann, or Bob")`. Only reads them;
 * `match-arguments.ts` says which calls they match.
 */
import { parseGlob } from "../lib/glob.ts";
import type { Glob } from "../lib/glob.ts";
import { parseUrlPattern } from "./url-pattern.ts";
import type { UrlPattern } from "./url-pattern.ts";
import { normaliseUrlPattern } from "./url-spellings.ts";

export interface ArgumentPattern {
  /** The name of an argument, and of what lies within it. */
  readonly path: readonly string[];
  readonly value: Glob;
  /** The parsed pattern if it is a URL. */
  readonly url: UrlPattern | undefined;
  /** The value, with the host of a URL normalised. */
  readonly normalisedValue: Glob;
}

interface PatternParseFailure {
  readonly wrong: string;
}

const MAX_PATTERNS = 16;

/** Reads from the opening parenthesis to the end of the text. */
export function parseArgumentPatterns(
  text: string,
  openParen: number,
): readonly ArgumentPattern[] | PatternParseFailure {
  const scanner = new Scanner(text, openParen + 1);
  const patterns: ArgumentPattern[] = [];
  try {
    do {
      scanner.skipSpaces();
      if (patterns.length === MAX_PATTERNS) throw scanner.syntaxError(`there are more than ${MAX_PATTERNS} arguments`);
      const path = readPath(scanner);
      const value = readValue(scanner);
      patterns.push(toArgumentPattern(path, value));
    } while (scanner.consume(","));
    if (!scanner.consume(")"))
      throw scanner.syntaxError('"," or ")" must follow; a value with other signs stands in "…"');
    if (!scanner.atEnd) throw scanner.syntaxError("nothing may follow the closing parenthesis");
    return patterns;
  } catch (mistake) {
    if (mistake instanceof PatternSyntaxError) return { wrong: mistake.message };
    throw mistake;
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
    if (name === "") throw scanner.syntaxError("the name of an argument is missing");
    // It would look as if it meant any argument, and hide that nothing is matched.
    if (quoted === undefined && name.includes("*"))
      throw scanner.syntaxError("* stands for a part of a value, not of a name");
    path.push(name);
  } while (scanner.consume("."));
  if (!scanner.consume("=")) throw scanner.syntaxError(`"=" and a value must follow ${JSON.stringify(path.join("."))}`);
  return path;
}

function readValue(scanner: Scanner): string {
  const quoted = scanner.quoted();
  if (quoted !== undefined) return quoted;
  const value = scanner.until(/[,)"\s]/);
  if (value === "") throw scanner.syntaxError('a value is missing; the empty text is written ""');
  return value;
}

class PatternSyntaxError extends Error {}

class Scanner {
  readonly #text: string;
  #at: number;

  constructor(text: string, at: number) {
    this.#text = text;
    this.#at = at;
  }

  get atEnd(): boolean {
    return this.#at === this.#text.length;
  }

  consume(sign: string): boolean {
    if (this.#text[this.#at] !== sign) return false;
    this.#at += 1;
    return true;
  }

  skipSpaces(): void {
    while (this.consume(" "));
  }

  until(stop: RegExp): string {
    const from = this.#at;
    while (!this.atEnd && !stop.test(this.#text[this.#at]!)) this.#at += 1;
    return this.#text.slice(from, this.#at);
  }

  /** A text in quotes, in which `\"` and `\\` stand for `"` and `\`; nothing if none begins here. */
  quoted(): string | undefined {
    const from = this.#at;
    if (!this.consume('"')) return undefined;
    let value = "";
    while (!this.consume('"')) {
      if (this.atEnd) throw new PatternSyntaxError(`the quote at character ${from + 1} is not closed`);
      if (/^\\["\\]/.test(this.#text.slice(this.#at, this.#at + 2))) this.#at += 1;
      value += this.#text[this.#at];
      this.#at += 1;
    }
    return value;
  }

  syntaxError(what: string): PatternSyntaxError {
    return new PatternSyntaxError(`${what} (at character ${this.#at + 1})`);
  }
}
