/** Tests `plugboard edit` with a script as the editor. */
import { chmod, readFile, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { editorArguments } from "#commands/config/edit-config-file.js";
import { parseOutput } from "../../helpers/json-schema.ts";
import { setUpProject } from "../../helpers/project.ts";
import type { Project } from "../../helpers/project.ts";
import { runInTerminal, runPiped, runPipedProcess } from "../../helpers/run-plugboard.ts";

/** Returns the project with an editor that runs these lines of a shell. `$file` is the last argument. */
async function withEditor(project: Project, script: string, name = "editor"): Promise<Project> {
  const editor = join(project.home, name);
  await writeFile(editor, `#!/bin/sh\nfor file; do :; done\n${script}\n`);
  await chmod(editor, 0o755);
  return { ...project, env: { ...project.env, EDITOR: editor } };
}

const TWO_SERVERS =
  '{\n  "mcp": {\n    "servers": {\n      "a": { "command": "x" },\n      "b": { "command": "y" }\n    }\n  }\n}\n';

describe("plugboard edit", () => {
  it("creates the project's file, opens it and checks it", async () => {
    const project = await withEditor(
      await setUpProject(),
      `cat "$file" >"$file.seen"; echo '{ "mcpServers": {} }' >"$file"`,
    );
    const { status, stdout } = await runPipedProcess(project, "edit", "--json");
    expect(status).toBe(0);
    expect(await parseOutput("config-validate", stdout)).toEqual({ files: [project.files.project], problems: [] });
    expect(await readFile(`${project.files.project}.seen`, "utf8")).toBe('{\n  "version": 1\n}\n');
  });

  it("opens the file of the scope at the line of the server", async () => {
    const plain = await setUpProject();
    await plain.write("user", TWO_SERVERS);
    const project = await withEditor(plain, `echo "$@" >"${plain.home}/arguments"`, "vim");
    const setup = { ...project, env: { ...project.env, VISUAL: `${project.env["EDITOR"]} -f` } };
    expect(await runPipedProcess(setup, "edit", "b", "--scope", "user")).toMatchObject({ status: 0 });
    expect(await readFile(join(plain.home, "arguments"), "utf8")).toBe(`-f +5 ${plain.files.user}\n`);
    expect((await runPiped(setup, "edit", "b")).stderr).toContain("use --scope user");
  });

  it("shows problems and offers to edit again, at the line of the first error", async () => {
    const plain = await setUpProject();
    const script = `echo "$@" >>"${plain.home}/arguments"
if [ -e "${plain.home}/second" ]; then echo '{}' >"$file"; else touch "${plain.home}/second"; printf '{\\n  "permissions": 7\\n}' >"$file"; fi`;
    const terminal = runInTerminal(await withEditor(plain, script, "nano"), "edit");
    expect(await terminal.waitFor("Edit the file again? y / n: ")).toContain(
      'config.json:2:18: "permissions" must be an object',
    );
    terminal.type("y\r");
    await terminal.waitFor("No problems in 1 file");
    expect(await terminal.exited).toMatchObject({ exitCode: 0 });
    expect(await readFile(join(plain.home, "arguments"), "utf8")).toBe(
      `${plain.files.project}\n+2 ${plain.files.project}\n`,
    );
  });

  it("fails if the editor fails or deletes the file", async () => {
    const failing = await withEditor(await setUpProject(), "exit 3");
    const failed = await runPiped(failing, "edit");
    expect(failed).toMatchObject({ status: 2, stdout: "" });
    expect(failed.stderr).toMatch(/^USAGE: The editor ".*" failed with exit code 3\. The file was not checked\.\n$/);
    const deleting = await withEditor(await setUpProject(), 'rm "$file"');
    expect(await runPiped(deleting, "edit")).toMatchObject({
      status: 2,
      stderr: `USAGE: The editor has deleted ${deleting.files.project}.\n`,
    });
  });

  it("ignores a blank VISUAL", async () => {
    const project = await withEditor(await setUpProject(), `echo '{}' >"$file"`);
    const setup = { ...project, env: { ...project.env, VISUAL: "  " } };
    expect(await runPiped(setup, "edit")).toMatchObject({ status: 0 });
  });

  it("fails if errors remain", async () => {
    const project = await withEditor(await setUpProject(), `echo '{' >"$file"`);
    const { status, stdout } = await runPipedProcess(project, "edit");
    expect(status).toBe(2);
    expect(stdout).toContain("config.json:2:1: not JSON");
    const terminal = runInTerminal(project, "edit");
    await terminal.waitFor("Edit the file again?");
    terminal.type("\r");
    expect(await terminal.exited).toMatchObject({ exitCode: 2 });
  });

  it("gives the editor the terminal, and leaves Ctrl-C to it", async () => {
    const script = `trap 'echo "editor got it"; exit 3' INT\ntest -t 0 && echo "on a terminal"\nwhile :; do sleep 0.1; done`;
    const terminal = runInTerminal(await withEditor(await setUpProject(), script), "edit");
    await terminal.waitFor("on a terminal");
    terminal.type("\x03");
    await terminal.waitFor("editor got it");
    await terminal.waitFor("failed with exit code 3");
    expect(await terminal.exited).toMatchObject({ exitCode: 2 });
  });

  it("fails if the editor can't be started", async () => {
    const project = await setUpProject();
    const { status, stderr } = await runPiped(
      { ...project, env: { ...project.env, EDITOR: "no-such-editor" } },
      "edit",
    );
    expect(status).toBe(2);
    expect(stderr).toContain('the command "no-such-editor" was not found in PATH');
    expect(stderr).toContain("Set VISUAL or EDITOR to your editor");
  });
});

it.each([
  ["vim", ["+7", "/c.json"]],
  ["/usr/bin/nano", ["+7", "/c.json"]],
  ["code", ["--goto", "/c.json:7"]],
  ["ed", ["/c.json"]],
])("editorArguments opens a file at a line with %s, if it supports that", (editor, args) => {
  expect(editorArguments(editor, "/c.json", 7)).toEqual(args);
});
