/** Draws the chat with Ink. All text becomes terminal text in `Output.render`, which sanitizes it. */
import { createElement, Fragment } from "react";
import type { ReactElement } from "react";
import { render, Static, Text, useCursor } from "ink";
import { loadYoga } from "yoga-layout/load";
import type { Output } from "../../terminal/output.ts";
import type { Text as StyledRow } from "../../terminal/text.ts";
import type { Frame, Screen } from "./screen.ts";

interface View {
  /** The printed texts. Ink writes only those that were added since the last view. */
  readonly printed: readonly string[];
  readonly frame: string;
  readonly cursor: Frame["cursor"];
}

const DEFAULT_ROWS = 24;

export async function openInkScreen(output: Output, stdin: NodeJS.ReadStream): Promise<Screen> {
  // Loads Yoga before Ink renders. The bundle makes Ink use this instance, because it can't load its own.
  await loadYoga();
  const { stream } = output;
  let view: View = { printed: [], frame: "", cursor: undefined };
  const stdout = stream as NodeJS.WriteStream;
  const ink = render(createElement(Root, view), { stdout, stdin, exitOnCtrlC: false, patchConsole: false });
  let added: string[] = [];
  /** Shows the added texts and the frame together, so that no old frame appears below new texts. */
  const show = (frame: string, cursor: Frame["cursor"]) => {
    view = { printed: added.length === 0 ? view.printed : [...view.printed, ...added], frame, cursor };
    added = [];
    ink.rerender(createElement(Root, view));
  };
  const toText = (rows: readonly StyledRow[]) => rows.map((row) => output.render(row) || " ").join("\n");
  return {
    get columns() {
      return output.columns;
    },
    get rows() {
      return stream.rows || DEFAULT_ROWS;
    },
    print(rows) {
      if (rows.length > 0) added.push(toText(rows));
    },
    draw(frame) {
      show(toText(frame.rows), frame.cursor);
    },
    hide() {
      show("", undefined);
    },
    close() {
      show("", undefined);
      ink.unmount();
    },
  };
}

function Root({ printed, frame, cursor }: View): ReactElement {
  const { setCursorPosition } = useCursor();
  setCursorPosition(cursor && { x: cursor.column, y: cursor.row });
  return createElement(
    Fragment,
    null,
    createElement(Static<string>, {
      items: printed as string[],
      children: (text, index) => createElement(Text, { key: index }, text),
    }),
    createElement(Text, null, frame),
  );
}
