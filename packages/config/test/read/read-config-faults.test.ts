/** Tests invalid and hostile files: the position is reported, and no file is written. */
import { execFileSync } from "node:child_process";
import { mkdir, mkdtemp, readFile, rm, symlink, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { ProjectLayerCache } from "#read/project-layer-cache.js";
import { readConfig } from "#read/read-config.js";
import type { ReadConfigOptions } from "#read/read-config.js";
import { afterEach, beforeEach, describe, expect, it } from "vitest";

let cwd: string;
beforeEach(async () => {
  cwd = await mkdtemp(join(tmpdir(), "plugboard-faults-"));
});
afterEach(() => rm(cwd, { recursive: true }));

const OWN_FILES = ["user.json", "managed.json"];
const PROJECT_FILES = [".mcp.json", ".plugboard/config.json", ".plugboard/config.local.json"];

describe.each([...OWN_FILES, ...PROJECT_FILES])("readConfig with %s", { meta: { covers: ["F38"] } }, (name) => {
  it.each<[string, Uint8Array, { line: number; column: number; reason?: string }]>([
    ["truncated", bytes('{"servers": {\n  "a": {"comm'), { line: 2, column: 9 }],
    ["truncated after the rules", bytes('{"permissions": {"deny": ["*:x"]},\n'), { line: 2, column: 1 }],
    ["empty", bytes(""), { line: 1, column: 1, reason: "the file is empty; it must contain an object" }],
    ["only white space", bytes(" \n\n"), { line: 1, column: 1 }],
    ["only a byte-order mark", bytes("\ufeff"), { line: 1, column: 1 }],
    ["not UTF-8", Buffer.from('{\n "a": "l\xf6"}', "latin1"), { line: 2, column: 9, reason: "it is not UTF-8" }],
    ["UTF-16", Buffer.from('\ufeff{"servers": {}}', "utf16le"), { line: 1, column: 1, reason: "it is not UTF-8" }],
    ["full of zero bytes, as after a crash", new Uint8Array(64), { line: 1, column: 1 }],
    [
      "nested too deeply",
      bytes(`{"a":\n${"[".repeat(200_000)}`),
      { line: 2, column: 100, reason: "not JSON: more than 100 levels" },
    ],
  ])("rejects the file with the position, and does not change it, if it is %s", async (_, content, details) => {
    await write(name, content);
    const expectedError = { code: "CONFIG_INVALID", details: { file: join(cwd, name), ...details } };
    if (OWN_FILES.includes(name)) await expect(read()).rejects.toMatchObject(expectedError);
    else expect((await read()).readErrors).toMatchObject([expectedError]);
    // Compares bytes, because comparing large values takes seconds.
    expect((await readFile(join(cwd, name))).equals(content)).toBe(true);
  });
});

it(
  "readConfig ignores a byte-order mark and does not count it in positions",
  { meta: { covers: ["F38"] } },
  async () => {
    await write("user.json", bytes('\ufeff{"servers": {"a": {"command": "x", "colour": 1}}}'));
    const { servers, problems } = await read();
    expect(servers.get("a")).toMatchObject({ definition: { command: "x" } });
    expect(problems).toMatchObject([{ line: 1, column: 36 }]);
  },
);

describe("readConfig with a project's file that could block the process", () => {
  it("rejects an endless device", async () => {
    await symlink("/dev/zero", join(cwd, ".mcp.json"));
    expect((await read()).readErrors).toMatchObject([{ details: { reason: "it is not a regular file" } }]);
  });

  it("rejects a pipe without a writer", async () => {
    execFileSync("/usr/bin/mkfifo", [join(cwd, ".mcp.json")]);
    expect((await read()).readErrors).toMatchObject([{ details: { reason: "it is not a regular file" } }]);
  });

  // Only Linux has /proc.
  it.each(process.platform === "linux" ? ["/proc/self/environ", "/proc/kmsg"] : [])(
    "rejects a kernel file that may block and reports no size: %s",
    { meta: { covers: ["A1"] } },
    async (file) => {
      await symlink(file, join(cwd, ".mcp.json"));
      const { readErrors } = await read();
      expect(readErrors).toMatchObject([
        { details: { reason: expect.stringMatching(/^it (contains more bytes than its size says|can't be read)/) } },
      ]);
    },
  );

  it("rejects a folder", async () => {
    await mkdir(join(cwd, ".mcp.json"));
    expect((await read()).readErrors).toMatchObject([{ details: { reason: "it is not a regular file" } }]);
  });

  it("rejects a huge file", async () => {
    await write(".mcp.json", new Uint8Array(5 * 1024 * 1024));
    expect((await read()).readErrors).toMatchObject([{ details: { reason: "it is larger than 4194304 bytes" } }]);
  });

  it.each([
    ["strings", '"\\'],
    ["comments", "/* "],
  ])("rejects a megabyte of unclosed %s", async (_, opening) => {
    await write(".mcp.json", bytes(opening.repeat(500_000)));
    expect((await read()).readErrors).toMatchObject([{ code: "CONFIG_INVALID" }]);
  });

  it("rejects deep nesting after a line break in a string", async () => {
    await write(".mcp.json", bytes(`["\r${"[".repeat(200_000)}"]`));
    expect((await read()).readErrors).toMatchObject([{ details: { reason: "not JSON: more than 100 levels" } }]);
  });

  it("does not count brackets in strings and comments as nesting", async () => {
    const brackets = "[".repeat(1000);
    await write(
      ".mcp.json",
      bytes(`{ /* ${brackets} */ // ${brackets}\n"servers": {"a": {"command": "\\"${brackets}"}}}`),
    );
    expect((await read()).pending).toHaveLength(1);
  });
});

describe.each(PROJECT_FILES)("an invalid %s", { meta: { covers: ["A1", "F38"] } }, (name) => {
  const good = { servers: { theirs: { command: "x" }, mine: { enabled: false } }, permissions: { deny: ["a:x"] } };

  it.each<[string, Uint8Array, object]>([
    ["not JSON", bytes('{\n  "servers"'), { line: 2, column: 12, message: /^not JSON: / }],
    ["an unknown version", bytes('{"version": 2}'), { line: 1, column: 13, message: /^"version" is 2; / }],
    ["an invalid rule", bytes('{"permissions": {"deny": [7]}}'), { line: 1, column: 27 }],
    ["not UTF-8", Buffer.from("\xff", "latin1"), { line: 1, column: 1 }],
    ["too large", new Uint8Array(5 * 1024 * 1024), { message: /^it is larger than / }],
  ])("is reported as an error, and all other files take effect: %s", async (_, content, problem) => {
    await write("user.json", bytes('{"servers": {"mine": {"command": "x"}}, "permissions": {"deny": ["*"]}}'));
    await write(name, content);
    const { servers, rules, problems } = await read();
    expect([...servers.keys()]).toEqual(["mine"]);
    expect(rules).toMatchObject([{ effect: "deny", text: "*" }]);
    const [reported, ...others] = problems;
    expect(reported).toMatchObject({ severity: "error", file: join(cwd, name), ...matching(problem) });
    expect(reported!.message).toMatch(/; nothing in it takes effect$/);
    expect(others).toEqual([]);
  });

  it("keeps its last valid version in effect, while changes to the user's file apply", async () => {
    const projectLayerCache = new ProjectLayerCache();
    await write("user.json", bytes('{"servers": {"mine": {"command": "x"}}, "permissions": {"allow": ["*"]}}'));
    await write(name, bytes(JSON.stringify(good)));
    await read({ projectLayerCache });
    await write(name, bytes("{"));
    await write("user.json", bytes('{"servers": {"mine": {"command": "y"}}, "permissions": {"ask": ["*"]}}'));
    const { servers, rules, problems } = await read({ projectLayerCache, loadTrust: async () => () => true });
    expect(servers.get("mine")).toMatchObject({ definition: { command: "y", enabled: false } });
    expect(servers.get("theirs")).toMatchObject({ definition: { command: "x" } });
    expect(rules.map(({ effect, text }) => [effect, text])).toEqual([
      ["ask", "*"],
      ["deny", "a:x"],
    ]);
    expect(problems).toMatchObject([{ message: expect.stringMatching(/; its last valid version stays in effect$/) }]);
    expect((await read()).servers.has("theirs")).toBe(false);
  });

  it("does not fall back to its last valid version if it was deleted in between", async () => {
    const projectLayerCache = new ProjectLayerCache();
    await write(name, bytes(JSON.stringify(good)));
    await read({ projectLayerCache });
    await rm(join(cwd, name));
    await read({ projectLayerCache });
    await write(name, bytes("{"));
    expect((await read({ projectLayerCache })).rules).toEqual([]);
  });
});

describe("a project's file with too much content", { meta: { covers: ["A1"] } }, () => {
  const many = (count: number, entry: (at: number) => object | number): object =>
    Object.fromEntries(Array.from({ length: count }, (_, at) => [`s${at}`, entry(at)]));

  it("defines at most 500 servers, and one error reports the rest", async () => {
    await write(".mcp.json", bytes(JSON.stringify({ mcpServers: many(20_000, () => ({ command: "x" })) })));
    const { pending, problems } = await read();
    expect(pending).toHaveLength(500);
    const message = "a project's file may have at most 500 servers; it has 20000, and the rest is ignored";
    expect(problems).toMatchObject([{ severity: "error", line: 1, message }]);
  });

  it("is limited to 500 servers, but the user's own file is not", async () => {
    await write("user.json", bytes(JSON.stringify({ servers: many(600, () => ({ command: "x" })) })));
    expect((await read()).servers.size).toBe(600);
  });

  it("reports at most 100 problems, and the number of the others", async () => {
    const invalidServers = many(400, (at) => (at < 200 ? { command: "x", colour: 1 } : 0));
    await write(".mcp.json", bytes(JSON.stringify({ mcpServers: invalidServers })));
    const { problems } = await read();
    expect(problems).toHaveLength(101);
    expect(problems.at(-1)).toEqual({
      severity: "error",
      file: join(cwd, ".mcp.json"),
      message: "and 300 more problems",
    });
  });

  it.each([
    ["unknown keys beside the servers", { servers: {}, ...many(2000, () => 0) }, /more than 1000 unknown keys/],
    [
      "unknown keys in a server's entry",
      { servers: { a: { command: "x", ...many(2000, () => 0) } } },
      /more than 1000 unknown keys/,
    ],
    [
      "rules",
      { permissions: { deny: Array.from({ length: 2000 }, () => "a:x") } },
      /may have at most 1000 rules per list/,
    ],
  ])("is rejected if it has too many %s", async (_, content, message) => {
    await write(".mcp.json", bytes(JSON.stringify(content)));
    const { readErrors, problems } = await read();
    expect(readErrors).toHaveLength(1);
    expect(problems[0]!.message).toMatch(message);
  });

  it("lists only the first ten lines of a server that is defined many times", async () => {
    const text = Array.from({ length: 5000 }, () => '"a": {}').join(",\n");
    await write(".mcp.json", bytes(`{"mcpServers": {${text}}}`));
    const [problem] = (await read()).problems;
    expect(problem!.message).toBe(
      "it is defined 5000 times, on lines 1, 2, 3, 4, 5, 6, 7, 8, 9, 10 and more; remove one",
    );
  });
});

it("readConfig ignores a file that is called .plugboard like the folder", async () => {
  await writeFile(join(cwd, ".plugboard"), "");
  expect((await read()).problems).toEqual([]);
});

function matching({ message, ...place }: { message?: RegExp }): object {
  return { ...place, ...(message && { message: expect.stringMatching(message) as string }) };
}

function bytes(text: string): Uint8Array {
  return new TextEncoder().encode(text);
}

async function write(name: string, content: Uint8Array): Promise<void> {
  await mkdir(join(cwd, ".plugboard"), { recursive: true });
  await writeFile(join(cwd, name), content);
}

async function read(options: ReadConfigOptions = {}) {
  await writeFile(join(cwd, "user.json"), "{}", { flag: "wx" }).catch(() => {});
  const env = { PLUGBOARD_CONFIG_PATH: join(cwd, "user.json") };
  return readConfig({ cwd }, env, { home: "/nonexistent", managedConfigPath: join(cwd, "managed.json"), ...options });
}
