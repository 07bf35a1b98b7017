// @ts-check
/** Draws the rows of a terminal as SVG, for dark and light pages. Pure. */

/** @typedef {import("@plugboard/testkit/terminal/terminal-screen").ScreenSpan} ScreenSpan */

const CHARACTER_WIDTH = 8.4;
const LINE_HEIGHT = 19;
const MARGIN = 16;

/** The styles in packages/cli/src/terminal/output.ts, by the index of their color. */
const COLORS = new Map([
  [1, "red"],
  [2, "green"],
  [3, "yellow"],
  [6, "cyan"],
]);

const STYLE = `
.page { fill: #0d1117 } text { fill: #e6edf3 } .dim { fill: #8b949e } .bold { font-weight: bold } .italic { font-style: italic }
.red { fill: #ff7b72 } .green { fill: #7ee787 } .yellow { fill: #e3b341 } .cyan { fill: #79c0ff }
@media (prefers-color-scheme: light) {
.page { fill: #f6f8fa } text { fill: #1f2328 } .dim { fill: #59636e }
.red { fill: #cf222e } .green { fill: #1a7f37 } .yellow { fill: #7d4e00 } .cyan { fill: #0550ae }
}
`;

/**
 * Leaves out empty rows at the end.
 * @param {readonly (readonly ScreenSpan[])[]} rows
 * @param {number} columns
 */
export function drawTerminal(rows, columns) {
  const count = rows.findLastIndex((spans) => spans.some(({ text }) => text.trim() !== "")) + 1;
  const width = Math.ceil(columns * CHARACTER_WIDTH + 2 * MARGIN);
  const height = count * LINE_HEIGHT + 2 * MARGIN;
  const texts = rows.slice(0, count).flatMap((spans, index) => drawRow(spans, MARGIN + 14 + index * LINE_HEIGHT));
  return `<svg xmlns="http://www.w3.org/2000/svg" width="${width}" height="${height}" viewBox="0 0 ${width} ${height}" font-family="ui-monospace, SFMono-Regular, Menlo, Consolas, monospace" font-size="14">
<style>${STYLE}</style>
<rect class="page" width="100%" height="100%" rx="8"/>
${texts.join("\n")}
</svg>
`;
}

/**
 * Positions each span separately, because characters of a fallback font can have another width.
 * @param {readonly ScreenSpan[]} spans
 * @param {number} y
 */
function drawRow(spans, y) {
  let column = 0;
  const drawn = spans.map((span) => {
    const x = MARGIN + column * CHARACTER_WIDTH;
    column += span.columns;
    const text = span.text.trimEnd();
    if (text === "") return "";
    const classes = classesOf(span).join(" ");
    const look = classes === "" ? "" : ` class="${classes}"`;
    return `<tspan x="${Math.round(x * 10) / 10}"${look}>${escape(text)}</tspan>`;
  });
  const row = drawn.join("");
  return row === "" ? [] : [`<text y="${y}" xml:space="preserve">${row}</text>`];
}

/** @param {ScreenSpan} span */
function classesOf({ color, bold, dim, italic }) {
  const name = color === undefined ? undefined : COLORS.get(color);
  return [name, bold && "bold", dim && "dim", italic && "italic"].filter((one) => typeof one === "string");
}

/** @param {string} text */
function escape(text) {
  return text.replaceAll("&", "&amp;").replaceAll("<", "&lt;").replaceAll(">", "&gt;");
}
