// @ts-check
/**
 * The checkout whose Plugboard is measured: this one, or the one that `--beside` names. In a process that measures the
 * other one, `--import` of this module makes the contestants import Plugboard's packages from there.
 */
import { register } from "node:module";
import { join } from "node:path";
import { pathToFileURL } from "node:url";
import { isMainThread } from "node:worker_threads";
import { root } from "../scripts/run.mjs";

/** Set in the process of a runner. */
export const CHECKOUT_VARIABLE = "PLUGBOARD_BENCH_CHECKOUT";

const other = process.env[CHECKOUT_VARIABLE];

/** The folder of the checkout. */
export const checkout = other ?? root;

if (other !== undefined && isMainThread) register(import.meta.url);

const BENCH = new URL(".", import.meta.url).href;

/** @type {import("node:module").ResolveHook} */
export function resolve(specifier, context, nextResolve) {
  const isOurs = specifier.startsWith("@plugboard/") && context.parentURL?.startsWith(BENCH);
  if (!isOurs) return nextResolve(specifier, context);
  return nextResolve(specifier, { ...context, parentURL: pathToFileURL(join(checkout, "package.json")).href });
}
