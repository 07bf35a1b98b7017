/** Tests which files belong to a scope. */
import { mkdir, realpath, symlink, writeFile } from "node:fs/promises";
import { dirname, join } from "node:path";
import { findScopeFiles, requireScopeFiles } from "#files/find-scope-files.js";
import { beforeEach, describe, expect, it } from "vitest";
import { temporaryFolder } from "../../../store/test/helpers/run-child.ts";

let home: string;
let project: string;
const env = { PLUGBOARD_CONFIG_PATH: "user.json" };

async function write(path: string): Promise<void> {
  await mkdir(dirname(join(home, path)), { recursive: true });
  await writeFile(join(home, path), "{}");
}

beforeEach(async () => {
  home = await realpath(await temporaryFolder());
  project = join(home, "project");
  await mkdir(join(project, "deep"), { recursive: true });
});

describe("findScopeFiles", () => {
  it("returns the user's file, whose relative paths start at the home folder", async () => {
    const found = await findScopeFiles("user", project, env, home);
    expect(found).toEqual({ scope: "user", files: [join(home, "user.json")], folder: home });
  });

  it("returns both files of the project, Plugboard's own file last, even if neither exists", async () => {
    const found = await findScopeFiles("project", project, env, home);
    const files = [join(project, ".mcp.json"), join(project, ".plugboard", "config.json")];
    expect(found).toEqual({ scope: "project", files, folder: project });
  });

  it("finds the project of a folder below it", async () => {
    await write("project/.mcp.json");
    const cwd = join(project, "deep");
    expect(await findScopeFiles("project", cwd, env, home)).toMatchObject({ folder: project });
    expect(await findScopeFiles("local", cwd, env, home)).toMatchObject({
      files: [join(project, ".plugboard", "config.local.json")],
    });
  });

  it("finds the local file without a project", async () => {
    await write("project/.plugboard/config.local.json");
    expect(await findScopeFiles("local", join(project, "deep"), env, home)).toMatchObject({ folder: project });
  });

  it("resolves a symbolic link to the project", async () => {
    await symlink(project, join(home, "link"));
    expect(await findScopeFiles("project", join(home, "link"), env, home)).toMatchObject({ folder: project });
  });

  it("leaves out a project file that PLUGBOARD_CONFIG_PATH names, because it belongs to the user scope", async () => {
    await write("project/.plugboard/config.json");
    const found = await findScopeFiles(
      "project",
      project,
      { PLUGBOARD_CONFIG_PATH: "project/.plugboard/config.json" },
      home,
    );
    expect(found?.files).toEqual([join(project, ".mcp.json")]);
  });

  it("returns undefined for the project and the local file of the home folder, which are not read", async () => {
    expect(await findScopeFiles("project", home, env, home)).toBeUndefined();
    expect(await findScopeFiles("local", home, env, home)).toBeUndefined();
  });
});

it("requireScopeFiles throws USAGE for the project of the home folder", async () => {
  await expect(requireScopeFiles("project", home, env, home)).rejects.toMatchObject({ code: "USAGE" });
});
