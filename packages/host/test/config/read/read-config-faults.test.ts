/** Files that are half-written, or not what they should be: the place is told, and nothing is written. */
import { execFileSync } from "node:child_process";
import { mkdir, mkdtemp, readFile, rm, symlink, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { ProjectLayerCache } from "#config/read/project-layer-cache.js";
import { readConfig } from "#config/read/read-config.js";
import type { ReadConfigOptions } from "#config/read/read-config.js";
import { afterEach, beforeEach, describe, expect, it } from "vitest";

let cwd: string;
beforeEach(async () => {
  cwd = await mkdtemp(join(tmpdir(), "plugboard-faults-"));
});
afterEach(() => rm(cwd, { recursive: true }));

const OWN = ["user.json", "managed.json"];
const PROJECTS = [".mcp.json", ".plugboard/config.json", ".plugboard/config.local.json"];

describe.each([...OWN, ...PROJECTS])(
  "%s is refused, with the place, and left as it is, if it is",
  { meta: { covers: ["F38"] } },
  (name) => {
    it.each<[string, Uint8Array, { line: number; column: number; reason?: string }]>([
      ["half-written", bytes('{"servers": {\n  "a": {"comm'), { line: 2, column: 9 }],
      ["cut after the rules", bytes('{"permissions": {"deny": ["*:x"]},\n'), { line: 2, column: 1 }],
      ["empty", bytes(""), { line: 1, column: 1, reason: "the file is empty; it must contain an object" }],
      ["blank", bytes(" \n\n"), { line: 1, column: 1 }],
      ["only a byte-order mark", bytes("\ufeff"), { line: 1, column: 1 }],
      ["not UTF-8", Buffer.from('{\n "a": "l\xf6"}', "latin1"), { line: 2, column: 9, reason: "it is not UTF-8" }],
      ["UTF-16", Buffer.from('\ufeff{"servers": {}}', "utf16le"), { line: 1, column: 1, reason: "it is not UTF-8" }],
      ["full of zeros, as after a crash", new Uint8Array(64), { line: 1, column: 1 }],
      [
        "deeper than anybody writes",
        bytes(`{"a":\n${"[".repeat(200_000)}`),
        { line: 2, column: 100, reason: "not JSON: more than 100 levels" },
      ],
    ])("%s", async (_, content, details) => {
      await write(name, content);
      const refusal = { code: "CONFIG_INVALID", details: { file: join(cwd, name), ...details } };
      if (OWN.includes(name)) await expect(read()).rejects.toMatchObject(refusal);
      else expect((await read()).readErrors).toMatchObject([refusal]);
      // By bytes: to compare them as values takes seconds where there are many.
      expect((await readFile(join(cwd, name))).equals(content)).toBe(true);
    });
  },
);

it(
  "a byte-order mark before what is right changes nothing, not even the places",
  { meta: { covers: ["F38"] } },
  async () => {
    await write("user.json", bytes('\ufeff{"servers": {"a": {"command": "x", "colour": 1}}}'));
    const { servers, problems } = await read();
    expect(servers.get("a")).toMatchObject({ definition: { command: "x" } });
    expect(problems).toMatchObject([{ line: 1, column: 36 }]);
  },
);

describe("a project's file that would keep us busy for ever is refused:", () => {
  it("one that never ends", async () => {
    await symlink("/dev/zero", join(cwd, ".mcp.json"));
    expect((await read()).readErrors).toMatchObject([{ details: { reason: "it is not a regular file" } }]);
  });

  it("one that nobody writes to", async () => {
    execFileSync("/usr/bin/mkfifo", [join(cwd, ".mcp.json")]);
    expect((await read()).readErrors).toMatchObject([{ details: { reason: "it is not a regular file" } }]);
  });

  // Only there are such files.
  it.each(process.platform === "linux" ? ["/proc/self/environ", "/proc/kmsg"] : [])(
    "one of the kernel's, which may wait for news and has no size: %s",
    { meta: { covers: ["A1"] } },
    async (file) => {
      await symlink(file, join(cwd, ".mcp.json"));
      const { readErrors } = await read();
      expect(readErrors).toMatchObject([
        { details: { reason: expect.stringMatching(/^it (contains more bytes than its size says|can't be read)/) } },
      ]);
    },
  );

  it("a folder", async () => {
    await mkdir(join(cwd, ".mcp.json"));
    expect((await read()).readErrors).toMatchObject([{ details: { reason: "it is not a regular file" } }]);
  });

  it("one that is huge", async () => {
    await write(".mcp.json", new Uint8Array(5 * 1024 * 1024));
    expect((await read()).readErrors).toMatchObject([{ details: { reason: "it is larger than 4194304 bytes" } }]);
  });

  it.each([
    ["texts", '"\\'],
    ["comments", "/* "],
  ])("a megabyte of %s that are never closed", async (_, opening) => {
    await write(".mcp.json", bytes(opening.repeat(500_000)));
    expect((await read()).readErrors).toMatchObject([{ code: "CONFIG_INVALID" }]);
  });

  it("one whose depth stands behind a line break in a text", async () => {
    await write(".mcp.json", bytes(`["\r${"[".repeat(200_000)}"]`));
    expect((await read()).readErrors).toMatchObject([{ details: { reason: "not JSON: more than 100 levels" } }]);
  });

  it("brackets in texts and comments are not counted", async () => {
    const brackets = "[".repeat(1000);
    await write(
      ".mcp.json",
      bytes(`{ /* ${brackets} */ // ${brackets}\n"servers": {"a": {"command": "\\"${brackets}"}}}`),
    );
    expect((await read()).pending).toHaveLength(1);
  });
});

describe.each(PROJECTS)("%s that can't be read", { meta: { covers: ["A1", "F38"] } }, (name) => {
  const good = { servers: { theirs: { command: "x" }, mine: { enabled: false } }, permissions: { deny: ["a:x"] } };

  it.each<[string, Uint8Array, object]>([
    ["broken", bytes('{\n  "servers"'), { line: 2, column: 12, message: /^not JSON: / }],
    ["of another version", bytes('{"version": 2}'), { line: 1, column: 13, message: /^"version" is 2; / }],
    ["with a rule that is none", bytes('{"permissions": {"deny": [7]}}'), { line: 1, column: 27 }],
    ["not UTF-8", Buffer.from("\xff", "latin1"), { line: 1, column: 1 }],
    ["huge", new Uint8Array(5 * 1024 * 1024), { message: /^it is larger than / }],
  ])("(%s) is a problem of its own, and all the other files count", async (_, content, problem) => {
    await write("user.json", bytes('{"servers": {"mine": {"command": "x"}}, "permissions": {"deny": ["*"]}}'));
    await write(name, content);
    const { servers, rules, problems } = await read();
    expect([...servers.keys()]).toEqual(["mine"]);
    expect(rules).toMatchObject([{ effect: "deny", text: "*" }]);
    const [told, ...others] = problems;
    expect(told).toMatchObject({ severity: "error", file: join(cwd, name), ...matching(problem) });
    expect(told!.message).toMatch(/; nothing in it takes effect$/);
    expect(others).toEqual([]);
  });

  it("keeps what it said before, in this workspace alone, and the user's files are read anew", async () => {
    const projectLayerCache = new ProjectLayerCache();
    await write("user.json", bytes('{"servers": {"mine": {"command": "x"}}, "permissions": {"allow": ["*"]}}'));
    await write(name, bytes(JSON.stringify(good)));
    await read({ projectLayerCache });
    await write(name, bytes("{"));
    await write("user.json", bytes('{"servers": {"mine": {"command": "y"}}, "permissions": {"ask": ["*"]}}'));
    const { servers, rules, problems } = await read({ projectLayerCache, isTrusted: () => true });
    expect(servers.get("mine")).toMatchObject({ definition: { command: "y", enabled: false } });
    expect(servers.get("theirs")).toMatchObject({ definition: { command: "x" } });
    expect(rules.map(({ effect, text }) => [effect, text])).toEqual([
      ["ask", "*"],
      ["deny", "a:x"],
    ]);
    expect(problems).toMatchObject([{ message: expect.stringMatching(/; its last valid version stays in effect$/) }]);
    expect((await read()).servers.has("theirs")).toBe(false);
  });

  it("and then goes, takes with it what it said", async () => {
    const projectLayerCache = new ProjectLayerCache();
    await write(name, bytes(JSON.stringify(good)));
    await read({ projectLayerCache });
    await rm(join(cwd, name));
    await read({ projectLayerCache });
    await write(name, bytes("{"));
    expect((await read({ projectLayerCache })).rules).toEqual([]);
  });
});

describe("a project's file with more than anybody writes", { meta: { covers: ["A1"] } }, () => {
  const many = (count: number, entry: (at: number) => object | number): object =>
    Object.fromEntries(Array.from({ length: count }, (_, at) => [`s${at}`, entry(at)]));

  it("has 500 servers, and of the rest it is told once that they are not read", async () => {
    await write(".mcp.json", bytes(JSON.stringify({ mcpServers: many(20_000, () => ({ command: "x" })) })));
    const { pending, problems } = await read();
    expect(pending).toHaveLength(500);
    const message = "a project's file may have at most 500 servers; it has 20000, and the rest is ignored";
    expect(problems).toMatchObject([{ severity: "error", line: 1, message }]);
  });

  it("which the user's own may have", async () => {
    await write("user.json", bytes(JSON.stringify({ servers: many(600, () => ({ command: "x" })) })));
    expect((await read()).servers.size).toBe(600);
  });

  it("has no more problems than a person reads", async () => {
    const wrong = many(400, (at) => (at < 200 ? { command: "x", colour: 1 } : 0));
    await write(".mcp.json", bytes(JSON.stringify({ mcpServers: wrong })));
    const { problems } = await read();
    expect(problems).toHaveLength(101);
    expect(problems.at(-1)).toEqual({
      severity: "error",
      file: join(cwd, ".mcp.json"),
      message: "and 300 more problems",
    });
  });

  it.each([
    ["keys beside the servers", { servers: {}, ...many(2000, () => 0) }, /more than 1000 unknown keys/],
    ["keys in a server", { servers: { a: { command: "x", ...many(2000, () => 0) } } }, /more than 1000 unknown keys/],
    [
      "rules",
      { permissions: { deny: Array.from({ length: 2000 }, () => "a:x") } },
      /may have at most 1000 rules per list/,
    ],
  ])("is not read if it has too many %s", async (_, content, message) => {
    await write(".mcp.json", bytes(JSON.stringify(content)));
    const { readErrors, problems } = await read();
    expect(readErrors).toHaveLength(1);
    expect(problems[0]!.message).toMatch(message);
  });

  it("and the same server again and again does not name every line", async () => {
    const text = Array.from({ length: 5000 }, () => '"a": {}').join(",\n");
    await write(".mcp.json", bytes(`{"mcpServers": {${text}}}`));
    const [problem] = (await read()).problems;
    expect(problem!.message).toBe(
      "it is defined 5000 times, on lines 1, 2, 3, 4, 5, 6, 7, 8, 9, 10 and more; remove one",
    );
  });
});

it("a file where the folder of a project's file would be is none", async () => {
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
