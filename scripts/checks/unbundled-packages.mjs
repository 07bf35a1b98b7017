// @ts-check
/** A module hook that resolves the project's packages to their modules before bundling. */
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { pathToFileURL } from "node:url";

let packages = "";

/** @param {{ packages: string }} data */
export function initialize(data) {
  ({ packages } = data);
}

/** @type {import("node:module").ResolveHook} */
export function resolve(specifier, context, nextResolve) {
  const [, name, entry] = /^@plugboard\/(\w+)(\/.+)?$/.exec(specifier) ?? [];
  // The testkit is not bundled.
  if (name === undefined || name === "testkit") return nextResolve(specifier, context);
  const { exports } = JSON.parse(readFileSync(join(packages, name, "package.json"), "utf8"));
  const { types } = exports[`.${entry ?? ""}`];
  return { url: pathToFileURL(join(packages, name, types.replace(/\.d\.ts$/, ".js"))).href, shortCircuit: true };
}
