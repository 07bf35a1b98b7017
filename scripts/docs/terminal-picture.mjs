// @ts-check
/**
 * Draws docs/images/terminal.svg: runs commands of Plugboard in a pseudo-terminal, with servers of this repository, and
 * draws what they print. Run it after a change of the output that the picture should show.
 */
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { openTerminal } from "@plugboard/testkit/terminal/pseudo-terminal";
import { TerminalScreen } from "@plugboard/testkit/terminal/terminal-screen";
import { root } from "../run.mjs";
import { drawTerminal } from "./terminal-svg.mjs";

const COLUMNS = 92;
const ROWS = 60;

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
  const screen = new TerminalScreen({ columns: COLUMNS, rows: ROWS });
  for (const words of LINES) {
    screen.write(`\u001b[2m$\u001b[22m \u001b[1mplugboard ${shorten(words.join(" "))}\u001b[22m\r\n`);
    screen.write(`${shorten(await run(words))}\r\n`);
  }
  await screen.allRows();
  mkdirSync(join(root, "docs", "images"), { recursive: true });
  writeFileSync(join(root, "docs", "images", "terminal.svg"), drawTerminal(screen.spans(), COLUMNS));
} finally {
  rmSync(home, { recursive: true });
}

/**
 * @param {readonly string[]} words
 * @returns {Promise<string>}
 */
async function run(words) {
  const env = { PATH: process.env["PATH"] ?? "", HOME: home, XDG_STATE_HOME: join(home, "state") };
  const command = join(root, "packages", "cli", "bin", "plugboard.js");
  const terminal = openTerminal(process.execPath, [command, ...words], { cwd: folder, cols: COLUMNS, env });
  await terminal.exited;
  return terminal.output();
}

/** Replaces paths of this machine with those of a typical user. @param {string} text */
function shorten(text) {
  return text
    .replaceAll(`node ${servers}/`, "npx -y @modelcontextprotocol/")
    .replaceAll("/dist/index.js", "")
    .replaceAll(home, "~");
}
