/** Tests which callers are offered the tools for files and commands, and when these tools ask for permission. */
import { mkdir, readFile, symlink, writeFile } from "node:fs/promises";
import { join } from "node:path";
import type { CallerKind, PermissionQuestion, ToolRef, WorkspaceSpec } from "@plugboard/contracts";
import type { EmbeddedHost } from "@plugboard/host";
import { Host } from "#core/host.js";
import { describe, expect, it, onTestFinished } from "vitest";
import { makeCall } from "../helpers/make-calls.ts";
import { answerInOrder, makeTestProject, resultText } from "../helpers/test-project.ts";

const TOOLS = ["read_file", "write_file", "edit_file", "grep", "glob", "terminal"];
const once = { type: "permission", decision: "once" } as const;
const always = { type: "permission", decision: "always" } as const;
const edit = { path: "a.txt", old_text: "one", new_text: "two" };

async function offeredTo(host: EmbeddedHost, kind: CallerKind, spec: WorkspaceSpec): Promise<string[]> {
  const workspace = await host.as(kind).workspace(spec);
  return (await workspace.tools.list()).map(({ name }) => name);
}

describe("the tools for files and commands", () => {
  it("are offered to a conversation, unless it leaves them out", async () => {
    const { open, project: cwd } = await makeTestProject();
    const host = await open();
    expect(await offeredTo(host, "chat", { cwd })).toEqual(TOOLS);
    expect(await offeredTo(host, "chat", { cwd, nativeTools: false })).toEqual([]);
  });

  it("are offered to a program only if it turns them on", async () => {
    const { open, project: cwd } = await makeTestProject();
    const host = await open();
    expect(host.tools.list()).toEqual([]);
    await expect(host.tools.call("read_file", { path: "a" })).rejects.toMatchObject({ code: "TOOL_NOT_FOUND" });
    expect(await offeredTo(host, "program", { cwd })).toEqual([]);
    const withTools = await open({ nativeTools: true });
    expect(withTools.tools.list().map(({ name }) => name)).toEqual(TOOLS);
    expect(withTools.tools.definitions("anthropic")).toHaveLength(TOOLS.length);
  });

  it.each(["cli", "page"] as const)("are offered to a caller of kind %s only if it asks for them", async (kind) => {
    const { open, project: cwd } = await makeTestProject();
    const host = await open();
    expect(await offeredTo(host, kind, { cwd })).toEqual([]);
    expect(await offeredTo(host, kind, { cwd, nativeTools: true })).toEqual(TOOLS);
  });

  it.each(["api", "front"] as const)("are never offered to a caller of kind %s", async (kind) => {
    const { open, project: cwd } = await makeTestProject();
    const host = await open({ nativeTools: true });
    expect(await offeredTo(host, kind, { cwd })).toEqual([]);
    await expect(host.as(kind).workspace({ cwd, nativeTools: true })).rejects.toMatchObject({ code: "FORBIDDEN" });
  });
});

it("a gateway client can't call the tools for files and commands, even in a workspace that has them", async () => {
  const { env, project, write } = await makeTestProject();
  await write("project/a.txt", "one");
  const host = new Host({ env, config: [] });
  onTestFinished(() => host.close());
  const workspace = await host.open({ cwd: project }, { nativeTools: true });
  const call = (ref: ToolRef, kind: CallerKind) =>
    workspace.calls.request(makeCall(ref, { path: "a.txt" }, { kind, id: "c" }, { impliesPermission: true }));
  for (const ref of ["read_file", "native:read_file", { server: "native", tool: "read_file" }]) {
    expect(await call(ref, "front")).toMatchObject({ type: "failed", error: { code: "TOOL_NOT_FOUND" } });
    expect(await call(ref, "chat")).toMatchObject({ type: "complete" });
  }
});

describe("without a rule for the tools for files and commands", () => {
  it("reading tools run, and the others ask with a preview", async () => {
    const { open, write, project } = await makeTestProject();
    await write("project/a.txt", "one\n");
    const { port, asked } = answerInOrder(once, once, once);
    const host = await open({ nativeTools: true, ports: { answer: port } });
    expect(resultText(await host.tools.call("read_file", { path: "a.txt" }))).toBe("one\n");
    expect(resultText(await host.tools.call("grep", { pattern: "one" }))).toBe("a.txt:1:one");
    expect(resultText(await host.tools.call("glob", { pattern: "*" }))).toBe("a.txt");
    expect(asked).toEqual([]);
    await host.tools.call("edit_file", edit);
    await host.tools.call("write_file", { path: "b.txt", content: "new\n" });
    expect(resultText(await host.tools.call("terminal", { command: "cat a.txt b.txt" }))).toMatch(/^two\nnew\n/);
    expect((asked as PermissionQuestion[]).map(({ tool, preview }) => [tool, preview])).toEqual([
      ["edit_file", "a.txt:\n@@ -1,1 +1,1 @@\n-one\n+two"],
      ["write_file", "New file b.txt:\n@@ -0,0 +1,1 @@\n+new"],
      ["terminal", `In ${project}:\ncat a.txt b.txt`],
    ]);
  });

  it("a call that can't run fails without a question", async () => {
    const { open, write } = await makeTestProject();
    await write("project/a.txt", "x\n");
    const { port, asked } = answerInOrder();
    const host = await open({ nativeTools: true, ports: { answer: port } });
    const invalid = expect.objectContaining({ code: "INVALID_ARGUMENTS" });
    await expect(host.tools.call("edit_file", edit)).rejects.toThrow(invalid);
    await expect(host.tools.call("edit_file", { path: "a.txt" })).rejects.toThrow(invalid);
    await expect(host.tools.call("write_file", { path: "../b", content: "" })).rejects.toThrow(invalid);
    expect(asked).toEqual([]);
  });

  it("a call that would ask is denied if nobody can be asked, and changes nothing", async () => {
    const { open, write, project } = await makeTestProject();
    const file = await write("project/a.txt", "one\n");
    const host = await open({ nativeTools: true });
    await expect(host.tools.call("edit_file", edit)).rejects.toMatchObject({ code: "NOBODY_TO_ASK" });
    const command = `touch ${join(project, "x")}`;
    await expect(host.tools.call("terminal", { command })).rejects.toMatchObject({ code: "NOBODY_TO_ASK" });
    expect(await readFile(file, "utf8")).toBe("one\n");
  });
});

it("rules for the server `native` and for arguments decide about the tools for files and commands", async () => {
  const { open } = await makeTestProject();
  const permissions = { allow: ['native:terminal(command="echo hi")'], deny: ["native:read_file"] };
  const host = await open({ nativeTools: true, permissions });
  expect(resultText(await host.tools.call("terminal", { command: "echo hi" }))).toMatch(/^hi\n/);
  await expect(host.tools.call("terminal", { command: "echo hi; id" })).rejects.toMatchObject({
    code: "NOBODY_TO_ASK",
  });
  await expect(host.tools.call("read_file", { path: "a" })).rejects.toMatchObject({ code: "TOOL_DENIED" });
  expect(host.tools.list().map(({ name }) => name)).not.toContain("read_file");
});

describe("rules for a path", () => {
  it.each([".env", "./.env", "sub/../.env", ".env/", ".env/.", ".env/x/..", "link", "folder-link/.env", "absolute"])(
    "that deny a file apply to each of its spellings: %s",
    async (spelling) => {
      const { open, project, write } = await makeTestProject();
      const file = await write("project/.env", "KEY=canary");
      await symlink(".env", join(project, "link"));
      await symlink(".", join(project, "folder-link"));
      const host = await open({ nativeTools: true, permissions: { deny: ["native:*(path=.env)"] } });
      const path = spelling === "absolute" ? file : spelling;
      for (const [tool, args] of [
        ["read_file", { path }],
        ["grep", { pattern: "KEY", path }],
      ] as const) {
        const read = host.tools.call(tool, args).then(resultText, ({ code }: { readonly code: string }) => code);
        expect(await read).toMatch(/^TOOL_DENIED$|is not a folder/);
      }
    },
  );

  it("that deny a file to read_file hide it from grep and glob", { meta: { covers: ["A23"] } }, async () => {
    const { open, write } = await makeTestProject();
    await write("project/.env", "KEY=canary");
    await write("project/a", "KEY=public");
    const host = await open({ nativeTools: true, permissions: { deny: ["native:read_file(path=.env)"] } });
    expect(resultText(await host.tools.call("grep", { pattern: "KEY" }))).toBe("a:1:KEY=public");
    expect(resultText(await host.tools.call("glob", { pattern: "*" }))).toBe("a");
  });

  it("that ask or deny also match the absolute path of a file", async () => {
    const { open, write } = await makeTestProject();
    const file = await write("project/.env", "KEY=canary");
    const host = await open({ nativeTools: true, permissions: { deny: [`native:read_file(path="${file}")`] } });
    await expect(host.tools.call("read_file", { path: ".env" })).rejects.toMatchObject({ code: "TOOL_DENIED" });
  });

  it("that allow a file apply only if its real path is allowed too", async () => {
    const { open, project, write } = await makeTestProject();
    await write("project/docs/a.md", "one");
    const target = await write("project/src/code.ts", "one");
    await symlink("../src/code.ts", join(project, "docs/link.md"));
    await symlink("a.md", join(project, "docs/inner.md"));
    const allow = ["native:write_file(path=docs/*)", `native:edit_file(path="${join(project, "docs")}/*")`];
    const host = await open({ nativeTools: true, permissions: { allow } });
    const save = (path: string) => host.tools.call("write_file", { path, content: "two" });
    await expect(save("docs/link.md")).rejects.toMatchObject({ code: "NOBODY_TO_ASK" });
    expect(await readFile(target, "utf8")).toBe("one");
    expect((await save("docs/inner.md")).isError).toBeUndefined();
    expect((await save("docs/new/b.md")).isError).toBeUndefined();
    const absolute = { ...edit, path: join(project, "docs/a.md"), old_text: "two", new_text: "three" };
    expect((await host.tools.call("edit_file", absolute)).isError).toBeUndefined();
  });

  it("apply to the folder of a command", async () => {
    const { open, project, write } = await makeTestProject();
    await write("project/docs/a.md", "");
    await write("project/src/b.ts", "");
    await symlink("../src", join(project, "docs/link"));
    const host = await open({
      nativeTools: true,
      permissions: { allow: ["native:terminal(command=pwd, cwd=docs*)"] },
    });
    expect(resultText(await host.tools.call("terminal", { command: "pwd", cwd: "docs" }))).toContain("docs");
    const redirected = host.tools.call("terminal", { command: "pwd", cwd: "docs/link" });
    await expect(redirected).rejects.toMatchObject({ code: "NOBODY_TO_ASK" });
  });
});

describe("a rule for the folder of a command", { meta: { covers: ["A23"] } }, () => {
  const open = async (permissions: { readonly allow?: string[]; readonly deny?: string[] }) => {
    const test = await makeTestProject();
    await test.write("project/sub/a", "");
    await symlink("sub", join(test.project, "link"));
    await symlink(".", join(test.project, "self"));
    const host = await test.open({ nativeTools: true, permissions });
    const verdict = (args: object) =>
      host.tools.call("terminal", { command: "pwd", ...args }).then(
        () => "runs",
        ({ code }: { readonly code: string }) => code,
      );
    return { ...test, verdict };
  };

  it("that allows the workspace applies to a call without a folder, and to no other folder", async () => {
    const { verdict } = await open({ allow: ["native:terminal(command=*, cwd=.)"] });
    expect(await verdict({})).toBe("runs");
    expect(await verdict({ cwd: "." })).toBe("runs");
    for (const cwd of ["sub", "./sub", "link", "self/sub", "sub/../sub"]) {
      expect([cwd, await verdict({ cwd })]).toEqual([cwd, "NOBODY_TO_ASK"]);
    }
  });

  it("that denies a folder applies to all its spellings", async () => {
    const { verdict, project } = await open({
      allow: ["native:terminal"],
      deny: ["native:terminal(command=*, cwd=sub)", "native:terminal(command=ls, cwd=.)"],
    });
    expect(await verdict({})).toBe("runs");
    for (const cwd of ["sub", "./sub", "sub/", "sub/.", "link", "self/sub", join(project, "sub")]) {
      expect([cwd, await verdict({ cwd })]).toEqual([cwd, "TOOL_DENIED"]);
    }
    expect(await verdict({ command: "ls" })).toBe("TOOL_DENIED");
    expect(await verdict({ command: "ls", cwd: "self" })).toBe("TOOL_DENIED");
  });

  it("can be suggested to the user, because the question names the folder", async () => {
    const { open: openHost } = await makeTestProject();
    const { port, asked } = answerInOrder(once);
    const host = await openHost({ nativeTools: true, ports: { answer: port } });
    await host.tools.call("terminal", { command: "pwd" });
    expect(asked).toMatchObject([{ arguments: { command: "pwd", cwd: "." } }]);
  });
});

it("a decision to always allow a tool applies to its workspace only", async () => {
  const { open, project, root } = await makeTestProject();
  const other = join(root, "other");
  await mkdir(other);
  const { port, asked } = answerInOrder(always, once);
  const host = await open({ nativeTools: true, ports: { answer: port } });
  const saveIn = async (cwd: string) => {
    const workspace = await host.api.workspace({ cwd, nativeTools: true });
    await workspace.tools.call("write_file", { path: "x", content: "1" });
  };
  await saveIn(project);
  await saveIn(project);
  expect(asked).toHaveLength(1);
  await saveIn(other);
  expect(asked).toHaveLength(2);
});

it(
  "tools refuse to change the user's config and the project's, and to read the logins",
  { meta: { covers: ["A3"] } },
  async () => {
    const { open, root, project } = await makeTestProject();
    const host = await open({ nativeTools: true, cwd: root, permissions: { allow: ["native:*"] } });
    await writeFile(join(project, "a"), "");
    const state = join(root, "state", "plugboard");
    await mkdir(state, { recursive: true });
    await writeFile(join(state, "mcp-auth.json"), "canary");
    for (const path of [
      "config/plugboard/config.json",
      "project/.plugboard/config.local.json",
      "state/plugboard/trust.json",
    ]) {
      const result = await host.tools.call("write_file", { path, content: "{}" });
      expect([path, result.isError]).toEqual([path, true]);
    }
    expect((await host.tools.call("read_file", { path: "state/plugboard/mcp-auth.json" })).isError).toBe(true);
    expect(resultText(await host.tools.call("grep", { pattern: "canary", include_ignored: true }))).toBe(
      "[Nothing found.]",
    );
  },
);
