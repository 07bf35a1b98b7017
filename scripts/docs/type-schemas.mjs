// @ts-check
/**
 * Translates the types of packages/contracts into JSON Schemas, for docs/openapi.json. Knows the constructs that these
 * types use; any other type becomes the schema of any value, with its source text as a description.
 */
import { readFileSync, readdirSync } from "node:fs";
import { join } from "node:path";
import { parseSync } from "oxc-parser";
import { entryKeySchemas } from "../../packages/config/dist/entry/config-schema.js";
import { root } from "../run.mjs";

/**
 * @typedef {Record<string, any>} Node a node of the syntax tree
 * @typedef {Record<string, unknown>} Schema
 * @typedef {{ node: Node, source: string, comments: readonly Node[] }} Declaration
 */

const folder = join(root, "packages", "contracts", "src");

/**
 * Types that leave out values which occur, so that programs can narrow them, with the type of all values.
 * @type {{ readonly [name: string]: string }}
 */
const WIDER_TYPES = { ContentBlock: "AnyContent" };

/** Reads the interfaces and type aliases by name. */
export class TypeSchemas {
  /** @type {Map<string, Declaration>} */
  #declarations = new Map();
  /** @type {Map<string, Schema>} */
  #used = new Map();

  constructor() {
    for (const entry of readdirSync(folder, { recursive: true, encoding: "utf8" }).toSorted()) {
      if (entry.endsWith(".ts")) this.#read(join(folder, entry));
    }
  }

  /** The schemas that the results of `method` refer to, by name. */
  get components() {
    return Object.fromEntries([...this.#used].toSorted(([a], [b]) => (a < b ? -1 : 1)));
  }

  /**
   * Describes a method such as `call` of the interface `WorkspaceTools`.
   * @param {string} interfaceName
   * @param {string} name
   * @returns {{ description: string | undefined, parameters: string[], result: Schema | undefined }}
   */
  method(interfaceName, name) {
    const { declaration, member } = this.#member(interfaceName, name) ?? {};
    if (!declaration || !member) throw new Error(`${interfaceName} has no member ${name}`);
    const signature = member.type === "TSPropertySignature" ? member.typeAnnotation.typeAnnotation : member;
    const [promised] = (signature.returnType ?? member.returnType).typeAnnotation.typeArguments.params;
    return {
      description: commentBefore(declaration, member),
      parameters: signature.params.map((/** @type {Node} */ parameter) => parameter.name),
      result: promised.type === "TSVoidKeyword" ? undefined : this.#schemaOf(promised, declaration),
    };
  }

  /**
   * Finds a member of an interface, or of one that it extends.
   * @param {string} interfaceName
   * @param {string} name
   * @returns {{ declaration: Declaration, member: Node } | undefined}
   */
  #member(interfaceName, name) {
    const declaration = this.#find(interfaceName);
    const { body, extends: parents = [] } = declaration.node;
    const member = body.body.find((/** @type {Node} */ { key }) => key?.name === name);
    if (member) return { declaration, member };
    for (const { expression } of parents) {
      const found = this.#member(expression.name, name);
      if (found) return found;
    }
    return undefined;
  }

  /**
   * Returns the type of a property, such as `WorkspaceTools` for `tools` of `Workspace`.
   * @param {string} interfaceName
   * @param {string} property
   * @returns {string}
   */
  typeOfProperty(interfaceName, property) {
    const { node } = this.#find(interfaceName);
    const member = node.body.body.find((/** @type {Node} */ { key }) => key?.name === property);
    return member.typeAnnotation.typeAnnotation.typeName.name;
  }

  /**
   * Returns a reference to the schema of a declared type, and includes the schema in the components.
   * @param {string} name
   * @returns {Schema}
   */
  reference(name) {
    if (!this.#used.has(name)) {
      // Set before the schema is known, because types refer to each other.
      this.#used.set(name, {});
      const declaration = this.#find(name);
      const description = commentBefore(declaration, declaration.node);
      const schema =
        name === "ServerEntry"
          ? this.#entrySchema()
          : declaration.node.type === "TSInterfaceDeclaration"
            ? this.#interfaceSchema(declaration)
            : this.#schemaOf(declaration.node.typeAnnotation, declaration);
      const wider = WIDER_TYPES[name];
      const whole = wider === undefined ? schema : { anyOf: [schema, this.reference(wider)] };
      this.#used.set(name, { ...(description && { description }), ...whole });
    }
    return { $ref: `#/components/schemas/${name}` };
  }

  /**
   * The type of an entry is computed from the table of keys, so its schema is that of the config file.
   * @returns {Schema}
   */
  #entrySchema() {
    const names = { auth: "AuthEntry", value: "EntryValue" };
    let text = JSON.stringify(entryKeySchemas());
    for (const [definition, name] of Object.entries(names)) {
      text = text.replaceAll(`"#/definitions/${definition}"`, JSON.stringify(this.reference(name)["$ref"]));
    }
    const type = { description: "Alias of `transport`.", ...this.reference("TransportName") };
    return { type: "object", properties: { ...JSON.parse(text), type } };
  }

  /** @param {string} file */
  #read(file) {
    const source = readFileSync(file, "utf8");
    const { program, comments } = parseSync(file, source);
    for (const statement of program.body) {
      const node = /** @type {Node} */ (
        statement.type === "ExportNamedDeclaration" ? statement.declaration : statement
      );
      if (node?.type !== "TSInterfaceDeclaration" && node?.type !== "TSTypeAliasDeclaration") continue;
      this.#declarations.set(node.id.name, { node: { ...node, start: statement.start }, source, comments });
    }
  }

  /**
   * @param {string} name
   * @returns {Declaration}
   */
  #find(name) {
    const found = this.#declarations.get(name);
    if (!found) throw new Error(`packages/contracts has no type ${name}`);
    return found;
  }

  /**
   * @param {Declaration} declaration
   * @returns {Schema}
   */
  #interfaceSchema(declaration) {
    const { node } = declaration;
    const own = this.#objectSchema(node.body.body, declaration);
    const bases = (node.extends ?? []).map((/** @type {Node} */ { expression, typeArguments }) =>
      this.#schemaOf({ type: "TSTypeReference", typeName: expression, typeArguments }, declaration),
    );
    return bases.length === 0 ? own : { allOf: [...bases, own] };
  }

  /**
   * @param {readonly Node[]} members
   * @param {Declaration} declaration
   * @returns {Schema}
   */
  #objectSchema(members, declaration) {
    const index = members.find(({ type }) => type === "TSIndexSignature");
    const properties = members.filter(({ type }) => type === "TSPropertySignature");
    const required = properties.filter(({ optional }) => !optional).map(nameOf);
    return {
      type: "object",
      ...(required.length > 0 && { required }),
      ...(properties.length > 0 && {
        properties: Object.fromEntries(
          properties.map((member) => {
            const description = commentBefore(declaration, member);
            const schema = this.#schemaOf(member["typeAnnotation"].typeAnnotation, declaration);
            return [nameOf(member), description ? { description, ...schema } : schema];
          }),
        ),
      }),
      ...(index && { additionalProperties: this.#schemaOf(index["typeAnnotation"].typeAnnotation, declaration) }),
    };
  }

  /**
   * @param {Node} type
   * @param {Declaration} declaration
   * @returns {Schema}
   */
  #schemaOf(type, declaration) {
    switch (type["type"]) {
      case "TSStringKeyword":
        return { type: "string" };
      case "TSNumberKeyword":
        return { type: "number" };
      case "TSBooleanKeyword":
        return { type: "boolean" };
      case "TSNullKeyword":
      case "TSUndefinedKeyword":
        return { type: "null" };
      case "TSUnknownKeyword":
        return {};
      case "TSTemplateLiteralType":
        return { type: "string" };
      case "TSLiteralType":
        return { const: type["literal"].value };
      case "TSParenthesizedType":
        return this.#schemaOf(type["typeAnnotation"], declaration);
      case "TSArrayType":
        return { type: "array", items: this.#schemaOf(type["elementType"], declaration) };
      case "TSTypeOperator":
        if (type["operator"] === "keyof") return this.#keysOf(type["typeAnnotation"], declaration);
        return this.#schemaOf(type["typeAnnotation"], declaration);
      case "TSTypeLiteral":
        return this.#objectSchema(type["members"], declaration);
      case "TSUnionType":
        return unionOf(type["types"].map((/** @type {Node} */ one) => this.#schemaOf(one, declaration)));
      case "TSIntersectionType":
        return { allOf: type["types"].map((/** @type {Node} */ one) => this.#schemaOf(one, declaration)) };
      case "TSTypeReference":
        return this.#referenceSchema(type, declaration);
      default:
        return anyValue(type, declaration);
    }
  }

  /**
   * @param {Node} type an interface
   * @param {Declaration} declaration
   * @returns {Schema}
   */
  #keysOf(type, declaration) {
    const found = this.#declarations.get(type["typeName"]?.name);
    if (found?.node["type"] !== "TSInterfaceDeclaration") return anyValue(type, declaration);
    return { enum: found.node["body"].body.map(nameOf) };
  }

  /**
   * @param {Node} type
   * @param {Declaration} declaration
   * @returns {Schema}
   */
  #referenceSchema(type, declaration) {
    const { name } = type["typeName"];
    if (name === "Json") return {};
    if (name === "JsonObject") return { type: "object" };
    const [first] = type["typeArguments"]?.params ?? [];
    if (name === "Partial" || name === "Readonly") return this.#schemaOf(first, declaration);
    const isKnown = this.#declarations.has(name) && !first && !this.#find(name).node["typeParameters"];
    return isKnown ? this.reference(name) : anyValue(type, declaration);
  }
}

/**
 * @param {Node} member
 * @returns {string}
 */
function nameOf({ key }) {
  return key.name ?? key.value;
}

/**
 * Joins literals to one `enum`.
 * @param {readonly Schema[]} schemas
 * @returns {Schema}
 */
function unionOf(schemas) {
  const literals = schemas.filter((schema) => "const" in schema);
  const others = schemas.filter((schema) => !("const" in schema));
  if (literals.length < 2) return { anyOf: schemas };
  const joined = { enum: literals.map((schema) => schema["const"]) };
  return others.length === 0 ? joined : { anyOf: [joined, ...others] };
}

/**
 * @param {Node} type
 * @param {Declaration} declaration
 * @returns {Schema}
 */
function anyValue({ start, end }, { source }) {
  return { description: `TypeScript: ${source.slice(start, end).replaceAll(/\s+/g, " ")}` };
}

/**
 * Returns the text of the comment directly before a node.
 * @param {Declaration} declaration
 * @param {Node} node
 * @returns {string | undefined}
 */
function commentBefore({ source, comments }, { start }) {
  const comment = comments.findLast(({ end }) => end <= start && source.slice(end, start).trim() === "");
  if (comment?.["type"] !== "Block") return undefined;
  return comment["value"]
    .replaceAll(/^\s*\*+/gm, " ")
    .replaceAll(/\s+/g, " ")
    .trim();
}
