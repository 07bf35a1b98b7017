/** A prompt for one line in the frame of the chat, for questions that are asked line by line. */
import { NoAnswerError } from "../terminal/terminal-lines.ts";
import { EMPTY_EDITOR, editText } from "./input/editor.ts";
import type { Editor } from "./input/editor.ts";
import type { Key } from "./input/key-parser.ts";

export class LinePrompt {
  readonly prompt: string;
  editor: Editor = EMPTY_EDITOR;
  /** Resolves to the text when the user presses Enter. Rejects with `NoAnswerError`. */
  readonly typed: Promise<string>;
  #resolve: (text: string) => void = () => {};
  #reject: (error: NoAnswerError) => void = () => {};

  /** `settled` aborts when no answer is needed any more. */
  constructor(prompt: string, settled: AbortSignal) {
    this.prompt = prompt;
    this.typed = new Promise((resolve, reject) => {
      this.#resolve = resolve;
      this.#reject = reject;
    });
    const withdraw = () => this.#reject(new NoAnswerError("withdrawn"));
    if (settled.aborted) withdraw();
    else settled.addEventListener("abort", withdraw, { once: true });
  }

  press(key: Key): void {
    if (key.type === "key" && key.name === "enter") return this.#resolve(this.editor.text);
    if (key.type === "key" && ["escape", "interrupt", "end-of-input"].includes(key.name))
      return this.#reject(new NoAnswerError("input ended"));
    this.editor = editText(this.editor, key.type === "paste" ? { ...key, text: key.text.trim() } : key);
  }
}
