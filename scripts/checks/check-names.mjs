// @ts-check
/**
 * Checks that an exported name means one thing: no two source files export a declaration of the same name. Names that
 * are the same on purpose are in DELIBERATE, with the reason. Test servers are programs of their own and are not
 * checked.
 */
import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { parseSync } from "oxc-parser";
import { isProgram, root } from "../run.mjs";

const LAZY = "lazy.ts exports the same function, and loads its module when it is called";
const COMMAND = "the command, and what it calls in the host";
const DESCRIPTIONS = "words of two description languages: of command lines, and of method arguments";
const RPC_CODE = "a code of JSON-RPC; the page does not import mcp";

/**
 * The reason why two files declare a name.
 * @type {{ readonly [name: string]: string }}
 */
export const DELIBERATE = {
  INVALID_PARAMS: RPC_CODE,
  METHOD_NOT_FOUND: RPC_CODE,
  PlannedServer: "a server of an import plan, and a server of a plan to add or edit",
  addRules: COMMAND,
  callTool: COMMAND,
  createHost: LAZY,
  editConfig: LAZY,
  exportServers: COMMAND,
  flag: DESCRIPTIONS,
  listProfiles: COMMAND,
  listScope: COMMAND,
  listServers: LAZY,
  listStoredTools: LAZY,
  oneOf: DESCRIPTIONS,
  optional: DESCRIPTIONS,
  referencedEnv: LAZY,
  removeProfile: COMMAND,
  removeServers: COMMAND,
  searchRegistry: COMMAND,
  setProfile: COMMAND,
  toolNotFound: "for a word that a person typed, and for a call of a model",
  wholeNumber: DESCRIPTIONS,
};

/**
 * @param {string} tree the folder that holds packages/
 * @param {{ readonly [name: string]: string }} deliberate
 * @returns {string[]} a line for each name that several files declare
 */
export function sharedNames(tree, deliberate) {
  /** @type {Map<string, string[]>} */
  const files = new Map();
  for (const file of sources(tree)) {
    for (const name of new Set(exportedNames(file, readFileSync(join(tree, file), "utf8")))) {
      files.set(name, [...(files.get(name) ?? []), file]);
    }
  }
  return [...files]
    .filter(([name, declaring]) => declaring.length > 1 && !Object.hasOwn(deliberate, name))
    .map(([name, declaring]) => `${name} is declared in ${declaring.join(" and ")}`)
    .toSorted();
}

/**
 * @param {string} tree
 * @returns {string[]}
 */
function sources(tree) {
  const entries = readdirSync(join(tree, "packages"), { recursive: true, encoding: "utf8" });
  return entries
    .map((entry) => `packages/${entry.replaceAll("\\", "/")}`)
    .filter((file) => /^packages\/(?!testkit\/)[^/]+\/src\/.*\.tsx?$/.test(file))
    .toSorted();
}

/**
 * Returns the names that a file declares and exports, without the names that it exports from other files.
 * @param {string} file
 * @param {string} source
 * @returns {string[]}
 */
function exportedNames(file, source) {
  return parseSync(file, source).program.body.flatMap((statement) => {
    if (statement.type !== "ExportNamedDeclaration" || !statement.declaration) return [];
    const declaration = /** @type {Record<string, any>} */ (statement.declaration);
    const declared = declaration["declarations"] ?? [declaration];
    return declared.flatMap((/** @type {Record<string, any>} */ { id }) => id?.name ?? []);
  });
}

if (isProgram(import.meta.url)) {
  const found = sharedNames(root, DELIBERATE);
  for (const line of found) console.error(line);
  if (found.length > 0) console.error("Rename one of them, or give the reason in scripts/checks/check-names.mjs.");
  process.exitCode = found.length > 0 ? 1 : 0;
}
