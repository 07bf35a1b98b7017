/** Tests which folders a server works in after `plugboard add`: those in its arguments, or the project's folder. */
import { mkdir, symlink, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { filesystemStdio } from "@plugboard/testkit/third-party-servers";
import { describe, expect, it } from "vitest";
import { setUpProject } from "../../helpers/project.ts";
import { runPiped } from "../../helpers/run-plugboard.ts";

/** A project, and a folder outside of it with a file. */
async function setUpNotes() {
  const project = await setUpProject();
  const notes = join(project.home, "notes");
  await mkdir(notes);
  await writeFile(join(notes, "notes.md"), "hello");
  return { ...project, notes };
}

describe("plugboard add with a folder in the arguments", () => {
  it("lets server-filesystem work in that folder, as the README shows", async () => {
    const project = await setUpNotes();
    const { command, args } = filesystemStdio(project.notes);
    const added = await runPiped(project, "add", "files", command, ...args);
    expect(added).toMatchObject({ status: 0 });
    expect(added.stderr).toContain(`note: files gets no roots, so that it works in ${project.notes}.`);
    const read = await runPiped(project, "call", "files:read_text_file", "path=notes.md");
    expect(read).toMatchObject({ status: 0, stdout: "hello\n" });
  });

  it("gives the server the project's folder with --roots true, already at its first call", async () => {
    const project = await setUpNotes();
    await writeFile(join(project.cwd, "notes.md"), "of the project");
    const { command, args } = filesystemStdio(project.notes);
    const added = await runPiped(project, "add", "files", "--roots", "true", command, ...args);
    expect(added).toMatchObject({ status: 0, stderr: "" });
    const read = await runPiped(project, "call", "files:read_text_file", "path=notes.md");
    expect(read).toMatchObject({ status: 0, stdout: "of the project\n" });
  });

  it.each([
    ["a folder in the project", ["data"], { roots: false }],
    ["a folder after an option", ["--dir=data"], { roots: false }],
    ["a folder below --cwd", ["--cwd", "data", "npx", "inner"], { roots: false }],
    ["the project's folder", ["."], {}],
    ["a link to the project's folder", ["../link"], {}],
    ["a file", ["data/file"], {}],
    ["a missing folder", ["missing"], {}],
    ["a folder, in the user's scope", ["--scope", "user", "npx", "data"], {}],
  ])("writes the key roots only for a folder other than the project's: %s", async (_, words, expected) => {
    const project = await setUpProject();
    await mkdir(join(project.cwd, "data", "inner"), { recursive: true });
    await writeFile(join(project.cwd, "data", "file"), "");
    await symlink(project.cwd, join(project.home, "link"));
    const command = words.includes("npx") ? words : ["npx", ...words];
    expect(await runPiped(project, "add", "s", ...command)).toMatchObject({ status: 0 });
    const { s } = await project.servers(words.includes("user") ? "user" : "project");
    const { roots } = s as { roots?: boolean };
    expect({ ...(roots !== undefined && { roots }) }).toEqual(expected);
  });
});
