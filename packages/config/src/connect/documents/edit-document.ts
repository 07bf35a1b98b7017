/**
 * Changes parts of the text of another client's config file: JSON with comments, TOML or YAML. Keeps all other text,
 * the byte-order mark and the line endings. The result is parsed again and compared with the expected document, so that
 * no edit can damage a file.
 */
import { canonicalJson, HostError, isJsonObject } from "@plugboard/contracts";
import type { Json, JsonObject } from "@plugboard/contracts";
import { removeIn, setIn } from "../../edit/edit-json-text.ts";
import { parseDocument } from "../../clients/syntax/parse-document.ts";
import type { Syntax } from "../../clients/syntax/parse-document.ts";
import { removeInToml, setInToml } from "./edit-toml-text.ts";
import { removeInYaml, setInYaml } from "./edit-yaml-text.ts";
import { UnsupportedLayout } from "./unsupported-layout.ts";

export interface DocumentChange {
  readonly path: readonly string[];
  /** Undefined removes the key. */
  readonly value: Json | undefined;
}

const BOM = "\ufeff";

/** Throws CONFIG_INVALID for a text that is not valid, and for a change that its layout does not allow. */
export async function editDocument(
  file: string,
  text: string,
  syntax: Syntax,
  changes: readonly DocumentChange[],
): Promise<string> {
  const bom = text.startsWith(BOM) ? BOM : "";
  const body = text.slice(bom.length);
  const document = await parseOrEmpty(file, body, syntax);
  const editable = syntax === "json" && isEmptyJson(body) ? appendObject(body) : body;
  const expected = structuredClone(document);
  let edited = editable;
  try {
    for (const { path, value } of changes) {
      requireObjects(file, expected, path, syntax);
      if (isSame(valueAt(expected, path), value)) continue;
      edited = await EDITORS[syntax](edited, path, value);
      change(expected, path, value);
    }
  } catch (error) {
    if (!(error instanceof UnsupportedLayout)) throw error;
    throw new HostError("CONFIG_INVALID", { file, reason: error.message }, { cause: error });
  }
  if (edited === editable) return text;
  const actual = await parseOrEmpty(file, edited, syntax).catch(() => undefined);
  if (actual && comparable(actual, syntax) === comparable(expected, syntax)) return bom + edited;
  const reason = "Plugboard can't change it without changing other parts of it";
  throw new HostError("CONFIG_INVALID", { file, reason });
}

/** Parses a text, and treats a text without content as an empty document. Throws CONFIG_INVALID. */
export async function parseOrEmpty(file: string, text: string, syntax: Syntax): Promise<JsonObject> {
  if (syntax === "json" ? isEmptyJson(text) : isEmptyText(text)) return {};
  return parseDocument(file, text, syntax);
}

/** Returns the value below the keys. */
export function valueAt(document: JsonObject, path: readonly string[]): Json | undefined {
  return path.reduce<Json | undefined>(
    (value, key) => (isJsonObject(value) && Object.hasOwn(value, key) ? value[key] : undefined),
    document,
  );
}

function isSame(value: Json | undefined, other: Json | undefined): boolean {
  if (value === undefined || other === undefined) return value === other;
  return canonicalJson(value) === canonicalJson(other);
}

type Editor = (text: string, path: readonly string[], value: Json | undefined) => string | Promise<string>;

const EDITORS: { readonly [S in Syntax]: Editor } = {
  json: (text, path, value) => (value === undefined ? removeIn(text, path) : setIn(text, path, value)),
  toml: (text, path, value) => (value === undefined ? removeInToml(text, path) : setInToml(text, path, value)),
  yaml: (text, path, value) => (value === undefined ? removeInYaml(text, path) : setInYaml(text, path, value)),
};

/** Returns true for white space and comments of JSON. */
function isEmptyJson(text: string): boolean {
  return (
    text
      .replace(/\/\/.*|\/\*[^]*?\*\//g, "")
      .replace(BOM, "")
      .trim() === ""
  );
}

/** Returns true for white space and comments of YAML. An empty TOML document is parsed as an object anyway. */
function isEmptyText(text: string): boolean {
  return (
    text
      .replace(BOM, "")
      .replace(/^[ \t]*#.*$/gm, "")
      .replace(/^---[ \t]*$/m, "")
      .trim() === ""
  );
}

function appendObject(text: string): string {
  const eol = /\r?\n/.exec(text)?.[0] ?? "\n";
  const before = text.trim() === "" ? "" : text.endsWith("\n") ? text : text + eol;
  return `${before}{}${eol}`;
}

/** Throws CONFIG_INVALID if a key on the way has another value than an object. */
function requireObjects(file: string, document: JsonObject, path: readonly string[], syntax: Syntax): void {
  let parent: JsonObject = document;
  for (const key of path.slice(0, -1)) {
    const value: Json | undefined = Object.hasOwn(parent, key) ? parent[key] : undefined;
    // In YAML, a key without a value is null.
    if (value === undefined || (value === null && syntax === "yaml")) return;
    if (!isJsonObject(value)) throw new HostError("CONFIG_INVALID", { file, reason: `"${key}" must be an object` });
    parent = value;
  }
}

function change(document: JsonObject, [key, ...rest]: readonly string[], value: Json | undefined): void {
  if (rest.length === 0) {
    if (value === undefined) delete document[key!];
    else document[key!] = value;
    return;
  }
  const child = document[key!];
  if (!isJsonObject(child) && value === undefined) return;
  const parent = isJsonObject(child) ? child : {};
  document[key!] = parent;
  change(parent, rest, value);
}

/** Leaves out empty tables of TOML, because a table that loses its last key may vanish from the text. */
function comparable(document: JsonObject, syntax: Syntax): string {
  return canonicalJson(syntax === "toml" ? withoutEmpty(document) : document);
}

function withoutEmpty(value: JsonObject): JsonObject {
  const members = Object.entries(value).map(
    ([key, item]) => [key, isJsonObject(item) ? withoutEmpty(item) : item] as const,
  );
  return Object.fromEntries(members.filter(([, item]) => !isJsonObject(item) || Object.keys(item).length > 0));
}
