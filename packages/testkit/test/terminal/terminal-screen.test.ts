import { TerminalScreen } from "@plugboard/testkit/terminal/terminal-screen";
import { expect, it } from "vitest";

it("TerminalScreen follows movements of the cursor and erased lines, as a terminal does", async () => {
  const screen = new TerminalScreen({ columns: 20, rows: 3 });
  screen.write("one\r\ntwo\u001b[2K\rTWO\u001b[1A\rONE");
  await screen.allRows();
  expect(screen.rows).toEqual(["ONE", "TWO", ""]);
  expect(screen.cursor).toEqual({ row: 0, column: 3 });
});

it("TerminalScreen keeps the rows that have scrolled off", async () => {
  const screen = new TerminalScreen({ columns: 20, rows: 2 });
  screen.write("1\r\n2\r\n3");
  expect(await screen.allRows()).toEqual(["1", "2", "3"]);
  expect(screen.rows).toEqual(["2", "3"]);
});

it("TerminalScreen joins adjacent characters of the same style, and counts two columns for wide characters", async () => {
  const screen = new TerminalScreen({ columns: 8, rows: 1 });
  screen.write("a\u001b[31;1m日b\u001b[0m\u001b[2mc");
  await screen.allRows();
  const plain = { color: undefined, bold: false, dim: false, italic: false };
  expect(screen.spans()).toEqual([
    [
      { text: "a", columns: 1, ...plain },
      { text: "日b", columns: 3, ...plain, color: 1, bold: true },
      { text: "c", columns: 1, ...plain, dim: true },
      { text: "   ", columns: 3, ...plain },
    ],
  ]);
});
