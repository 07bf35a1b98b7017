/** Tests `plugboard call --output`, which saves binary content as files. */
import { readdir, readFile, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { expect, it } from "vitest";
import { runInShell, runPiped, puppetServer, setUp } from "../../helpers/run-plugboard.ts";

const data = Buffer.from("bytes").toString("base64");
const content = [
  { type: "text", text: "two files" },
  { type: "image", mimeType: "image/png", data },
  { type: "resource", resource: { uri: "file:///../../evil", mimeType: "../../evil", blob: data } },
];
const config = () => ({ mcpServers: { a: puppetServer({ result: { content } }) } });

it("plugboard call --output saves binary content under generated names and prints the paths", async () => {
  const setup = await setUp(config());
  const { status, stdout } = await runPiped(setup, "call", "a:go", "--output", "out");
  const folder = join(setup.cwd, "out");
  expect(status).toBe(0);
  expect(stdout).toMatch(/^two files\n/);
  expect(stdout).toContain(`saved ${join(folder, "2.png")}\nsaved ${join(folder, "3.bin")}\n`);
  expect((await readdir(folder)).sort()).toEqual(["2.png", "3.bin"]);
  expect(await readFile(join(folder, "2.png"), "utf8")).toBe("bytes");
});

it.each([
  ["application/gzip", "gz"],
  ["text/csv; charset=utf-8", "csv"],
  ["IMAGE/PNG", "png"],
  ["application/x-unheard-of", "bin"],
])("plugboard call --output saves content of the type %s as .%s", async (mimeType, extension) => {
  const result = { content: [{ type: "resource", resource: { uri: "file:///a", mimeType, blob: data } }] };
  const setup = await setUp({ mcpServers: { a: puppetServer({ result }) } });
  await runPiped(setup, "call", "a:go", "--output", "out");
  expect(await readdir(join(setup.cwd, "out"))).toEqual([`1.${extension}`]);
});

it("plugboard call --output does not overwrite existing files", async () => {
  const setup = await setUp(config());
  await writeFile(join(setup.cwd, "2.png"), "mine");
  await runPiped(setup, "call", "a:go", "--output", ".");
  expect(await readFile(join(setup.cwd, "2.png"), "utf8")).toBe("mine");
  expect(await readFile(join(setup.cwd, "2-2.png"), "utf8")).toBe("bytes");
});

it("plugboard call --output fails before the call if the folder can't be created", async () => {
  const setup = await setUp(config());
  const { status, stdout, stderr } = await runPiped(setup, "call", "a:go", "--output", "config.json");
  expect({ status, stdout }).toEqual({ status: 2, stdout: "" });
  expect(stderr).toContain("USAGE: --output config.json: the folder can't be created (EEXIST)");
});

it(
  "plugboard call --output reports a file that can't be written, and leaves no incomplete file",
  {
    meta: { covers: ["F45"] },
  },
  async () => {
    const large = Buffer.alloc(64 * 1024).toString("base64");
    const result = { content: [{ type: "image", mimeType: "image/png", data: large }] };
    const setup = await setUp({ mcpServers: { a: puppetServer({ result }) } });
    // The shell limits the size of files to 4 blocks, so that writing fails in the middle.
    const { status, stderr } = await runInShell(setup, "ulimit -f 4; plugboard call a:go --private --output out");
    expect(stderr).toContain("STORE_UNWRITABLE");
    expect(status).toBe(3);
    expect(await readdir(join(setup.cwd, "out"))).toEqual([]);
  },
);

it("plugboard call --output with --json prints the paths to stderr", async () => {
  const { stdout, stderr } = await runPiped(await setUp(config()), "call", "a:go", "--json", "--output", "out");
  expect(JSON.parse(stdout)).toMatchObject({ content });
  expect(stderr).toContain("2.png");
});
