/** Paints the frame before Ink is loaded, so that the user can type at once. */
import type { Output } from "../../terminal/output.ts";
import type { Frame } from "./screen.ts";

/** Returns a function that erases the frame. */
export function paintFirst(output: Output, { rows, cursor = { row: 0, column: 0 } }: Frame): () => void {
  const { stream } = output;
  const below = rows.length - 1 - cursor.row;
  const up = below > 0 ? `\u001b[${below}A` : "";
  stream.write(`${rows.map((row) => output.render(row)).join("\r\n")}\r${up}${moveRight(cursor.column)}`);
  return () => stream.write(`\r${cursor.row > 0 ? `\u001b[${cursor.row}A` : ""}\u001b[J`);
}

function moveRight(columns: number): string {
  return columns > 0 ? `\u001b[${columns}C` : "";
}
