/** Shows a question, shortened to fit the screen. Typing `:all` at any of its prompts shows all of it. */
import { makeQuoter } from "../render/quote-untrusted.ts";
import type { Quoter } from "../render/quote-untrusted.ts";
import type { TerminalLines } from "../terminal/terminal-lines.ts";

export type Dialogue = Pick<TerminalLines, "read" | "show" | "columns">;

export interface ShownQuestion extends Dialogue {
  /** True if parts of the question have never been shown. */
  readonly isTruncated: boolean;
}

export function showQuestion(dialogue: Dialogue, render: (quote: Quoter) => string): ShownQuestion {
  let isTruncated = false;
  const { columns } = dialogue;
  dialogue.show(render(makeQuoter({ columns, onTruncate: () => (isTruncated = true) })));
  return {
    columns,
    show: dialogue.show,
    async read(prompt) {
      for (;;) {
        const typed = await dialogue.read(prompt);
        if (!isTruncated || typed.trim() !== ":all") return typed;
        isTruncated = false;
        dialogue.show(render(makeQuoter({ columns })));
      }
    },
    get isTruncated() {
      return isTruncated;
    },
  };
}
