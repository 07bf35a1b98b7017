// @ts-check
/**
 * Says which checkout's Plugboard is measured: this checkout, or another one that `--beside` names. A process that
 * measures another checkout is started with `--import` of this module, so that its contestants import Plugboard's
 * packages from that checkout.
 */
import { register } from "node:module";
import { join } from "node:path";
import { pathToFileURL } from "node:url";
import { isMainThread } from "node:worker_threads";
import { root } from "../scripts/run.mjs";

/** Set in the process of a runner that measures another checkout. */
export const CHECKOUT_VARIABLE = "PLUGBOARD_BENCH_CHECKOUT";

const other = process.env[CHECKOUT_VARIABLE];

/** The folder of the checkout. */
export const checkout = other ?? root;

// Node loads this module again, in the thread for its hooks, and calls `resolve` there.
if (other !== undefined && isMainThread) register(import.meta.url);

const BENCH = new URL(".", import.meta.url).href;

/** @type {import("node:module").ResolveHook} */
export function resolve(specifier, context, nextResolve) {
  const isOurs = specifier.startsWith("@plugboard/") && context.parentURL?.startsWith(BENCH);
  if (!isOurs) return nextResolve(specifier, context);
  return nextResolve(specifier, { ...context, parentURL: pathToFileURL(join(checkout, "package.json")).href });
}
