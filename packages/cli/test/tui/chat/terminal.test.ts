/** Tests how `plugboard chat` treats the terminal: its modes, size, colours and signals. */
import { describe, expect, it } from "vitest";
import { call, echo, FILES, KEYS, openChat, say } from "../../helpers/chat-in-terminal.ts";
import { stopAfterTest } from "../../helpers/hosting.ts";
import { programInTerminal, command, runPiped, setUp } from "../../helpers/run-plugboard.ts";

const { enter, ctrlC } = KEYS;
const PASTE_OFF = "\u001b[?2004l";
const SHOW_CURSOR = "\u001b[?25h";

const ASKS = [
  { parts: [call("mcp__files__write", { path: "a.md" }), call("mcp__files__write", { path: "b.md" })] },
  say("Fine."),
];

describe("the terminal of the chat", () => {
  it(
    "is restored when Ctrl-C is pressed twice during questions, and the calls are denied",
    { meta: { covers: ["F41"] } },
    async () => {
      const { terminal, model } = await openChat({ answers: ASKS });
      terminal.type(`go${enter}`);
      await terminal.waitFor("Allow files:write?");
      terminal.type(ctrlC);
      await terminal.waitFor("Press Ctrl-C again to leave");
      terminal.type(ctrlC);
      await expect(terminal.exited).resolves.toMatchObject({ exitCode: 0 });
      const end = terminal.output().slice(terminal.output().lastIndexOf(PASTE_OFF));
      expect(end).toContain(SHOW_CURSOR);
      await expect.poll(() => model.requests.length).toBe(2);
      const results = model.requests[1]!.results.map(({ text }) => text);
      expect(results).toEqual([expect.stringContaining("denied"), expect.stringMatching(/denied|dismissed|nobody/i)]);
    },
  );

  it("is never erased from its first column on, because tmux then keeps a copy of the screen", async () => {
    const { terminal } = await openChat();
    terminal.type("hello");
    await terminal.waitForView("hello");
    const output = terminal.output();
    expect(output).toContain("\u001b[J");
    expect(output).not.toMatch(/(?:\r|\n)(?:\u001b\[\d*[AK])*\u001b\[J/);
  });

  it("clears the input on Ctrl-C, also if it was typed just after another Ctrl-C", async () => {
    const { terminal } = await openChat();
    terminal.type(ctrlC);
    await terminal.waitForView("again to leave");
    terminal.type("a draft");
    await terminal.waitForView((rows) => rows.includes("a draft") && !rows.includes("again to leave"));
    terminal.type(ctrlC);
    await terminal.waitForView((rows) => !rows.includes("a draft") && rows.includes("again to leave"));
    terminal.type(ctrlC);
    expect(await terminal.exited).toMatchObject({ exitCode: 0 });
  });

  it("echoes what is typed in the shell after the chat has ended", { meta: { covers: ["F41"] } }, async () => {
    const setup = await setUp({});
    stopAfterTest(setup);
    const shell = programInTerminal(setup, "bash", [
      "--norc",
      "-c",
      `'${process.execPath}' '${command}' chat; stty -a | tr ';' '\\n' | grep -E 'icanon|echo' ; read -r line; echo "got $line"`,
    ]);
    await shell.waitForView("no model");
    shell.type(ctrlC);
    await shell.waitFor("again to leave");
    shell.type(ctrlC);
    await shell.waitFor(/(?<!-)icanon/);
    shell.type(`typed${enter}`);
    await shell.waitFor("got typed");
  });

  it(
    "is restored when the process gets SIGTERM during a question, and the call is denied",
    { meta: { covers: ["F41"] } },
    async () => {
      const { terminal, model } = await openChat({ answers: ASKS });
      terminal.type(`go${enter}`);
      await terminal.waitFor("Allow files:write?");
      process.kill(terminal.pid, "SIGTERM");
      await terminal.exited;
      expect(terminal.output()).toContain(PASTE_OFF);
      await expect.poll(() => model.requests.length).toBe(2);
      expect(model.requests[1]!.results[0]!.text).toContain("denied");
    },
  );

  it("returns to the shell while the chat is suspended, and shows the input line again afterwards", async () => {
    const setup = await setUp({});
    stopAfterTest(setup);
    const shell = programInTerminal({ ...setup, env: { ...setup.env, PS1: "shell> " } }, "bash", ["--norc", "-i"]);
    await shell.waitForView("shell>");
    shell.type(`'${process.execPath}' '${command}' chat${enter}`);
    await shell.waitForView(/^no model/m);
    shell.type("\u001a");
    await shell.waitForView((rows) => /Stopped/.test(rows) && !/^no model/m.test(rows));
    shell.type(`fg${enter}`);
    await shell.waitForView(/^no model.*\n› /m);
    shell.type(`/mcp${enter}`);
    await shell.waitForView("no MCP servers configured");
  });

  it("shows the frame once after it has become narrower and wider", async () => {
    const { terminal } = await openChat({ answers: [echo], cols: 100 });
    terminal.type(`some words that fit into one row of the terminal${enter}`);
    await terminal.waitForView("You said: some words");
    terminal.type("a draft");
    await terminal.waitForView("› a draft");
    for (const columns of [60, 120, 70]) {
      await terminal.resize(columns, 30);
      terminal.type("!");
      await terminal.waitForView((rows) => rows.split("› a draft").length === 2 && /^compatible.*server$/m.test(rows));
    }
    const rows = terminal.view.rows.join("\n");
    expect(rows.match(/compatible\/scripted/g)).toHaveLength(1);
    expect(rows.match(/You said/g)).toHaveLength(1);
  });

  it("gets no row that is wider than its 60 columns", async () => {
    const answers = [
      {
        parts: [
          { text: "I write a file with a long name for you, and then I tell you about it." },
          call("mcp__files__write", { path: `${"long/".repeat(20)}a.md` }),
        ],
      },
      say(
        `# A long heading ${"word ".repeat(20)}\n\n| a | b |\n|---|---|\n| ${"cell ".repeat(20)} | b |\n\n\`\`\`\n${"code ".repeat(30)}\n\`\`\``,
      ),
    ];
    const { terminal } = await openChat({ answers, cols: 60, rows: 50 });
    terminal.type(`go${enter}`);
    await terminal.waitForView("Allow files:write?");
    terminal.type("y");
    await terminal.waitForView("A long heading");
    for (const line of ["/mcp", "/mcp files", "/tools", "/chats", "/permissions", "/help", "/cost"]) {
      terminal.type(`${line}${enter}`);
      await terminal.waitForView(`› ${line}\n`);
    }
    await terminal.waitForView("Cost:");
    expect(await terminal.view.allRows()).toContain("SERVER  TRANSPORT  SOURCE  ENABLED  STATE  TOOLS");
    // Checks the output, because the emulator would have broken a longer row into two.
    const wide = terminal
      .output()
      .split(/\r?\n/)
      .map(withoutSequences)
      .filter((row) => row.length > 60);
    expect(wide).toEqual([]);
  });

  it("gets no colours if NO_COLOR is set", async () => {
    const { terminal } = await openChat({ answers: [echo], env: { NO_COLOR: "1" } });
    terminal.type(`hello${enter}`);
    await terminal.waitFor("You said: hello");
    expect(terminal.output()).not.toMatch(/\u001b\[[\d;]*m/);
  });

  it("gets only colours of its own palette, which suits light and dark backgrounds", async () => {
    const { terminal } = await openChat({
      answers: [{ parts: [call("mcp__files__write")] }, say("# Title\n\n`code` and **bold**")],
      config: { mcpServers: { files: FILES }, permissions: { allow: ["files:*"] } },
    });
    terminal.type(`hello${enter}`);
    await terminal.waitForView("Title");
    terminal.type(`/mcp${enter}`);
    await terminal.waitForView(/^files/m);
    const sequences = new Set(Array.from(terminal.output().matchAll(/\u001b\[([\d;]*)m/g), ([, style]) => style));
    // Only red, green, yellow, cyan, bold, dim and italic, and the codes that end them: no background, white or black.
    for (const style of sequences) expect(["1", "2", "3", "22", "23", "31", "32", "33", "36", "39"]).toContain(style);
  });

  it("is required: without one, plugboard chat exits with 2 and suggests plugboard run", async () => {
    expect(await runPiped(await setUp(), "chat")).toMatchObject({
      status: 2,
      stderr: expect.stringContaining('Without one, use plugboard run "prompt"'),
    });
  });
});

function withoutSequences(text: string): string {
  return text.replaceAll(/\u001b\[[\d;?]*[a-zA-Z]/g, "");
}
