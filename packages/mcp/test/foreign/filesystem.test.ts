/** Tests the reference server for files, with folders from its command line and from roots. */
import { mkdir, readFile, writeFile } from "node:fs/promises";
import { pathToFileURL } from "node:url";
import type { Target } from "@plugboard/mcp";
import type { JsonObject } from "@plugboard/contracts";
import { filesystemStdio } from "@plugboard/testkit/third-party-servers";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { toolCallOp, openThirdParty, contentText } from "./open-third-party.ts";
import type { ThirdPartyServer } from "./open-third-party.ts";
import { tempFolder } from "./temp-folder.ts";
import type { TempFolder } from "./temp-folder.ts";

function serving(folder: TempFolder): Target {
  return { transport: "stdio", ...filesystemStdio(folder.path), cwd: folder.path, env: {} };
}

const PIXEL = "iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg==";

describe("server-filesystem with a folder argument", { meta: { covers: ["R0.1", "R3.89"] } }, () => {
  let folder: TempFolder;
  let files: ThirdPartyServer;
  beforeAll(async () => {
    folder = await tempFolder();
    files = await openThirdParty(serving(folder));
  });
  afterAll(async () => {
    await files.close();
    await folder.remove();
  });

  const call = (name: string, args: JsonObject = {}) => files.result(toolCallOp(name, args));

  it("declares only tools", async () => {
    const { tools, dropped } = files.connection.catalog;
    expect(dropped).toEqual([]);
    expect(tools.map(({ name }) => name).toSorted()).toEqual([
      "create_directory",
      "directory_tree",
      "edit_file",
      "get_file_info",
      "list_allowed_directories",
      "list_directory",
      "list_directory_with_sizes",
      "move_file",
      "read_file",
      "read_media_file",
      "read_multiple_files",
      "read_text_file",
      "search_files",
      "write_file",
    ]);
    const error = await files.failure({ method: "resources/list", params: {} });
    expect(error.code).toBe("NOT_OFFERED");
  });

  it("writes, edits and moves a file on disk", async () => {
    const path = folder.in("draft.txt");
    await call("write_file", { path, content: "one\ntwo\nthree 🔌\n" });
    expect(await readFile(path, "utf8")).toBe("one\ntwo\nthree 🔌\n");

    const edits = [{ oldText: "two", newText: "2" }];
    expect(contentText(await call("edit_file", { path, edits, dryRun: true }))).toContain("+2");
    expect(await readFile(path, "utf8")).toContain("two");
    await call("edit_file", { path, edits });
    expect(await readFile(path, "utf8")).toBe("one\n2\nthree 🔌\n");

    await call("create_directory", { path: folder.in("kept/here") });
    const destination = folder.in("kept/here/final.txt");
    await call("move_file", { source: path, destination });
    expect(await readFile(destination, "utf8")).toContain("three");
    await expect(readFile(path)).rejects.toThrow("ENOENT");
  });

  it("reads whole files, parts of files, and several files at once", async () => {
    const [first, second] = [folder.in("first.txt"), folder.in("second.txt")];
    await writeFile(first, "a\nb\nc\n");
    await writeFile(second, "second");
    expect(await call("read_text_file", { path: first })).toMatchObject({
      structuredContent: { content: "a\nb\nc\n" },
    });
    expect(contentText(await call("read_text_file", { path: first, head: 1 }))).toBe("a");
    const both = contentText(await call("read_multiple_files", { paths: [first, second] }));
    expect(both).toContain("a\nb\nc");
    expect(both).toContain("second");
  });

  it("reads an image", async () => {
    const path = folder.in("pixel.png");
    await writeFile(path, Buffer.from(PIXEL, "base64"));
    const { content } = await call("read_media_file", { path });
    expect(content).toMatchObject([{ type: "image", mimeType: "image/png", data: PIXEL }]);
  });

  it("reads a file of several megabytes", { meta: { covers: ["R0.1", "R3.89", "R0.16"] } }, async () => {
    const path = folder.in("large.txt");
    const content = "0123456789abcdef".repeat(256 * 1024);
    await writeFile(path, content);
    expect(contentText(await call("read_text_file", { path }))).toBe(content);
  });

  it("lists folders and searches files", async () => {
    await mkdir(folder.in("tree/branch"), { recursive: true });
    await writeFile(folder.in("tree/branch/leaf.md"), "leaf");
    expect(contentText(await call("list_directory", { path: folder.in("tree") }))).toBe("[DIR] branch");
    expect(contentText(await call("search_files", { path: folder.in("tree"), pattern: "**/*.md" }))).toBe(
      folder.in("tree/branch/leaf.md"),
    );
    expect(JSON.parse(contentText(await call("directory_tree", { path: folder.in("tree") })))).toMatchObject([
      { name: "branch", type: "directory", children: [{ name: "leaf.md", type: "file" }] },
    ]);
    expect(contentText(await call("get_file_info", { path: folder.in("tree/branch/leaf.md") }))).toContain("size: 4");
  });

  it.each([
    ["a missing file", "missing.txt", "ENOENT"],
    ["a file outside of its folder", "../outside.txt", "Access denied"],
  ])("returns an error result for %s", { meta: { covers: ["R0.1", "R3.89", "R1.68"] } }, async (_what, name, said) => {
    const result = await call("read_text_file", { path: `${folder.path}/${name}` });
    expect(result["isError"]).toBe(true);
    expect(contentText(result)).toContain(said);
  });
});

describe("server-filesystem with roots", () => {
  let own: TempFolder;
  let lent: TempFolder;
  let other: TempFolder;
  let files: ThirdPartyServer;
  let roots: TempFolder[];
  beforeAll(async () => {
    own = await tempFolder();
    lent = await tempFolder();
    other = await tempFolder();
    roots = [lent];
    const uris = () => roots.map(({ path }) => ({ uri: pathToFileURL(path).href }));
    files = await openThirdParty(serving(own), { roots: uris });
  });
  afterAll(async () => {
    await files.close();
    for (const folder of [own, lent, other]) await folder.remove();
  });

  const allowed = async () =>
    contentText(await files.result(toolCallOp("list_allowed_directories")))
      .split("\n")
      .slice(1);
  const write = (path: string) => files.result(toolCallOp("write_file", { path, content: "hello" }));

  it("uses the roots instead of its folder argument", async () => {
    // This is the first call, right after the connection is ready.
    expect(await allowed()).toEqual([lent.path]);
    await write(lent.in("note.txt"));
    expect(await readFile(lent.in("note.txt"), "utf8")).toBe("hello");
    expect(await write(own.in("note.txt"))).toMatchObject({ isError: true });
    await expect(readFile(own.in("note.txt"))).rejects.toThrow("ENOENT");
  });

  it("uses the new roots after a change", async () => {
    roots = [lent, other];
    files.session.notifyRootsChanged();
    await expect.poll(allowed, { timeout: 10_000 }).toEqual([lent.path, other.path]);
    await write(other.in("note.txt"));
    expect(await readFile(other.in("note.txt"), "utf8")).toBe("hello");
  });
});
