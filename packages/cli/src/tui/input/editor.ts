/** The text that the user edits, with its cursor and the lines that were sent before. Pure. */
import type { Key } from "./key-parser.ts";

export interface Editor {
  readonly text: string;
  /** An index in `text`. */
  readonly cursor: number;
  /** The sent texts, oldest first. */
  readonly history: readonly string[];
  /** The place in the history that is shown. `history.length` is the new text. */
  readonly historyIndex: number;
  /** The new text while an older one is shown. */
  readonly draft: string;
}

export const EMPTY_EDITOR: Editor = { text: "", cursor: 0, history: [], historyIndex: 0, draft: "" };

/** Returns the same object if the key has no meaning for the text. */
export function editText(editor: Editor, key: Key): Editor {
  if (key.type !== "key") return insertText(editor, key.text);
  const { text, cursor } = editor;
  switch (key.name) {
    case "newline":
      return insertText(editor, "\n");
    case "backspace":
      return remove(editor, previousIndex(text, cursor), cursor);
    case "delete":
      return remove(editor, cursor, nextIndex(text, cursor));
    case "delete-word":
      return remove(editor, wordStart(text, cursor), cursor);
    case "delete-to-start":
      return remove(editor, lineStart(text, cursor), cursor);
    case "delete-to-end":
      return remove(editor, cursor, lineEnd(text, cursor));
    case "left":
      return moveTo(editor, previousIndex(text, cursor));
    case "right":
      return moveTo(editor, nextIndex(text, cursor));
    case "word-left":
      return moveTo(editor, wordStart(text, cursor));
    case "word-right":
      return moveTo(editor, cursor + (/^\s*\S*/.exec(text.slice(cursor))?.[0].length ?? 0));
    case "home":
      return moveTo(editor, lineStart(text, cursor));
    case "end":
      return moveTo(editor, lineEnd(text, cursor));
    case "up":
      return moveUp(editor);
    case "down":
      return moveDown(editor);
    default:
      return editor;
  }
}

export function insertText(editor: Editor, inserted: string): Editor {
  return replaceRange(editor, editor.cursor, editor.cursor, inserted);
}

/** Replaces a part of the text and places the cursor behind the replacement. */
export function replaceRange(editor: Editor, start: number, end: number, replacement: string): Editor {
  const { text } = editor;
  return { ...editor, text: text.slice(0, start) + replacement + text.slice(end), cursor: start + replacement.length };
}

/** Empties the text and adds it to the history, unless it equals the latest. */
export function submitText(editor: Editor): Editor {
  const { text, history } = editor;
  const extended = text.trim() === "" || history.at(-1) === text ? history : [...history, text];
  return { ...EMPTY_EDITOR, history: extended, historyIndex: extended.length };
}

export function clearText(editor: Editor): Editor {
  return { ...editor, text: "", cursor: 0, historyIndex: editor.history.length, draft: "" };
}

/** Moves a line up, or shows the previous text of the history on the first line. */
function moveUp(editor: Editor): Editor {
  const { text, cursor, historyIndex, history } = editor;
  const start = lineStart(text, cursor);
  if (start > 0) {
    const above = lineStart(text, start - 1);
    return moveTo(editor, Math.min(above + cursor - start, start - 1));
  }
  if (historyIndex === 0) return editor;
  const draft = historyIndex === history.length ? text : editor.draft;
  return showHistory({ ...editor, draft }, historyIndex - 1);
}

function moveDown(editor: Editor): Editor {
  const { text, cursor, historyIndex, history } = editor;
  const end = lineEnd(text, cursor);
  if (end < text.length) {
    const column = cursor - lineStart(text, cursor);
    return moveTo(editor, Math.min(end + 1 + column, lineEnd(text, end + 1)));
  }
  return historyIndex === history.length ? editor : showHistory(editor, historyIndex + 1);
}

function showHistory(editor: Editor, historyIndex: number): Editor {
  const text = editor.history[historyIndex] ?? editor.draft;
  return { ...editor, text, cursor: text.length, historyIndex };
}

function moveTo(editor: Editor, cursor: number): Editor {
  return cursor === editor.cursor ? editor : { ...editor, cursor };
}

function remove(editor: Editor, start: number, end: number): Editor {
  return start === end ? editor : replaceRange(editor, start, end, "");
}

function lineStart(text: string, cursor: number): number {
  return cursor === 0 ? 0 : text.lastIndexOf("\n", cursor - 1) + 1;
}

function lineEnd(text: string, cursor: number): number {
  const end = text.indexOf("\n", cursor);
  return end === -1 ? text.length : end;
}

function wordStart(text: string, cursor: number): number {
  return cursor - (/\S*\s*$/.exec(text.slice(Math.max(0, cursor - MAX_WORD), cursor))?.[0].length ?? 0);
}

/** Limits the search in long texts. */
const MAX_WORD = 500;
/** No visible character is longer. */
const MAX_CHARACTER = 64;

/** Counts visible characters: an emoji of several code points is one step. */
function previousIndex(text: string, cursor: number): number {
  const before = text.slice(Math.max(0, cursor - MAX_CHARACTER), cursor);
  const last = Array.from(new Intl.Segmenter().segment(before)).at(-1);
  return cursor - (last?.segment.length ?? 0);
}

function nextIndex(text: string, cursor: number): number {
  const after = text.slice(cursor, cursor + MAX_CHARACTER);
  const [first] = new Intl.Segmenter().segment(after);
  return cursor + (first?.segment.length ?? 0);
}
