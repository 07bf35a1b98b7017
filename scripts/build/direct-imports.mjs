// @ts-check
/**
 * Replaces imports from the index of a workspace package by imports from the modules that define the names. Otherwise a
 * command that needs one small function of a package would load everything that its index exports.
 */
import { existsSync, readFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { root } from "../run.mjs";

/** @typedef {{ module: string, name: string }} Definition */

const IMPORT = /^import \{([^}]*)\} from "(@plugboard\/[^"]+)";$/gm;
const EXPORT = /^export \{([^}]*)\} from "(\.[^"]+)";$/gm;

/**
 * Returns the module that a package exports under this name, such as `@plugboard/mcp/process`.
 * @param {string} specifier
 */
export function packageModule(specifier) {
  const [, name = "", entry = ""] = /^@plugboard\/(\w+)(\/.+)?$/.exec(specifier) ?? [];
  const manifest = join(root, "packages", name, "package.json");
  if (name === "" || !existsSync(manifest)) return undefined;
  const { types } = JSON.parse(readFileSync(manifest, "utf8")).exports[`.${entry}`];
  return join(root, "packages", name, types.replace(/\.d\.ts$/, ".js"));
}

/**
 * @param {(specifier: string) => boolean} applies whether imports of this package are replaced
 * @returns {import("rolldown").Plugin}
 */
export const directImports = (applies = () => true) => ({
  name: "direct-imports",
  transform(code, id) {
    if (!/[\\/]packages[\\/]\w+[\\/]dist[\\/]/.test(id)) return null;
    return code.replace(IMPORT, (statement, names, specifier) => {
      const index = applies(specifier) ? packageModule(specifier) : undefined;
      if (!index) return statement;
      const exported = exportsOf(index);
      return namesIn(names)
        .map(({ name, as }) => {
          const { module, name: original } = exported.get(name) ?? { module: index, name };
          return `import { ${original} as ${as} } from ${JSON.stringify(module)};`;
        })
        .join(" ");
    });
  },
});

/** @type {Map<string, ReadonlyMap<string, Definition>>} */
const cache = new Map();

/**
 * Returns the names that a module exports from other modules of its package.
 * @param {string} index
 * @returns {ReadonlyMap<string, Definition>}
 */
function exportsOf(index) {
  const known = cache.get(index);
  if (known) return known;
  /** @type {Map<string, Definition>} */
  const found = new Map();
  for (const [, names = "", from = ""] of readFileSync(index, "utf8").matchAll(EXPORT)) {
    for (const { name, as } of namesIn(names)) found.set(as, { module: join(dirname(index), from), name });
  }
  cache.set(index, found);
  return found;
}

/**
 * Parses the names between the braces of an import or export.
 * @param {string} list
 */
function namesIn(list) {
  const items = list.split(",").map((item) => item.trim());
  return items.filter(Boolean).map((item) => {
    const [name = "", as = name] = item.split(" as ");
    return { name, as };
  });
}
