import { readFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { root } from "../run.mjs";

interface Entry {
  readonly resolved?: string;
  readonly link?: boolean;
  readonly optionalDependencies?: Record<string, string>;
  readonly engines?: { readonly node?: string };
}

const LOCKS = ["package-lock.json", "bench/package-lock.json", "packages/testkit/long/package-lock.json"];

describe.each(LOCKS)("the lock file %s", (file) => {
  const packages = Object.entries<Entry>(JSON.parse(readFileSync(join(root, file), "utf8")).packages);

  it("contains no registry URLs, so that it works with any registry", () => {
    expect(packages.filter(([, entry]) => entry.resolved !== undefined && entry.link !== true)).toEqual([]);
  });

  // npm omits packages that the registry in use does not have, and `npm ci` then fails elsewhere.
  it("has the native packages for every platform", () => {
    const locked = new Set(packages.map(([path]) => path.slice(path.lastIndexOf("node_modules/") + 13)));
    const optional = packages.flatMap(([, entry]) => Object.keys(entry.optionalDependencies ?? {}));
    expect(optional.filter((name) => !locked.has(name))).toEqual([]);
  });
});

describe("the lock file of `npm start`", () => {
  const read = (file: string) => JSON.parse(readFileSync(join(root, file), "utf8"));

  it("has no package that needs a newer Node than the workspace", () => {
    const oldest = version(read("package.json").engines.node);
    const packages = Object.entries<Entry>(read("package-lock.json").packages);
    const tooNew = packages.filter(([, { engines }]) => engines?.node !== undefined && !allows(engines.node, oldest));
    expect(tooNew.map(([path, { engines }]) => `${path} wants Node ${engines?.node}`)).toEqual([]);
  });
});

/**
 * Returns true if an alternative of the version range starts at or below that version. Supports only the ranges in use.
 */
function allows(range: string, node: number): boolean {
  return range.split("||").some((alternative) => version(alternative) <= node);
}

function version(text: string): number {
  const [major = 0, minor = 0] = (/\d+(\.\d+)?/.exec(text)?.[0] ?? "0").split(".").map(Number);
  return major * 1000 + minor;
}
