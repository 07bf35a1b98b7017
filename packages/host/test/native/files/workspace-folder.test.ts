/** Attacks the confinement of the native tools to the workspace. */
import { renameSync, rmSync, symlinkSync } from "node:fs";
import { link, lstat, mkdir, readdir, readFile, symlink, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { FolderHandle } from "#native/files/folder-handle.js";
import { describe, expect, it } from "vitest";
import { makeWorkspaceFiles } from "../../helpers/workspace-files.ts";
import { makePipe } from "../../../../store/test/helpers/make-pipe.ts";

describe("a path out of the workspace", { meta: { covers: ["A3"] } }, () => {
  it.each([
    ["..", "../outside/secret.txt"],
    [".. after a folder", "sub/../../outside/secret.txt"],
    ["a link to a file", "file-link"],
    ["a link to a folder", "folder-link/secret.txt"],
    ["a link to a link", "second-link"],
    ["a link and ..", "folder-link/../../outside/secret.txt"],
    ["an absolute path", "/etc/hostname"],
    ["a dangling link", "dangling-link"],
    ["a missing file behind a link", "folder-link/new/file.txt"],
    ["a file of the system", "/proc/self/environ"],
  ])("is refused by all tools: %s", async (_, path) => {
    const { run, preview, folder, outside } = await makeWorkspaceFiles({ "sub/a": "" });
    await symlink(join(outside, "secret.txt"), join(folder, "file-link"));
    await symlink(outside, join(folder, "folder-link"));
    await symlink("file-link", join(folder, "second-link"));
    await symlink(join(outside, "created"), join(folder, "dangling-link"));
    const results = await Promise.all([
      run("read_file", { path }),
      run("write_file", { path, content: "x" }),
      run("edit_file", { path, old_text: "secret", new_text: "x" }),
      run("grep", { pattern: "secret", path }),
      run("glob", { pattern: "*", path }),
      run("terminal", { command: "pwd", cwd: path }),
    ]);
    for (const { text, isError } of results) {
      expect(isError).toBe(true);
      expect(text).toMatch(/is outside the workspace/);
    }
    for (const name of ["write_file", "edit_file"]) {
      const args = { path, content: "", old_text: "secret", new_text: "" };
      await expect(preview(name, args)).rejects.toMatchObject({ code: "INVALID_ARGUMENTS" });
    }
    expect(await readFile(join(outside, "secret.txt"), "utf8")).toBe("top secret");
    await expect(lstat(join(outside, "created"))).rejects.toMatchObject({ code: "ENOENT" });
  });

  it("is not found by a search, even if a link leads to it", async () => {
    const { run, folder, outside } = await makeWorkspaceFiles({ "a.txt": "no secret here\n" });
    await symlink(outside, join(folder, "link"));
    await symlink(join(outside, "secret.txt"), join(folder, "b.txt"));
    expect((await run("grep", { pattern: "secret" })).text).toBe("a.txt:1:no secret here");
    expect((await run("glob", { pattern: "**" })).text).toBe("a.txt");
  });
});

it.each(["a.txt/", "a.txt/.", "a.txt/x/..", "new/"])(
  "a path that has the form of a folder is refused as a file: %s",
  async (path) => {
    const { run, folder } = await makeWorkspaceFiles({ "a.txt": "one" });
    for (const [tool, args] of [
      ["read_file", { path }],
      ["edit_file", { path, old_text: "one", new_text: "two" }],
      ["write_file", { path, content: "two" }],
      ["grep", { path, pattern: "one" }],
    ] as const) {
      expect(await run(tool, args)).toMatchObject({ isError: true });
    }
    expect(await readdir(folder)).toEqual(["a.txt"]);
    expect(await readFile(join(folder, "a.txt"), "utf8")).toBe("one");
  },
);

it("a link inside the workspace is followed, and writing keeps the link", async () => {
  const { run, folder } = await makeWorkspaceFiles({ "real/a.txt": "one" });
  await symlink("real", join(folder, "link"));
  expect((await run("read_file", { path: "link/a.txt" })).text).toBe("one");
  expect((await run("write_file", { path: "link/a.txt", content: "two" })).isError).toBe(false);
  expect(await readFile(join(folder, "real/a.txt"), "utf8")).toBe("two");
  expect((await lstat(join(folder, "link"))).isSymbolicLink()).toBe(true);
});

it("writing to a hard link of a file outside leaves that file unchanged", async () => {
  const { run, folder, outside } = await makeWorkspaceFiles();
  await link(join(outside, "secret.txt"), join(folder, "twin"));
  expect((await run("write_file", { path: "twin", content: "x" })).isError).toBe(false);
  expect(await readFile(join(outside, "secret.txt"), "utf8")).toBe("top secret");
});

it("pipes, devices and sockets are refused without blocking", async () => {
  const { run, folder } = await makeWorkspaceFiles({ a: "x\n" });
  makePipe(join(folder, "pipe"));
  expect((await run("read_file", { path: "pipe" })).text).toMatch(/it is not a regular file/);
  expect((await run("write_file", { path: "pipe", content: "x" })).isError).toBe(true);
  expect((await run("grep", { pattern: "x", path: "pipe" })).text).toMatch(/neither a file nor a folder/);
  expect((await run("grep", { pattern: "x" })).text).toBe("a:1:x");
});

it(
  "the state of Plugboard can't be read or searched, even if it is inside the workspace",
  { meta: { covers: ["A12"] } },
  async () => {
    const { run, folder } = await makeWorkspaceFiles({ "state/mcp-auth.json": "token-canary", "a/b": "no canary\n" });
    await symlink("state", join(folder, "s"));
    for (const path of ["state/mcp-auth.json", "s/mcp-auth.json", "state/new"]) {
      expect((await run("read_file", { path })).text).toMatch(/belongs to the state of Plugboard/);
      expect((await run("write_file", { path, content: "" })).isError).toBe(true);
    }
    expect((await run("grep", { pattern: "canary", include_ignored: true })).text).toBe("a/b:1:no canary");
    expect((await run("grep", { pattern: "canary", path: "state" })).isError).toBe(true);
  },
);

it("a NUL character in a path is refused", async () => {
  const { run } = await makeWorkspaceFiles();
  expect((await run("read_file", { path: "a\0b" })).text).toMatch(/NUL character/);
});

describe.runIf(process.platform === "linux")("a folder that is replaced by a link during a call", () => {
  it("still leads to the folder that was opened", async () => {
    const { folder, outside } = await makeWorkspaceFiles({ "sub/secret.txt": "own" });
    const handle = await FolderHandle.walk(folder, ["sub"]);
    renameSync(join(folder, "sub"), join(folder, "moved"));
    symlinkSync(outside, join(folder, "sub"));
    expect(await readFile(handle.pathOf("secret.txt"), "utf8")).toBe("own");
    await handle.close();
    await expect(FolderHandle.walk(folder, ["sub"])).rejects.toMatchObject({ code: "ENOTDIR" });
  });

  it("never lets a tool read or write outside", async () => {
    const { run, folder, outside } = await makeWorkspaceFiles({ "sub/secret.txt": "own" });
    await mkdir(join(folder, "spare"));
    symlinkSync(outside, join(folder, "link"));
    const end = new AbortController();
    /** Retries, because a tool may create the missing folder between two renames. */
    const moveOver = (from: string, to: string) => {
      for (;;) {
        try {
          rmSync(to, { recursive: true, force: true });
          return renameSync(from, to);
        } catch (error) {
          if (!["EISDIR", "ENOTEMPTY", "EEXIST"].includes((error as NodeJS.ErrnoException).code!)) throw error;
        }
      }
    };
    const swap = (async () => {
      while (!end.signal.aborted) {
        renameSync(join(folder, "sub"), join(folder, "spare", "sub"));
        moveOver(join(folder, "link"), join(folder, "sub"));
        await new Promise(setImmediate);
        renameSync(join(folder, "sub"), join(folder, "link"));
        moveOver(join(folder, "spare", "sub"), join(folder, "sub"));
        await new Promise(setImmediate);
      }
    })();
    let reads = 0;
    for (let round = 0; round < 300; round++) {
      const { text, isError } = await run("read_file", { path: "sub/secret.txt" });
      expect(text).not.toContain("top secret");
      if (!isError) reads++;
      await run("write_file", { path: "sub/new.txt", content: "x" });
      if (round % 20 === 0) expect((await run("grep", { pattern: "top" })).text).not.toContain("top secret");
      if (round >= 100 && reads > 0) break;
    }
    end.abort();
    await swap;
    await expect(lstat(join(outside, "new.txt"))).rejects.toMatchObject({ code: "ENOENT" });
    expect(await readFile(join(outside, "secret.txt"), "utf8")).toBe("top secret");
  });
});

it("write fails if another program has changed the file since it was read", async () => {
  const { WorkspaceFolder } = await import("#native/files/workspace-folder.js");
  const { folder, write } = await makeWorkspaceFiles({ a: "one" });
  const files = new WorkspaceFolder({ folder, stateFolder: undefined, configFiles: () => [], newId: () => "t" });
  const { stats } = await files.read("a");
  await write("b", "of the user");
  renameSync(join(folder, "b"), join(folder, "a"));
  await expect(files.write("a", "two", stats)).rejects.toThrow(/was changed by another program/);
  expect(await readFile(join(folder, "a"), "utf8")).toBe("of the user");
  await writeFile(join(folder, "new"), "appeared");
  await expect(files.write("new", "two", undefined)).rejects.toThrow(/was changed by another program/);
});
