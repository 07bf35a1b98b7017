// @ts-check
/**
 * Finds all references of a source file to other modules, including types: import, export … from, import(),
 * import type, import("…").T, import x = require("…"), require("…"), /// <reference>. Also lists every identifier and
 * string as a mention, because some names are banned or reserved (`check-boundaries.mjs`).
 */
import { parseSync } from "oxc-parser";

/**
 * @typedef {{ line: number, specifier: string | undefined, isReexport: boolean }} Reference
 *   `specifier` is undefined if it is computed
 * @typedef {{ line: number, name: string }} Mention `name` is an identifier, or the text of a string literal
 * @typedef {Record<string, unknown> & { type: string, start: number }} Node
 */

/**
 * @param {string} file its extension determines the language
 * @param {string} source
 * @returns {{ errors: string[], references: Reference[], mentions: Mention[] }}
 */
export function moduleReferences(file, source) {
  const { program, comments, errors } = parseSync(file, source);
  /** @type {Reference[]} */
  const references = [];
  /** @type {Mention[]} */
  const mentions = [];
  const lineOf = (/** @type {number} */ offset) => source.slice(0, offset).split("\n").length;

  for (const node of nodes(program)) {
    const line = () => lineOf(node.start);
    const moduleName = sourceOf(node);
    const isReexport = node.type.startsWith("Export");
    if (moduleName) references.push({ line: line(), specifier: text(moduleName), isReexport });
    const name = node.type === "Identifier" ? node["name"] : text(node);
    if (typeof name === "string") mentions.push({ line: line(), name });
  }
  for (const { type, value, start } of comments) {
    const specifier = /^\/\s*<reference\s+(?:path|types)\s*=\s*["']([^"']+)["']/.exec(value)?.[1];
    if (type === "Line" && specifier !== undefined)
      references.push({ line: lineOf(start), specifier, isReexport: false });
  }
  return { errors: errors.map((error) => error.message), references, mentions };
}

/**
 * Returns the node with the module name, if this node refers to a module.
 * @param {Node} node
 */
function sourceOf(node) {
  switch (node.type) {
    case "ImportDeclaration":
    case "ExportNamedDeclaration":
    case "ExportAllDeclaration":
    case "ImportExpression":
    case "TSImportType":
      return asNode(node["source"]);
    case "TSExternalModuleReference":
      return asNode(node["expression"]);
    case "CallExpression":
      return asNode(node["callee"])?.["name"] === "require" && Array.isArray(node["arguments"])
        ? asNode(node["arguments"][0])
        : undefined;
    default:
      return undefined;
  }
}

/**
 * Returns the text of a string literal, or of a template literal without expressions.
 * @param {Node} node
 * @returns {string | undefined}
 */
function text(node) {
  if (node.type === "Literal" && typeof node["value"] === "string") return node["value"];
  if (node.type !== "TemplateLiteral" || !Array.isArray(node["quasis"]) || node["quasis"].length !== 1)
    return undefined;
  return node["quasis"][0].value.cooked ?? undefined;
}

/**
 * Yields all nodes of a syntax tree.
 * @param {unknown} value
 * @returns {Iterable<Node>}
 */
function* nodes(value) {
  if (Array.isArray(value)) for (const item of value) yield* nodes(item);
  const node = asNode(value);
  if (!node) return;
  yield node;
  for (const child of Object.values(node)) if (typeof child === "object") yield* nodes(child);
}

/**
 * @param {unknown} value
 * @returns {Node | undefined}
 */
function asNode(value) {
  if (typeof value !== "object" || value === null || !("type" in value) || !("start" in value)) return undefined;
  return /** @type {Node} */ (value);
}
