import { readFileSync } from "node:fs";
import { join } from "node:path";
import { expect, it } from "vitest";
import { root } from "../run.mjs";

interface Entry {
  readonly resolved?: string;
  readonly link?: boolean;
  readonly optionalDependencies?: Record<string, string>;
}

const text = readFileSync(join(root, "package-lock.json"), "utf8");
const packages = Object.entries<Entry>(JSON.parse(text).packages);

it("the lock file names no registry, so that it works with any", () => {
  expect(packages.filter(([, entry]) => entry.resolved !== undefined && entry.link !== true)).toEqual([]);
});

// npm leaves out what the registry in use does not offer; `npm ci` then fails everywhere else.
it("the lock file has the native parts for every platform", () => {
  const locked = new Set(packages.map(([path]) => path.slice(path.lastIndexOf("node_modules/") + 13)));
  const wanted = packages.flatMap(([, entry]) => Object.keys(entry.optionalDependencies ?? {}));
  expect(wanted.filter((name) => !locked.has(name))).toEqual([]);
});
