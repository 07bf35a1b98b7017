// @ts-check
/**
 * Draws docs/images/chat*.svg: runs `plugboard chat` in a pseudo-terminal, with servers of this repository and a model
 * server that answers from a script. Run it after a change of what the pictures show.
 */
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { startModelServer } from "@plugboard/testkit/model-server";
import { openTerminal } from "@plugboard/testkit/terminal/pseudo-terminal";
import { root } from "../run.mjs";
import { drawTerminal } from "./terminal-svg.mjs";

const COLUMNS = 76;
const ROWS = 34;
const ENTER = "\r";
const servers = join(root, "node_modules", "@modelcontextprotocol");
const command = join(root, "packages", "cli", "bin", "plugboard.js");

const ANSWER = `Your notes have **two open points**:

| note | open point | since |
|---|---|---|
| garden.md | prune the apple tree | March |
| travel.md | renew the passport | May |

1. The passport takes *six weeks*, so begin with it.
2. For the tree, wait for a dry day.

I can write that down, for instance with \`plan.md\`.`;

/** Short, so that the row of the call is not cut, even if it shows a long duration. */
const PLAN = "1. Passport\n2. Apple tree\n";

const home = mkdtempSync(join(tmpdir(), "plugboard-picture-"));
const folder = join(home, "notes");
mkdirSync(folder);
writeFileSync(join(folder, "garden.md"), "# Garden\n\nOpen since March: prune the apple tree.\n");
writeFileSync(join(folder, "travel.md"), "# Travel\n\nOpen since May: renew the passport.\n");
writeFileSync(
  join(home, "config.json"),
  JSON.stringify({
    mcpServers: {
      files: { command: "node", args: [join(servers, "server-filesystem", "dist", "index.js"), folder] },
      memory: { command: "node", args: [join(servers, "server-memory", "dist", "index.js")] },
    },
    permissions: { allow: ["files:read_multiple_files"] },
  }),
);
const model = await startModelServer(
  {
    parts: [
      { text: "I look into your notes." },
      { call: "mcp__files__read_multiple_files", args: { paths: ["garden.md", "travel.md"] } },
    ],
    usage: { input: 2841, output: 63 },
  },
  { parts: [{ text: ANSWER }], usage: { input: 3120, output: 148 } },
  {
    parts: [{ call: "mcp__files__write_file", args: { path: "plan.md", content: PLAN } }],
    usage: { input: 3290, output: 71 },
  },
  { parts: [{ text: "Done: the plan is in `plan.md`." }], usage: { input: 3400, output: 18 } },
);
const env = {
  PATH: process.env["PATH"] ?? "",
  HOME: home,
  PLUGBOARD_CONFIG_PATH: join(home, "config.json"),
  XDG_STATE_HOME: join(home, "state"),
  PLUGBOARD_MODEL: "anthropic/claude-sonnet-4-5",
  ANTHROPIC_BASE_URL: model.url,
  ANTHROPIC_API_KEY: "none",
};
const terminal = openTerminal(process.execPath, [command, "chat"], { cwd: folder, cols: COLUMNS, rows: ROWS, env });
try {
  await terminal.waitForView("2 servers");
  terminal.type(`What is open in my notes?${ENTER}`);
  await terminal.waitForView("plan.md.");
  await terminal.waitForView((rows) => !rows.includes("working"));
  draw("chat");

  terminal.type(`Yes, write it down.${ENTER}`);
  await terminal.waitForView(/Allow files:write_file/);
  draw("chat-permission");

  terminal.type("y");
  await terminal.waitForView("Done:");
  await terminal.waitForView((rows) => !rows.includes("working"));
  terminal.type(`/mcp${ENTER}`);
  await terminal.waitForView(/^memory +stdio/m);
  terminal.type("/");
  await terminal.waitForView("❯ /mcp");
  draw("chat-commands");
} finally {
  terminal.kill();
  await openTerminal(process.execPath, [command, "stop", "--force"], { cwd: folder, env }).exited;
  await model.close();
  rmSync(home, { recursive: true });
}

/** Writes the picture, with times that don't depend on this machine. @param {string} name */
function draw(name) {
  const rows = terminal.view
    .spans()
    .map((spans) =>
      spans.map((span) => ({ ...span, text: span.text.replaceAll(/\d+ ms/g, "12 ms").replaceAll(home, "~") })),
    );
  writeFileSync(join(root, "docs", "images", `${name}.svg`), drawTerminal(rows, COLUMNS));
}
