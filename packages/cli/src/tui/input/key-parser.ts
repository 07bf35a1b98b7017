/** Turns the input of a terminal into keys. Keeps incomplete sequences until the next input. */

type KeyName =
  | "enter"
  | "newline"
  | "tab"
  | "shift-tab"
  | "backspace"
  | "delete"
  | "left"
  | "right"
  | "up"
  | "down"
  | "home"
  | "end"
  | "page-up"
  | "page-down"
  | "word-left"
  | "word-right"
  | "delete-word"
  | "delete-to-start"
  | "delete-to-end"
  | "escape"
  | "interrupt"
  | "end-of-input"
  | "redraw"
  | "expand"
  | "suspend";

export type Key =
  | { readonly type: "key"; readonly name: KeyName }
  /** Typed characters. Contains no control characters. */
  | { readonly type: "text"; readonly text: string }
  /** Pasted text. May contain line breaks and tabs, but no other control characters. */
  | { readonly type: "paste"; readonly text: string };

export class KeyParser {
  #pending = "";

  push(input: string): Key[] {
    this.#pending += input;
    const keys: Key[] = [];
    for (let read = readKey(this.#pending); read; read = readKey(this.#pending)) {
      this.#pending = this.#pending.slice(read.length);
      if (read.key) keys.push(read.key);
    }
    return keys;
  }

  /** True if the input ended within a sequence, or with Escape. If no more input follows, call `flush`. */
  get isPending(): boolean {
    return this.#pending !== "";
  }

  /** Returns the Escape key if it was pressed alone. Drops an incomplete sequence, but not an incomplete paste. */
  flush(): Key[] {
    if (this.#pending.startsWith(PASTE_START)) return [];
    const isEscape = this.#pending === ESCAPE;
    this.#pending = "";
    return isEscape ? [{ type: "key", name: "escape" }] : [];
  }
}

interface ReadKey {
  readonly length: number;
  /** Undefined for input without a meaning. */
  readonly key: Key | undefined;
}

const ESCAPE = "\u001b";
const PASTE_START = `${ESCAPE}[200~`;
const PASTE_END = `${ESCAPE}[201~`;

/** Control characters: `\u0001` is Ctrl-A, `\u0002` is Ctrl-B, and so on. */
const CONTROLS: { readonly [character: string]: KeyName } = {
  "\r": "enter",
  "\n": "newline",
  "\t": "tab",
  "\u007f": "backspace",
  "\b": "backspace",
  "\u0001": "home",
  "\u0002": "left",
  "\u0003": "interrupt",
  "\u0004": "end-of-input",
  "\u0005": "end",
  "\u0006": "right",
  "\u000b": "delete-to-end",
  "\u000c": "redraw",
  "\u000e": "down",
  "\u000f": "expand",
  "\u0010": "up",
  "\u0015": "delete-to-start",
  "\u0017": "delete-word",
  "\u001a": "suspend",
};

/** The characters that terminals send after Escape. */
const SEQUENCES: { readonly [sequence: string]: KeyName } = {
  "[A": "up",
  "[B": "down",
  "[C": "right",
  "[D": "left",
  OA: "up",
  OB: "down",
  OC: "right",
  OD: "left",
  "[H": "home",
  "[F": "end",
  OH: "home",
  OF: "end",
  "[1~": "home",
  "[4~": "end",
  "[7~": "home",
  "[8~": "end",
  "[3~": "delete",
  "[5~": "page-up",
  "[6~": "page-down",
  "[Z": "shift-tab",
  "[1;5C": "word-right",
  "[1;5D": "word-left",
  "[1;3C": "word-right",
  "[1;3D": "word-left",
  "[13;2u": "newline",
  "[27;2;13~": "newline",
  b: "word-left",
  f: "word-right",
  "\r": "newline",
  "\n": "newline",
  "\u007f": "delete-word",
};

/** Returns undefined if the input is empty or incomplete. */
function readKey(input: string): ReadKey | undefined {
  if (input === "") return undefined;
  if (input.startsWith(PASTE_START)) return readPaste(input);
  if (input.startsWith(ESCAPE)) return readSequence(input);
  const name = CONTROLS[input[0]!];
  if (name !== undefined) return { length: 1, key: { type: "key", name } };
  const text = /^[^\p{Cc}]+/u.exec(input)?.[0];
  return text === undefined ? { length: 1, key: undefined } : { length: text.length, key: { type: "text", text } };
}

function readPaste(input: string): ReadKey | undefined {
  const end = input.indexOf(PASTE_END);
  if (end === -1) return undefined;
  const text = input
    .slice(PASTE_START.length, end)
    .replace(/\r\n?/g, "\n")
    .replace(/(?![\n\t])\p{Cc}/gu, "");
  return { length: end + PASTE_END.length, key: { type: "paste", text } };
}

function readSequence(input: string): ReadKey | undefined {
  // Two Escapes in one input: the first was pressed alone.
  if (input.startsWith(ESCAPE + ESCAPE)) return { length: 1, key: { type: "key", name: "escape" } };
  // A sequence that begins with `[` or `O`, or Alt with one character.
  const complete = /^\u001b(?:\[[0-?]*[ -/]*[@-~]|O[ -~]|[^[O])/u.exec(input)?.[0];
  if (complete === undefined) return undefined;
  const name = SEQUENCES[complete.slice(1)];
  return { length: complete.length, key: name && { type: "key", name } };
}
