/** Shows a question, shortened to fit the screen. Typing `:all` at any of its prompts shows all of it. */
import { quoteFor } from "./quote.ts";
import type { Quote } from "./quote.ts";
import type { TerminalLines } from "./terminal-lines.ts";

export type Dialogue = Pick<TerminalLines, "read" | "show" | "columns">;

export interface ShownQuestion extends Dialogue {
  /** True if parts of the question have never been shown. */
  readonly isCut: boolean;
}

export function showQuestion(dialogue: Dialogue, render: (quote: Quote) => string): ShownQuestion {
  let isCut = false;
  const { columns } = dialogue;
  dialogue.show(render(quoteFor({ columns, onCut: () => (isCut = true) })));
  return {
    columns,
    show: dialogue.show,
    async read(prompt) {
      for (;;) {
        const typed = await dialogue.read(prompt);
        if (!isCut || typed.trim() !== ":all") return typed;
        isCut = false;
        dialogue.show(render(quoteFor({ columns })));
      }
    },
    get isCut() {
      return isCut;
    },
  };
}
