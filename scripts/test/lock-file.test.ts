import { readFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { root } from "../run.mjs";

interface Entry {
  readonly resolved?: string;
  readonly link?: boolean;
  readonly optionalDependencies?: Record<string, string>;
}

const LOCKS = ["package-lock.json", "bench/package-lock.json", "packages/testkit/long/package-lock.json"];

describe.each(LOCKS)("%s", (file) => {
  const packages = Object.entries<Entry>(JSON.parse(readFileSync(join(root, file), "utf8")).packages);

  it("names no registry, so that it works with any", () => {
    expect(packages.filter(([, entry]) => entry.resolved !== undefined && entry.link !== true)).toEqual([]);
  });

  // npm leaves out what the registry in use does not offer; `npm ci` then fails everywhere else.
  it("has the native parts for every platform", () => {
    const locked = new Set(packages.map(([path]) => path.slice(path.lastIndexOf("node_modules/") + 13)));
    const wanted = packages.flatMap(([, entry]) => Object.keys(entry.optionalDependencies ?? {}));
    expect(wanted.filter((name) => !locked.has(name))).toEqual([]);
  });
});
