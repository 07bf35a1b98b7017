/** Tests that an import from a Plugboard package type-checks if it runs, and fails both checks otherwise. */
import { execFile } from "node:child_process";
import { mkdtempSync, readdirSync, readFileSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { promisify } from "node:util";
import { describe, expect, it, onTestFinished } from "vitest";

const run = promisify(execFile);
const root = fileURLToPath(new URL("../../../", import.meta.url));
const TIMEOUT_MS = 60_000;

interface Entry {
  readonly specifier: string;
  readonly targets: { readonly types?: string; readonly default?: string };
}

/** Returns the public entries of all packages. Testkit is private and runs from its sources. */
function publicEntries(): Entry[] {
  const packages = readdirSync(join(root, "packages")).filter((name) => name !== "testkit" && name !== "tsconfig.json");
  return packages.flatMap((name) => {
    const manifest = JSON.parse(readFileSync(join(root, "packages", name, "package.json"), "utf8")) as {
      name: string;
      exports?: { [path: string]: Entry["targets"] };
    };
    return Object.entries(manifest.exports ?? {})
      .filter(([path]) => path !== "./package.json")
      .map(([path, targets]) => ({ specifier: manifest.name + path.slice(1), targets }));
  });
}

/** Type-checks and runs a program that imports all of these modules. */
async function importAll(...specifiers: readonly string[]) {
  const folder = mkdtempSync(join(tmpdir(), "plugboard-import-"));
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }));
  symlinkSync(join(root, "node_modules"), join(folder, "node_modules"), "junction");
  writeFileSync(join(folder, "package.json"), '{ "type": "module" }');
  const lines = specifiers.map(
    (specifier, index) => `import * as m${index} from "${specifier}";\nconsole.log(m${index});\n`,
  );
  writeFileSync(join(folder, "program.ts"), lines.join(""));
  const compilerOptions = { module: "nodenext", target: "es2023", strict: true, skipLibCheck: true, types: ["node"] };
  writeFileSync(join(folder, "tsconfig.json"), JSON.stringify({ compilerOptions, include: ["program.ts"] }));
  const succeeds = (...args: string[]) =>
    run(process.execPath, args, { cwd: folder }).then(
      () => true,
      () => false,
    );
  const compiles = await succeeds(join(root, "node_modules", "typescript", "bin", "tsc"), "-p", ".");
  return { compiles, runs: await succeeds("program.js") };
}

describe("package exports", () => {
  it.each(publicEntries())("name a types file and a JavaScript file for $specifier", ({ targets }) => {
    expect(Object.keys(targets)).toEqual(["types", "default"]);
    expect(JSON.stringify(targets)).not.toContain("*");
  });

  it("can all be imported in a program that type-checks and runs", { timeout: TIMEOUT_MS }, async () => {
    const specifiers = publicEntries().map(({ specifier }) => specifier);
    expect(await importAll(...specifiers)).toEqual({ compiles: true, runs: true });
  });

  it.each(["@plugboard/contracts/lib/json", "@plugboard/contracts/lib/json.js", "@plugboard/host/host"])(
    "do not contain %s, so that a program that imports it neither type-checks nor runs",
    { timeout: TIMEOUT_MS },
    async (specifier) => {
      expect(await importAll(specifier)).toEqual({ compiles: false, runs: false });
    },
  );
});
