// @ts-check
/**
 * Lets the conformance suite load on Node 20, which lacks `globSync` of "fs". Preload it: `node --import <this file>`.
 * On a newer Node it does nothing. The suite globs only in commands we don't run, so the name alone is enough.
 */
import fs from "node:fs";
import { register } from "node:module";

if (!("globSync" in fs)) {
  const filled = `
    export * from "node:fs";
    export { default } from "node:fs";
    export function globSync() { throw new Error("globSync needs Node 22"); }
  `;
  const hook = `
    export async function resolve(specifier, context, next) {
      const wanted = specifier === "fs" && context.parentURL?.includes("/@modelcontextprotocol/conformance/");
      return wanted ? { url: ${JSON.stringify(dataUrl(filled))}, shortCircuit: true } : next(specifier, context);
    }
  `;
  register(dataUrl(hook));
}

/** @param {string} code */
function dataUrl(code) {
  return `data:text/javascript,${encodeURIComponent(code)}`;
}
