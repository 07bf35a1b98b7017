/** Tests that the native tools write no file that makes Git run a command. Uses the real Git. */
import { execFileSync } from "node:child_process";
import { lstat, mkdir, symlink, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { describe, expect, it, vi } from "vitest";
import { makeWorkspaceFiles } from "../../helpers/workspace-files.ts";
import type { WorkspaceFiles } from "../../helpers/workspace-files.ts";

const A23 = { meta: { covers: ["A23"] } };
const HEAD = "ref: refs/heads/main\n";

/** Returns a Git config that makes `git status` run a command. The command creates the file `marker`. */
const armedConfig = (folder: string) =>
  `[core]\nrepositoryformatversion = 0\nbare = false\nworktree = ..\nfsmonitor = "touch ${marker(folder)}; false"\n`;
const marker = (folder: string) => join(folder, "command-ran");
const exists = (path: string) => lstat(path).then(...both(true, false));
const both = <A, B>(a: A, b: B) => [() => a, () => b] as const;
const git = (cwd: string, ...args: string[]) => execFileSync("git", args, { cwd, stdio: "pipe", encoding: "utf8" });

/** Writes the files with write_file, and returns those that were refused. */
async function refused({ run }: WorkspaceFiles, files: { readonly [path: string]: string }): Promise<string[]> {
  const paths: string[] = [];
  for (const [path, content] of Object.entries(files)) {
    const { isError, text } = await run("write_file", { path, content });
    if (isError) expect(text).toMatch(/Git/);
    if (isError) paths.push(path);
  }
  return paths;
}

describe("write_file", A23, () => {
  it.each([
    ["HEAD", ["x/objects/a", "x/refs/b", "x/HEAD"]],
    ["refs", ["x/objects/a", "x/HEAD", "x/refs/b"]],
    ["objects", ["x/HEAD", "x/refs/b", "x/objects/a"]],
    ["a file deep below refs", ["x/objects/a/b", "x/HEAD", "x/refs/heads/deep/b"]],
    ["HEAD in another case", ["x/objects/a", "x/refs/b", "x/head"]],
    ["HEAD by a path with ..", ["x/objects/a", "x/refs/b", "x/objects/../HEAD"]],
    ["HEAD with an invisible character", ["x/objects/a", "x/refs/b", "x/HE\u200dAD"]],
    ["commondir, which names a folder with objects and refs", ["y/objects/a", "y/refs/b", "x/HEAD", "x/commondir"]],
    ["HEAD beside commondir", ["y/objects/a", "y/refs/b", "x/commondir", "x/HEAD"]],
    ["HEAD in the workspace itself", ["objects/a", "refs/b", "HEAD"]],
  ])("refuses the file that would make a folder a repository: %s", async (_, paths) => {
    const files = await makeWorkspaceFiles();
    const contents = Object.fromEntries(paths.map((path) => [path, path.endsWith("commondir") ? "../y\n" : HEAD]));
    expect(await refused(files, contents)).toEqual(paths.slice(-1));
    await expect(files.preview("write_file", { path: paths.at(-1)!, content: HEAD })).rejects.toMatchObject({
      code: "INVALID_ARGUMENTS",
    });
  });

  it("refuses one of two files that would together make a repository, even through a link and at the same time", async () => {
    const files = await makeWorkspaceFiles({ "x/objects/a": "", "x/other": "" });
    await symlink("x", join(files.folder, "link"));
    const both = await Promise.all([
      files.run("write_file", { path: "link/HEAD", content: HEAD }),
      files.run("write_file", { path: "x/refs/b", content: "" }),
    ]);
    expect(both.filter(({ isError }) => isError)).toHaveLength(1);
  });

  it("writes two of HEAD, refs and objects in a folder, and the third in another folder", async () => {
    const files = await makeWorkspaceFiles();
    expect(await refused(files, { "x/HEAD": HEAD, "x/refs/a": "", "y/objects/b": "", "x/y/objects": "" })).toEqual([]);
  });

  it("and edit_file refuse the files of a repository with any name, but not a work tree inside of it", async () => {
    const files = await makeWorkspaceFiles();
    const { folder, run } = files;
    git(folder, "init", "-q", "--bare", "fixture.git");
    git(folder, "init", "-q", "--separate-git-dir=store", "tree");
    await symlink("store", join(folder, "link"));
    await mkdir(join(folder, "fixture.git/tree"));
    await writeFile(join(folder, "fixture.git/tree/.git"), "gitdir: ../worktrees/tree\n");
    const paths = ["fixture.git/config", "fixture.git/hooks/post-index-change", "store/config", "link/config"];
    for (const path of paths) {
      expect((await run("write_file", { path, content: "" })).text).toContain("belongs to Git");
      expect((await run("edit_file", { path, old_text: "core", new_text: "x" })).text).toContain("belongs to Git");
    }
    expect(await refused(files, { "tree/a": "", "fixture.git/tree/src/a": "" })).toEqual([]);
  });

  it("refuses the files that the config of Git includes or runs", async () => {
    const files = await makeWorkspaceFiles({ "inc/first": '[include]\npath = "second" # more\n' });
    const { folder } = files;
    git(folder, "init", "-q", ".");
    git(folder, "config", "include.path", "../inc/first");
    git(folder, "config", "includeIf.onbranch:main.path", "../inc/third");
    git(folder, "config", "core.hooksPath", ".githooks");
    git(folder, "config", "core.fsmonitor", "./watch.sh --fast");
    git(folder, "config", "filter.x.clean", "sh 'scripts/clean.sh' %f");
    git(folder, "config", "alias.up", "!sub/up.sh");
    git(folder, "config", "branch.main.remote", "origin");
    const named = [
      "inc/first",
      "inc/second",
      "inc/third",
      ".githooks/new",
      "watch.sh",
      "scripts/clean.sh",
      "sub/up.sh",
    ];
    const others = ["inc/other", "scripts/other.sh", "origin", "githooks/a", ".gitattributes", ".gitmodules"];
    const all = Object.fromEntries([...named, ...others].map((path) => [path, ""]));
    expect(await refused(files, all)).toEqual(named);
  });

  it.each([
    ["core.hooksPath", ".husky/_", [".husky/pre-commit", ".husky/_/h"], ["husky/pre-commit"]],
    ["core.hooksPath", "hooks/_", ["hooks/_/pre-commit"], ["hooks/pre-commit"]],
    ["init.templateDir", "template", ["template/hooks/pre-commit"], ["hooks/pre-commit"]],
    ["interactive.diffFilter", "./paint.sh --all", ["paint.sh"], ["all"]],
    ["submodule.x.update", "!sub/update.sh", ["sub/update.sh"], ["update.sh"]],
    ["submodule.x.url", "sub/update.sh", [], ["sub/update.sh"]],
    ["pager.log", "sh page.sh", ["page.sh"], ["log"]],
    ["browser.x.path", "tools/browse", ["tools/browse"], ["browse"]],
    ["mergetool.x.path", "tools/merge", ["tools/merge"], ["merge"]],
  ])("refuses only the files that Git runs because of %s = %s", async (key, value, named, others) => {
    const files = await makeWorkspaceFiles();
    git(files.folder, "init", "-q", ".");
    git(files.folder, "config", key, value);
    const all = Object.fromEntries([...named, ...others].map((path) => [path, ""]));
    expect(await refused(files, all)).toEqual(named);
  });

  it("refuses the user's config of Git if the workspace is the home folder", async () => {
    const files = await makeWorkspaceFiles();
    vi.stubEnv("HOME", files.folder);
    vi.stubEnv("XDG_CONFIG_HOME", "");
    const paths = { ".gitconfig": "", ".config/git/config": "", ".config/other": "" };
    expect(await refused(files, paths)).toEqual([".gitconfig", ".config/git/config"]);
    vi.unstubAllEnvs();
  });
});

describe.runIf(process.platform !== "win32")("terminal", A23, () => {
  it("does not let git use a repository that it finds only by its content", async () => {
    const { folder, run, write } = await makeWorkspaceFiles();
    await write("x/HEAD", HEAD);
    await write("x/objects/a", "");
    await write("x/refs/b", "");
    await write("x/config", armedConfig(folder));
    const status = await run("terminal", { command: "git status", cwd: "x" });
    expect(status.text).toContain("safe.bareRepository");
    expect(await exists(marker(folder))).toBe(false);
    // Without the protection, Git does run the command.
    await run("terminal", { command: "GIT_CONFIG_COUNT=0 git status", cwd: "x" });
    expect(await exists(marker(folder))).toBe(true);
  });

  it("lets git use a repository with .git, a linked work tree and a submodule", async () => {
    const { folder, run } = await makeWorkspaceFiles({ "main/a": "" });
    const main = join(folder, "main");
    git(main, "init", "-q", ".");
    const user = ["-c", "user.name=a", "-c", "user.email=a@example.com"];
    git(main, "add", "a");
    git(main, ...user, "commit", "-qm", "first");
    git(main, "worktree", "add", "-q", "../linked");
    await mkdir(join(folder, "outer"));
    git(join(folder, "outer"), "init", "-q", ".");
    git(join(folder, "outer"), "-c", "protocol.file.allow=always", "submodule", "add", "-q", main, "sub");
    for (const cwd of ["main", "linked", "outer", "outer/sub"]) {
      expect((await run("terminal", { command: "git status", cwd })).text).toContain("[Ended: exit code 0]");
    }
  });

  it("keeps cmd.exe from running a program of the folder", async () => {
    const { run } = await makeWorkspaceFiles();
    expect((await run("terminal", { command: "env" })).text).toContain("NoDefaultCurrentDirectoryInExePath=1");
  });

  it("does not pass on the Git variables in the environment of the host", async () => {
    vi.stubEnv("GIT_CONFIG_COUNT", "2");
    vi.stubEnv("GIT_DIR", "/elsewhere");
    const { run } = await makeWorkspaceFiles();
    const { text } = await run("terminal", { command: "env | grep ^GIT_ | sort" });
    vi.unstubAllEnvs();
    expect(text.split("\n").slice(0, -1)).toEqual([
      "GIT_CONFIG_COUNT=1",
      "GIT_CONFIG_KEY_0=safe.bareRepository",
      "GIT_CONFIG_VALUE_0=explicit",
      "GIT_PAGER=cat",
    ]);
  });
});
