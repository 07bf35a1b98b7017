/** Parses a call such as `files.read(path: "x", head: 3)`. Values are literals of JavaScript or JSON. Pure. */
import { isJsonObject } from "@plugboard/contracts";
import type { Json, JsonObject } from "@plugboard/contracts";
import { usageError } from "../command-line/usage-error.ts";
import { findNumberLoss } from "./find-json-loss.ts";

export interface CallExpression {
  /** The text before the parenthesis. */
  readonly callee: string;
  readonly args: JsonObject;
}

/** Returns undefined if the word is no call. Throws USAGE if the syntax of the call is invalid. */
export function parseCallExpression(word: string): CallExpression | undefined {
  const open = word.indexOf("(");
  if (open < 1) return undefined;
  if (!word.includes(")", open))
    throw usageError(`${word}: the parenthesis after "${word.slice(0, open)}" is not closed`, { command: "call" });
  const reader = new LiteralReader(word, open + 1);
  const args = reader.readArguments();
  return { callee: word.slice(0, open).trim(), args };
}

const UNNAMED = 'name each argument, as in (path: "x")';
const MAX_DEPTH = 100;
const NAME = /[A-Za-z_$][\w$-]*/y;
const NUMBER = /-?(?:\d+\.?\d*|\.\d+)(?:[eE][+-]?\d+)?/y;
const STRING = /"(?:[^"\\]|\\.)*"|'(?:[^'\\]|\\.)*'|`(?:[^`\\]|\\.)*`/sy;
const CONSTANTS: ReadonlyMap<string, Json> = new Map<string, Json>([
  ["true", true],
  ["false", false],
  ["null", null],
]);

class LiteralReader {
  readonly #text: string;
  #at: number;
  #depth = 0;

  constructor(text: string, at: number) {
    this.#text = text;
    this.#at = at;
  }

  /** Reads up to the closing parenthesis: named arguments, or one object with all of them. */
  readArguments(): JsonObject {
    const only = this.#peek() === "{" ? this.#readValue() : undefined;
    if (only !== undefined) this.#expect(")");
    const args = isJsonObject(only) ? only : this.#readEntries(")");
    if (this.#peek() !== "") throw this.#problem("the call ends here, but more text follows");
    return args;
  }

  /** Reads `name: value` or `name = value`, separated by commas. */
  #readEntries(end: ")" | "}"): JsonObject {
    const entries: [string, Json][] = [];
    while (!this.#take(end)) {
      const name = this.#readName();
      if (entries.some(([other]) => other === name)) throw this.#problem(`"${name}" is given twice`);
      if (!this.#take(":") && !this.#take("=")) throw this.#problem(UNNAMED);
      entries.push([name, this.#readValue()]);
      if (!this.#take(",") && this.#peek() !== end) throw this.#problem(`"," or "${end}" is missing`);
    }
    return Object.fromEntries(entries);
  }

  #readName(): string {
    const quoted = this.#match(STRING);
    const name = quoted === undefined ? this.#match(NAME) : unquote(quoted);
    if (name === undefined) throw this.#problem(UNNAMED);
    return name;
  }

  #readValue(): Json {
    if (++this.#depth > MAX_DEPTH) throw this.#problem("the value is nested too deeply");
    try {
      if (this.#take("{")) return this.#readEntries("}");
      if (this.#take("[")) return this.#readItems();
      const quoted = this.#match(STRING);
      if (quoted !== undefined) return unquote(quoted);
      const number = this.#match(NUMBER);
      if (number !== undefined) return this.#toNumber(number);
      const constant = CONSTANTS.get(this.#match(NAME) ?? "");
      if (constant === undefined) throw this.#problem("a value is missing here; write text in quotes");
      return constant;
    } finally {
      this.#depth--;
    }
  }

  #toNumber(text: string): number {
    const loss = findNumberLoss(text);
    if (loss !== undefined) throw this.#problem(loss);
    return Number(text);
  }

  #readItems(): Json[] {
    const items: Json[] = [];
    while (!this.#take("]")) {
      items.push(this.#readValue());
      if (!this.#take(",") && this.#peek() !== "]") throw this.#problem('"," or "]" is missing');
    }
    return items;
  }

  #expect(character: string): void {
    if (!this.#take(character)) throw this.#problem(`"${character}" is missing`);
  }

  #take(character: string): boolean {
    if (this.#peek() !== character) return false;
    this.#at++;
    return true;
  }

  /** Skips white space and returns the next character, or an empty string at the end. */
  #peek(): string {
    while (/\s/.test(this.#text.charAt(this.#at))) this.#at++;
    return this.#text.charAt(this.#at);
  }

  #match(pattern: RegExp): string | undefined {
    this.#peek();
    pattern.lastIndex = this.#at;
    const [matched] = pattern.exec(this.#text) ?? [];
    this.#at += matched?.length ?? 0;
    return matched;
  }

  #problem(reason: string): Error {
    return usageError(`${this.#text}: ${reason} (at character ${this.#at + 1})`, { command: "call" });
  }
}

/** Replaces escape sequences as JavaScript does. */
function unquote(quoted: string): string {
  return quoted.slice(1, -1).replaceAll(/\\(?:u([\da-fA-F]{4})|x([\da-fA-F]{2})|([^]))/g, (_, u, x, character) => {
    const code = (u ?? x) as string | undefined;
    if (code !== undefined) return String.fromCharCode(parseInt(code, 16));
    return ESCAPES.get(character as string) ?? (character as string);
  });
}

const ESCAPES: ReadonlyMap<string, string> = new Map([
  ["n", "\n"],
  ["t", "\t"],
  ["r", "\r"],
  ["b", "\b"],
  ["f", "\f"],
  ["0", "\0"],
  ["\n", ""],
]);
