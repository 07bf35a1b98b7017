/** Installs the packed library packages, compiles strict programs against them, and runs one. */
import { execFile } from "node:child_process";
import { cpSync, existsSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { promisify } from "node:util";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { npmInstall } from "../helpers/npm-install.ts";
import { packPackages } from "../../../../scripts/build/pack-packages.mjs";

const root = fileURLToPath(new URL("../../../../", import.meta.url));
const installed = (name: string) => join(root, "node_modules", name);
const run = promisify(execFile);
const TIMEOUT_MS = 120_000;

const STRICT = {
  strict: true,
  exactOptionalPropertyTypes: true,
  noUncheckedIndexedAccess: true,
  noPropertyAccessFromIndexSignature: true,
  skipLibCheck: false,
  target: "es2023",
};

let folder: string;

beforeAll(async () => {
  folder = mkdtempSync(join(tmpdir(), "plugboard-consumer-"));
  cpSync(fileURLToPath(new URL("./consumer", import.meta.url)), folder, { recursive: true });
  writeFileSync(join(folder, "package.json"), '{ "type": "module" }');
  const packed = await packPackages(folder, ["contracts", "store", "config", "mcp", "host", "remote", "agent"]);
  await npmInstall([...packed.map(({ tarball }) => tarball), "@types/node"], { cwd: folder });
}, TIMEOUT_MS);

afterAll(() => rmSync(folder, { recursive: true, force: true }));

describe("the packed packages", () => {
  it("compile in a strict program without optional peer dependencies, and run", { timeout: TIMEOUT_MS }, async () => {
    expect(existsSync(join(folder, "node_modules", "@opentelemetry"))).toBe(false);
    const options = { ...STRICT, module: "nodenext", types: ["node"], outDir: "built" };
    expect(await compile("nodenext", ["program.ts"], options)).toBe("");
    const everything = join(installed("@modelcontextprotocol/server-everything"), "dist", "index.js");
    const { stdout } = await run(process.execPath, ["built/program.js", everything], { cwd: folder });
    expect(stdout.trimEnd().split("\n")).toEqual([
      "formats: 1",
      "echoed: Echo: hello",
      "asked: User inputs:",
      "- Name: Ann",
      "rejected: a tool: they must be an object, not a string",
      "ended: echo complete",
      "unreachable: true",
      "agent: now → noon, It is noon.",
      "no model: MODEL_NOT_SET",
    ]);
  });

  it("compile in a strict program for a bundler", { timeout: TIMEOUT_MS }, async () => {
    const options = { ...STRICT, module: "esnext", moduleResolution: "bundler", types: ["node"], noEmit: true };
    expect(await compile("bundler", ["program.ts", "page.ts"], options)).toBe("");
  });

  it("contain a contracts and a remote package that compile for a browser", { timeout: TIMEOUT_MS }, async () => {
    const lib = ["es2023", "dom"];
    const options = { ...STRICT, lib, module: "esnext", moduleResolution: "bundler", types: [], noEmit: true };
    expect(await compile("browser", ["page.ts"], options)).toBe("");
  });
});

it("docs/library.md packs exactly the packages that the library needs", () => {
  const page = readFileSync(join(root, "docs", "library.md"), "utf8");
  const command = page.split("\n").find((line) => line.startsWith("npm pack "))!;
  const packed = [...command.matchAll(/--workspace packages\/(\w+)/g)].map(([, folder]) => folder!);
  expect(packed.toSorted()).toEqual([...neededPackages("host")].toSorted());
});

/** Returns the folders of a package and of the packages of this repository that it depends on. */
function neededPackages(folder: string, found = new Set<string>()): Set<string> {
  const manifest = readFileSync(join(root, "packages", folder, "package.json"), "utf8");
  const { dependencies = {} } = JSON.parse(manifest) as { dependencies?: { readonly [name: string]: string } };
  found.add(folder);
  for (const name of Object.keys(dependencies)) {
    const [scope, dependency] = name.split("/");
    if (scope === "@plugboard" && !found.has(dependency!)) neededPackages(dependency!, found);
  }
  return found;
}

/** Returns the compiler's errors. */
async function compile(name: string, files: readonly string[], compilerOptions: object): Promise<string> {
  const config = join(folder, `tsconfig.${name}.json`);
  writeFileSync(config, JSON.stringify({ compilerOptions, files }));
  const tsc = join(installed("typescript"), "bin", "tsc");
  const { stdout } = await run(process.execPath, [tsc, "-p", config]).catch((error: { stdout: string }) => error);
  return stdout;
}
