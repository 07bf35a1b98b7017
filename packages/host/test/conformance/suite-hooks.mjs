// @ts-check
/**
 * Module hooks under which the conformance suite can be loaded as a module instead of being run as a command:
 * it exports its commander program, and what it "spawns" as the client is `spawn` of client-port.mjs.
 * On Node 20 they also fill in `globSync` of "fs"; the suite globs only in commands we don't run, so the name is enough.
 */
import fs from "node:fs";

const SUITE = "/@modelcontextprotocol/conformance/dist/";

const FS = `
  export * from "node:fs";
  export { default } from "node:fs";
  export function globSync() { throw new Error("globSync needs Node 22"); }
`;

/** @type {{ readonly [specifier: string]: string | undefined }} */
const REPLACED = {
  child_process: new URL("client-port.mjs", import.meta.url).href,
  ...("globSync" in fs ? {} : { fs: `data:text/javascript,${encodeURIComponent(FS)}` }),
};

/** @type {import("node:module").ResolveHook} */
export async function resolve(specifier, context, next) {
  const url = context.parentURL?.includes(SUITE) ? REPLACED[specifier] : undefined;
  return url === undefined ? next(specifier, context) : { url, shortCircuit: true };
}

/** @type {import("node:module").LoadHook} */
export async function load(url, context, next) {
  const loaded = await next(url, context);
  if (!url.includes(`${SUITE}index.js`)) return loaded;
  const source = new TextDecoder().decode(/** @type {Uint8Array} */ (loaded.source));
  const exported = source.replace(/(\w+)\.parse\(\);export\{\};\s*$/, "$1;export{$1 as program};");
  if (exported === source) throw new Error("the conformance suite no longer ends by parsing its arguments");
  return { ...loaded, source: exported };
}
