// @ts-check
/**
 * Finds the places of a source file where a silent change is possible: a condition to negate, a call to drop, a
 * constant to change. Leaves out changes that no test could notice, and changes that fail at once: imports, types,
 * messages, logs, and everything below a `throw`. Pure.
 */
import { parseSync } from "oxc-parser";

/**
 * @typedef {typeof KINDS[number]} Kind
 *
 * @typedef {object} Site
 * @property {string} file from the root, with slashes
 * @property {number} line
 * @property {Kind} kind
 * @property {number} start
 * @property {number} end
 * @property {string} before
 * @property {string} after
 *
 * @typedef {Record<string, unknown> & { type: string, start: number, end: number }} Node
 */

export const KINDS = /** @type {const} */ (["negated condition", "dropped call", "changed constant"]);

/** Calls that only write a log or prevent a warning, or whose arguments are texts for people. */
const IGNORED_CALLS = new Set([
  "log",
  "debug",
  "info",
  "warn",
  "error",
  "trace",
  "notice",
  "describe",
  "Symbol",
  "setMaxListeners",
]);

/** Strings that Node rejects with an exception if they are changed: encodings, algorithms and flags. */
const LOUD =
  /^(?:utf-?8|utf16le|latin1|ascii|hex|base64(?:url)?|binary|sha\d+|S(?:HA|ha)-?\d+|aes-.*|[rwax]\+?x?|node:.*)$/i;

/** Matches strings without spaces and punctuation, which are no messages. */
const TOKEN = /^[\w$:./#@?&=*+-]*$/;

/**
 * @param {string} file
 * @param {string} source
 * @returns {Site[]}
 */
export function findSites(file, source) {
  const { program, errors } = parseSync(file, source);
  if (errors.length > 0) throw new Error(`${file}: ${errors[0]?.message}`);
  /** @type {Site[]} */
  const sites = [];
  const add = (/** @type {Kind} */ kind, /** @type {Node} */ node, /** @type {string} */ after) => {
    const { start, end } = node;
    const line = source.slice(0, start).split("\n").length;
    sites.push({ file, line, kind, start, end, before: source.slice(start, end), after });
  };
  visit(/** @type {Node} */ (/** @type {unknown} */ (program)), add, source);
  return sites;
}

/**
 * @param {string} source
 * @param {Pick<Site, "start" | "end" | "before" | "after">} site
 */
export function applyChange(source, { start, end, before, after }) {
  if (source.slice(start, end) !== before) throw new Error(`The source has no ${JSON.stringify(before)} at ${start}.`);
  return source.slice(0, start) + after + source.slice(end);
}

/**
 * @param {Node} node
 * @param {(kind: Kind, node: Node, after: string) => void} add
 * @param {string} source
 */
function visit(node, add, source) {
  if (isLeftOut(node)) return;
  const text = (/** @type {Node} */ part) => source.slice(part.start, part.end);
  switch (node.type) {
    case "IfStatement":
    case "ConditionalExpression":
    case "WhileStatement": {
      const test = asNode(node["test"]);
      if (test !== undefined && test.type !== "Literal") add("negated condition", test, negate(test, text(test)));
      break;
    }
    case "LogicalExpression": {
      const left = asNode(node["left"]);
      if (left !== undefined && node["operator"] !== "??") add("negated condition", left, negate(left, text(left)));
      break;
    }
    case "ExpressionStatement":
      if (isDroppable(asNode(node["expression"]))) add("dropped call", node, "{}");
      break;
    case "Literal": {
      const changed = changeLiteral(node["value"]);
      if (changed !== undefined) add("changed constant", node, changed);
      break;
    }
  }
  for (const child of children(node)) visit(child, add, source);
}

/**
 * Returns true for subtrees without sites.
 * @param {Node} node
 */
function isLeftOut(node) {
  const { type } = node;
  if (/^(?:Import|ExportAll|ThrowStatement|JSXAttribute|Directive)/.test(type)) return true;
  if (type.startsWith("TS")) return !/^TS(?:As|Satisfies|NonNull|Instantiation)/.test(type);
  if (type === "ExpressionStatement" && typeof node["directive"] === "string") return true;
  // `once` makes no difference to the listener of a signal, which aborts only once.
  if (type === "Property" && asNode(node["key"])?.["name"] === "once") return true;
  if (type === "NewExpression") return nameOf(asNode(node["callee"])).endsWith("Error");
  return type === "CallExpression" && IGNORED_CALLS.has(nameOf(asNode(node["callee"])));
}

/** @param {Node} node */
function children(node) {
  // Types, names of properties and modules are no values.
  const names = Object.keys(node).filter(
    (name) =>
      !["typeAnnotation", "typeArguments", "typeParameters", "returnType", "source"].includes(name) &&
      !(name === "key" && node["computed"] !== true) &&
      !(name === "property" && node["computed"] !== true),
  );
  return names.flatMap((name) => [node[name]].flat()).flatMap((value) => asNode(value) ?? []);
}

/**
 * Returns true for a call, also an awaited or voided one, except `super(…)` and calls that write logs.
 * @param {Node | undefined} node
 * @returns {boolean}
 */
function isDroppable(node) {
  if (node === undefined) return false;
  if (node.type === "AwaitExpression" || (node.type === "UnaryExpression" && node["operator"] === "void"))
    return isDroppable(asNode(node["argument"]));
  if (node.type === "ChainExpression") return isDroppable(asNode(node["expression"]));
  const callee = asNode(node["callee"]);
  return node.type === "CallExpression" && callee?.type !== "Super" && !IGNORED_CALLS.has(nameOf(callee));
}

/**
 * @param {Node} node
 * @param {string} text
 */
function negate(node, text) {
  if (node.type === "UnaryExpression" && node["operator"] === "!") return `(${text.replace(/^!\s*/, "")})`;
  return `!(${text})`;
}

/**
 * Returns undefined for values that are not changed: regular expressions, null, messages, and strings that Node
 * rejects.
 * @param {unknown} value
 */
function changeLiteral(value) {
  if (typeof value === "boolean") return String(!value);
  if (typeof value === "number") return value === 0 ? "1" : String(value * 2);
  if (typeof value !== "string" || !TOKEN.test(value) || LOUD.test(value)) return undefined;
  return JSON.stringify(`${value}~`);
}

/**
 * Returns the last name of a callee: `log` of `this.#logger.log`.
 * @param {Node | undefined} callee
 */
function nameOf(callee) {
  const named = callee?.type === "MemberExpression" ? asNode(callee["property"]) : callee;
  return typeof named?.["name"] === "string" ? named["name"] : "";
}

/**
 * @param {unknown} value
 * @returns {Node | undefined}
 */
function asNode(value) {
  return typeof value === "object" && value !== null && "type" in value && "start" in value
    ? /** @type {Node} */ (value)
    : undefined;
}
