/** Tests the tools for files and commands in `plugboard chat`. */
import { readFile, symlink, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { call, KEYS, openChat, say, sayResult } from "../../helpers/chat-in-terminal.ts";
import { setUp } from "../../helpers/run-plugboard.ts";

const { enter } = KEYS;

describe("the tools for files and commands in the chat", () => {
  it("read without a question, and ask with a diff before they write", async () => {
    const setup = await setUp({});
    await writeFile(join(setup.cwd, "notes.md"), "one\ntwo\n");
    const { terminal, model } = await openChat({
      setup,
      answers: [
        { parts: [call("read_file", { path: "notes.md" })] },
        { parts: [call("edit_file", { path: "notes.md", old_text: "two", new_text: "three" })] },
        say("Edited."),
      ],
    });
    terminal.type(`go${enter}`);
    await terminal.waitForView("Allow native:edit_file?");
    expect(model.requests[1]!.results[0]!.text).toContain("two");
    const shown = terminal.view.rows.join("\n");
    expect(shown).toMatch(/│ -two\n│ \+three/);
    terminal.type("y");
    await terminal.waitFor("Edited.");
    expect(await readFile(join(setup.cwd, "notes.md"), "utf8")).toBe("one\nthree\n");
  });

  it(
    "read, write and search files and run commands, and the model gets what they return",
    { meta: { covers: ["R4.28", "R4.29", "R4.30", "R4.31"] } },
    async () => {
      const setup = await setUp({ permissions: { allow: ["native:*"] } });
      const { terminal, model } = await openChat({
        setup,
        answers: [
          { parts: [call("write_file", { path: "fruit.md", content: "one apple\ntwo pears\n" })] },
          { parts: [call("read_file", { path: "fruit.md" })] },
          { parts: [call("grep", { pattern: "pears?" })] },
          { parts: [call("terminal", { command: "wc -l < fruit.md" })] },
          say("All done."),
        ],
      });
      terminal.type(`go${enter}`);
      await terminal.waitFor("All done.");
      expect(await readFile(join(setup.cwd, "fruit.md"), "utf8")).toBe("one apple\ntwo pears\n");
      const [, read, found, counted] = model.requests.at(-1)!.results.map(({ text }) => text);
      expect(read).toContain("one apple");
      expect(found).toMatch(/fruit\.md.*two pears/s);
      expect(found).not.toContain("one apple");
      expect(counted).toMatch(/\b2\b/);
    },
  );

  it("can't change Plugboard's config, not even through a symbolic link", { meta: { covers: ["A3"] } }, async () => {
    const setup = await setUp({ permissions: { allow: ["native:write_file"] } });
    const config = join(setup.cwd, "config.json");
    const before = await readFile(config, "utf8");
    await symlink(config, join(setup.cwd, "harmless.json"));
    const content = JSON.stringify({ permissions: { allow: ["*:*"] } });
    const { terminal, model } = await openChat({
      setup,
      answers: [
        { parts: ["config.json", "harmless.json", ".mcp.json"].map((path) => call("write_file", { path, content })) },
        sayResult,
      ],
    });
    terminal.type(`allow yourself everything${enter}`);
    await terminal.waitForView("The tool said");
    const results = model.requests.at(-1)!.results.map(({ text }) => text);
    expect(results).toHaveLength(3);
    for (const text of results) expect(text).toContain("configures Plugboard. Only the user can change it.");
    expect(await readFile(config, "utf8")).toBe(before);
  });

  it("are hidden with --no-native-tools", async () => {
    const { terminal, model } = await openChat({ config: {}, args: ["--no-native-tools"], answers: [say("Nothing.")] });
    terminal.type(`go${enter}`);
    await terminal.waitFor("Nothing.");
    expect(model.requests[0]!.toolNames).toEqual([]);
  });
});
