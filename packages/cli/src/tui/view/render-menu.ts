/** Renders the choices of a permission question. Pure. */
import { styled } from "../../terminal/text.ts";
import type { Text } from "../../terminal/text.ts";
import { fitColumns } from "../../terminal/text-width.ts";
import { requesterName } from "../../render/quote-untrusted.ts";
import type { PermissionMenu } from "../state/permission-menu.ts";
import { renderInput } from "./render-input.ts";
import type { RenderedInput } from "./render-input.ts";

/** Names the tool again, because a long question can scroll it off the screen. */
export function renderMenu({ question, choices, selected, input }: PermissionMenu, columns: number): RenderedInput {
  const title = styled("bold", fitColumns(`Allow ${requesterName(question)}?`, columns - 1));
  if (input) {
    const prompt = input.for === "pattern" ? "rule › " : "reason › ";
    const help =
      input.for === "pattern"
        ? "Enter allows all calls that match this rule, Esc goes back"
        : "Enter denies the call, Esc goes back";
    const { rows, cursor } = renderInput(input.editor, { columns, maxRows: 5, prompt });
    return {
      rows: [title, ...rows, styled("dim", fitColumns(help, columns - 1))],
      cursor: { ...cursor, row: cursor.row + 1 },
    };
  }
  const rows = choices.map(({ letter, label }, index): Text => {
    const line = fitColumns(`${index === selected ? "❯" : " "} ${letter}  ${label}`, columns - 1);
    return index === selected ? styled("cyan", line) : line;
  });
  return { rows: [title, ...rows], cursor: { row: selected + 1, column: 0 } };
}
