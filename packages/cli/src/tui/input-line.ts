/** The input line: the text that the user edits, and the completions for it. */
import type { CompletionLists } from "./completion-lists.ts";
import { applySuggestion, completeInput } from "./input/complete-input.ts";
import type { Completions } from "./input/complete-input.ts";
import { clearText, editText, EMPTY_EDITOR, insertText, replaceRange, submitText } from "./input/editor.ts";
import type { Editor } from "./input/editor.ts";
import type { Key } from "./input/key-parser.ts";

export class InputLine {
  #editor: Editor = EMPTY_EDITOR;
  #completions: Completions | undefined;
  /** The selected suggestion, and whether the user has moved the selection. */
  #selection = { index: 0, moved: false };
  readonly #lists: CompletionLists;

  constructor(lists: CompletionLists) {
    this.#lists = lists;
  }

  get editor(): Editor {
    return this.#editor;
  }

  get text(): string {
    return this.#editor.text;
  }

  get completions(): Completions | undefined {
    return this.#completions;
  }

  get selected(): number {
    return this.#selection.index;
  }

  /** Edits the text, or selects a suggestion. */
  press(key: Key): void {
    const name = key.type === "key" ? key.name : undefined;
    if (name === "tab") this.acceptSuggestion();
    else if (this.#completions && (name === "up" || name === "down"))
      this.#moveSelection(name === "up" ? -1 : 1, this.#completions);
    else this.#edit(editText(this.#editor, key));
  }

  insert(text: string): void {
    this.#edit(insertText(this.#editor, text));
  }

  replaceAll(text: string): void {
    this.#edit(insertText(clearText(this.#editor), text));
  }

  clear(): void {
    this.#edit(clearText(this.#editor));
  }

  /** Empties the line and returns its text. Returns undefined if Enter accepts a suggestion or adds a line. */
  submit(): string | undefined {
    const { text, cursor } = this.#editor;
    if (this.#completions && this.#selection.moved) this.acceptSuggestion();
    else if (text[cursor - 1] === "\\") this.#edit(replaceRange(this.#editor, cursor - 1, cursor, "\n"));
    else if (text.trim() !== "") {
      this.#edit(submitText(this.#editor));
      return text;
    }
    return undefined;
  }

  acceptSuggestion(): void {
    const suggestion = this.#completions?.suggestions[this.#selection.index];
    if (this.#completions && suggestion) this.#edit(applySuggestion(this.#editor, this.#completions, suggestion));
  }

  /** Returns false if there are no suggestions to hide. */
  hideSuggestions(): boolean {
    if (!this.#completions) return false;
    this.#completions = undefined;
    return true;
  }

  /** Completes the text again, because it or the lists have changed. */
  complete(): void {
    const { text, cursor, historyIndex, history } = this.#editor;
    if (text.startsWith("/model ")) void this.#lists.findModels();
    // In the history, ↑ and ↓ show other messages.
    const isEarlier = historyIndex < history.length;
    const completions = isEarlier ? undefined : completeInput(text, cursor, this.#lists.sources);
    this.#completions = completions?.promptArgument
      ? this.#lists.completePromptArgument(completions, completions.promptArgument)
      : completions;
    const last = (this.#completions?.suggestions.length ?? 1) - 1;
    this.#selection = { ...this.#selection, index: Math.min(this.#selection.index, last) };
  }

  #edit(editor: Editor): void {
    if (editor === this.#editor) return;
    this.#editor = editor;
    this.#selection = { index: 0, moved: false };
    this.complete();
  }

  #moveSelection(by: number, { suggestions }: Completions): void {
    const index = (this.#selection.index + by + suggestions.length) % suggestions.length;
    this.#selection = { index, moved: true };
  }
}
