// @ts-check
/**
 * Draws docs/images/terminal.svg: runs commands of Plugboard in a pseudo-terminal, with servers of this repository, and
 * draws what they print. Run it after a change of the output that the picture should show.
 */
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { spawn } from "@lydell/node-pty";
import { root } from "./run.mjs";

const COLUMNS = 92;
const CHARACTER_WIDTH = 8.4;
const LINE_HEIGHT = 19;
const MARGIN = 16;
/** The colors of the styles in packages/cli/src/terminal/output.ts. */
const COLORS = new Map([
  ["31", "#ff7b72"],
  ["32", "#7ee787"],
  ["33", "#e3b341"],
  ["36", "#79c0ff"],
]);

const servers = join(root, "node_modules", "@modelcontextprotocol");
const LINES = [
  ["add", "files", "node", join(servers, "server-filesystem", "dist", "index.js"), "."],
  ["add", "memory", "node", join(servers, "server-memory", "dist", "index.js")],
  ["test"],
  ["tools", "--search", "read"],
  ["call", "files.read_text_file", "path=welcome.md"],
];

const home = mkdtempSync(join(tmpdir(), "plugboard-picture-"));
const folder = join(home, "notes");
mkdirSync(folder);
try {
  writeFileSync(join(folder, "welcome.md"), "# Welcome\n\nEvery server on one board.\n");
  /** @type {string[]} */
  const drawn = [];
  for (const words of LINES) {
    drawn.push(
      `<tspan fill="#8b949e">$</tspan> <tspan font-weight="bold">plugboard ${escape(shorten(words.join(" ")))}</tspan>`,
    );
    drawn.push(...toLines(await run(words)), "");
  }
  mkdirSync(join(root, "docs", "images"), { recursive: true });
  writeFileSync(join(root, "docs", "images", "terminal.svg"), draw(drawn.slice(0, -1)));
} finally {
  rmSync(home, { recursive: true });
}

/**
 * @param {readonly string[]} words
 * @returns {Promise<string>}
 */
function run(words) {
  const env = {
    PATH: process.env["PATH"] ?? "",
    HOME: home,
    TERM: "xterm-256color",
    XDG_STATE_HOME: join(home, "state"),
  };
  const command = join(root, "packages", "cli", "bin", "plugboard.js");
  const pty = spawn(process.execPath, [command, ...words], { cwd: folder, cols: COLUMNS, rows: 40, env });
  return new Promise((resolve) => {
    let output = "";
    pty.onData((piece) => (output += piece));
    pty.onExit(() => resolve(output));
  });
}

/** Replaces paths of this machine with those of a typical user. @param {string} text */
function shorten(text) {
  return text
    .replaceAll(`node ${servers}/`, "npx -y @modelcontextprotocol/")
    .replaceAll("/dist/index.js", "")
    .replaceAll(home, "~");
}

/** Applies carriage returns and erased lines, and turns styles into SVG. @param {string} output */
function toLines(output) {
  const lines = shorten(output)
    .split("\r\n")
    .map((line) => line.split(/\r\u001b\[2K|\r/).at(-1) ?? "");
  while (lines.at(-1) === "") lines.pop();
  return lines.map(toSvgText);
}

/** @param {string} line */
function toSvgText(line) {
  let open = 0;
  const text = escape(line).replaceAll(/\u001b\[([\d;]*)([A-Za-z])/g, (_, code, letter) => {
    if (letter !== "m") return "";
    const attribute =
      code === "1"
        ? 'font-weight="bold"'
        : code === "2"
          ? 'fill="#8b949e"'
          : COLORS.has(code)
            ? `fill="${COLORS.get(code)}"`
            : undefined;
    if (attribute !== undefined) return (open++, `<tspan ${attribute}>`);
    return open > 0 ? (open--, "</tspan>") : "";
  });
  return text + "</tspan>".repeat(open);
}

/** @param {readonly string[]} lines */
function draw(lines) {
  const width = Math.ceil(COLUMNS * CHARACTER_WIDTH + 2 * MARGIN);
  const height = lines.length * LINE_HEIGHT + 2 * MARGIN;
  const texts = lines.map(
    (line, index) => `<text x="${MARGIN}" y="${MARGIN + 14 + index * LINE_HEIGHT}" xml:space="preserve">${line}</text>`,
  );
  return `<svg xmlns="http://www.w3.org/2000/svg" width="${width}" height="${height}" viewBox="0 0 ${width} ${height}" font-family="ui-monospace, SFMono-Regular, Menlo, Consolas, monospace" font-size="14" fill="#e6edf3">
<rect width="100%" height="100%" rx="8" fill="#0d1117"/>
${texts.join("\n")}
</svg>
`;
}

/** @param {string} text */
function escape(text) {
  return text.replaceAll("&", "&amp;").replaceAll("<", "&lt;").replaceAll(">", "&gt;");
}
