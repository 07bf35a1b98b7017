// @ts-check
/**
 * Module hooks that load the conformance suite as a module instead of a command. The suite then exports its commander
 * program, and starts the client with `spawn` of client-port.mjs. On Node 20 the hooks also add a `globSync` to "fs",
 * which the suite imports but does not call in the commands used here.
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
