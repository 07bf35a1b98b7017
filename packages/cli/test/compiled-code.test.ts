/** Tests the compiled code that the command stores, so that its next start is faster. */
import { chmod, mkdir, readdir, readFile, symlink, utimes, writeFile } from "node:fs/promises";
import { createRequire } from "node:module";
import { basename, dirname, join } from "node:path";
import { fileURLToPath } from "node:url";
import { Script } from "node:vm";
import { describe, expect, it } from "vitest";
import { runPipedProcess, setUp } from "./helpers/run-plugboard.ts";
import type { Setup } from "./helpers/run-plugboard.ts";

const { StoredCode } = createRequire(import.meta.url)("../bin/stored-code.js") as {
  StoredCode: new (parent: string, codeId: string, command: string) => { write(code: Map<string, Buffer>): void };
};

async function setUpWithCache(): Promise<Setup & { readonly folder: string }> {
  const { cwd, env } = await setUp();
  const cache = join(cwd, "cache");
  return { cwd, env: { ...env, XDG_CACHE_HOME: cache }, folder: join(cache, "plugboard", "code") };
}

/** Returns the paths of all stored files. */
async function storedFiles(folder: string): Promise<string[]> {
  const builds = await readdir(folder).catch(() => []);
  const files = await Promise.all(
    builds.map(async (build) => (await readdir(join(folder, build))).map((name) => join(folder, build, name))),
  );
  return files.flat();
}

async function storeFor(setup: Setup & { readonly folder: string }, ...args: string[]): Promise<string> {
  await runPipedProcess(setup, ...args);
  const [file] = await storedFiles(setup.folder);
  return file!;
}

/** Compiles a program that prints "foreign", for a file of the bundle. */
async function foreignCode(name: string): Promise<Buffer> {
  const file = fileURLToPath(new URL(`../dist/bundle/${name}`, import.meta.url));
  const { length } = await readFile(file, "utf8");
  const [head, tail] = ["(function (exports, require, module, __filename, __dirname) {", "\n})"];
  const program = 'require("node:fs").writeSync(1, "foreign");';
  const script = new Script(head + program.padEnd(length) + tail);
  // Only functions that have run are part of the code.
  (script.runInThisContext() as (exports: object, require: () => object) => void)({}, () => ({ writeSync() {} }));
  return script.createCachedData();
}

describe("the compiled code of a command", () => {
  it("is stored by the first run and used by the next one", async () => {
    const setup = await setUpWithCache();
    const file = await storeFor(setup, "list");
    expect(file).toMatch(/\/list$/);
    await utimes(file, 1, 1);
    const stored = await readFile(file);
    expect((await runPipedProcess(setup, "list")).status).toBe(0);
    // Code that can't be used would be written again.
    expect(await readFile(file)).toEqual(stored);
  });

  it("is compiled again if the stored file is damaged", async () => {
    const setup = await setUpWithCache();
    const file = await storeFor(setup, "list");
    const stored = await readFile(file);
    const lostBlock = Buffer.from(stored).fill(0, 8192, 12_288);
    for (const damaged of [stored.subarray(0, 1000), Buffer.from("no index"), Buffer.alloc(0), lostBlock]) {
      await writeFile(file, damaged);
      expect(await runPipedProcess(setup, "list", "--json")).toEqual({ status: 0, stdout: "[]\n", stderr: "" });
      expect((await readFile(file)).length).toBeGreaterThan(10_000);
    }
  });

  it.runIf(process.getuid)("is not read from a folder that another user can write", async () => {
    const setup = await setUpWithCache();
    const file = await storeFor(setup, "list");
    const stored = new StoredCode(setup.folder, basename(dirname(file)), "list");
    stored.write(new Map([["main.js", await foreignCode("main.js")]]));
    // V8 accepts the code of another program whose source has the same length.
    expect((await runPipedProcess(setup, "list", "--json")).stdout).toBe("foreign");
    await chmod(dirname(file), 0o777);
    expect((await runPipedProcess(setup, "list", "--json")).stdout).toBe("[]\n");
  });

  it("is neither written nor removed through a link", async () => {
    const setup = await setUpWithCache();
    const target = join(setup.cwd, "target");
    const old = join(target, "0123456789ab-v20.1.0-x64");
    await mkdir(old, { recursive: true });
    await utimes(old, 1, 1);
    await mkdir(dirname(setup.folder), { recursive: true, mode: 0o700 });
    await symlink(target, setup.folder);
    expect((await runPipedProcess(setup, "list")).status).toBe(0);
    const left = await readdir(target, { recursive: true });
    expect(left.filter((name) => name.endsWith("list"))).toEqual([]);
    expect(left).toContain(basename(old));
  });

  it("is stored neither for a failed command nor if the user has disabled it", async () => {
    const setup = await setUpWithCache();
    expect((await runPipedProcess(setup, "lst")).status).not.toBe(0);
    const disabled = { ...setup, env: { ...setup.env, NODE_DISABLE_COMPILE_CACHE: "1" } };
    expect((await runPipedProcess(disabled, "list")).status).toBe(0);
    expect(await storedFiles(setup.folder)).toEqual([]);
  });

  it("is not needed: a cache folder that can't be written changes nothing", async () => {
    const setup = await setUpWithCache();
    await writeFile(join(setup.cwd, "cache"), "a file");
    expect(await runPipedProcess(setup, "list", "--json")).toEqual({ status: 0, stdout: "[]\n", stderr: "" });
  });

  it("is removed if its build has stored nothing for a month", async () => {
    const setup = await setUpWithCache();
    const [old, recent, other] = ["0123456789ab-v20.1.0-x64", "0123456789ab-v20.2.0-x64", "other"];
    for (const name of [old, recent, other]) await mkdir(join(setup.folder, name), { recursive: true, mode: 0o700 });
    const monthAgo = new Date(Date.now() - 31 * 24 * 60 * 60 * 1000);
    for (const name of [old, other]) await utimes(join(setup.folder, name), monthAgo, monthAgo);
    await runPipedProcess(setup, "list");
    const left = await readdir(setup.folder);
    expect(left).toEqual(expect.arrayContaining([recent, other]));
    expect(left).not.toContain(old);
  });
});
