// @ts-check
/**
 * Translates TypeScript types into JSON Schemas, for docs/openapi.json and packages/cli/schemas. Knows the constructs
 * that these types use; any other type becomes the schema of any value, with its source text as a description.
 */
import { readFileSync, readdirSync } from "node:fs";
import { join, relative } from "node:path";
import { parseSync } from "oxc-parser";
import { authTypeSchemas, entryKeySchemas } from "../../packages/config/dist/entry/config-schema.js";
import { root } from "../run.mjs";

/**
 * @typedef {Record<string, any>} Node a node of the syntax tree
 * @typedef {Record<string, unknown>} Schema
 * @typedef {{ node: Node, isExported: boolean, file: string, source: string, comments: readonly Node[] }} Declaration
 * @typedef {{ member: Node, declaration: Declaration, optional: boolean }} Member a property or an index signature
 */

/** The folder of the types whose values servers send. Servers may add properties to these values. */
const PROTOCOL_TYPES = "packages/contracts/src/protocol/";

/**
 * Types that do not include all values that occur, so that programs can narrow them. Each name is mapped to the type
 * that includes the rest.
 * @type {{ readonly [name: string]: string }}
 */
const WIDER_TYPES = { ContentBlock: "AnyContent" };

/** Reads the interfaces and type aliases by name. */
export class TypeSchemas {
  /** The declarations of each file. @type {Map<string, Map<string, Declaration>>} */
  #files = new Map();
  /** A declaration for each name, the first exported one or the first of all. @type {Map<string, Declaration>} */
  #declarations = new Map();
  /** The schemas that were referred to. @type {Map<string, Schema>} */
  #used = new Map();
  /** @type {Map<string, Declaration>} */
  #usedDeclarations = new Map();
  #path;
  #closed;

  /**
   * @param {object} options
   * @param {readonly string[]} options.folders with the declarations; the first folder that declares a name wins
   * @param {string} options.path of the components in the document, such as `#/$defs/`
   * @param {boolean} [options.closed] whether objects have no other properties than those of their types
   */
  constructor({ folders, path, closed = false }) {
    this.#path = path;
    this.#closed = closed;
    for (const folder of folders.map((name) => join(root, name))) {
      for (const entry of readdirSync(folder, { recursive: true, encoding: "utf8" }).toSorted()) {
        if (entry.endsWith(".ts")) this.#read(join(folder, entry));
      }
    }
  }

  /** The schemas that the returned schemas refer to, by name. */
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
   * Finds a member of an interface, or of an interface that it extends.
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
   * Returns the schema of each property of an interface, with the schemas that it refers to.
   * @param {string} interfaceName
   * @returns {{ name: string, schema: Schema, components: { [name: string]: Schema } }[]}
   */
  properties(interfaceName) {
    const declaration = this.#find(interfaceName);
    return declaration.node["body"].body.map((/** @type {Node} */ member) => {
      this.#used.clear();
      this.#usedDeclarations.clear();
      const description = commentBefore(declaration, member);
      const schema = this.#schemaOf(member["typeAnnotation"].typeAnnotation, declaration);
      return {
        name: nameOf(member),
        schema: { ...(description && { description }), ...schema },
        components: this.components,
      };
    });
  }

  /**
   * Returns a reference to the schema of a declared type, and includes the schema in the components.
   * @param {string} name
   * @param {Declaration} [user] the declaration that names the type
   * @returns {Schema}
   */
  reference(name, user) {
    const declaration = this.#find(name, user);
    if (this.#used.has(name) && this.#usedDeclarations.get(name) !== declaration) {
      throw new Error(`two types of the name ${name} are used`);
    }
    if (!this.#used.has(name)) {
      // Set before the schema is known, because types refer to each other.
      this.#used.set(name, {});
      this.#usedDeclarations.set(name, declaration);
      const description = commentBefore(declaration, declaration.node);
      const schema =
        name === "ServerEntry"
          ? this.#entrySchema()
          : name === "AuthEntry"
            ? this.#authSchema()
            : declaration.node.type === "TSInterfaceDeclaration"
              ? this.#interfaceSchema(declaration)
              : this.#schemaOf(declaration.node.typeAnnotation, declaration);
      const wider = WIDER_TYPES[name];
      const whole = wider === undefined ? schema : { anyOf: [schema, this.reference(wider)] };
      this.#used.set(name, { ...(description && { description }), ...whole });
    }
    return { $ref: `${this.#path}${name}` };
  }

  /**
   * Returns the schema of an entry in the config file, because the type of an entry is computed from the table of keys.
   * @returns {Schema}
   */
  #entrySchema() {
    const type = { description: "Alias of `transport`.", ...this.reference("TransportName") };
    return { type: "object", properties: { ...this.#withReferences(entryKeySchemas()), type } };
  }

  /**
   * The type of `auth` is computed, too.
   * @returns {Schema}
   */
  #authSchema() {
    return { anyOf: this.#withReferences(authTypeSchemas()) };
  }

  /**
   * @template T
   * @param {T} schemas of the config file
   * @returns {T}
   */
  #withReferences(schemas) {
    let text = JSON.stringify(schemas);
    for (const [definition, name] of Object.entries({ auth: "AuthEntry", value: "EntryValue" })) {
      if (!text.includes(`"#/definitions/${definition}"`)) continue;
      text = text.replaceAll(`"#/definitions/${definition}"`, JSON.stringify(this.reference(name)["$ref"]));
    }
    return JSON.parse(text);
  }

  /** @param {string} file */
  #read(file) {
    const source = readFileSync(file, "utf8");
    const { program, comments } = parseSync(file, source);
    const names = new Map();
    this.#files.set(file, names);
    for (const statement of program.body) {
      const isExported = statement.type === "ExportNamedDeclaration";
      const node = /** @type {Node} */ (isExported ? statement.declaration : statement);
      for (const { name, value } of declaredBy(node)) {
        const declaration = { node: { ...value, start: statement.start }, isExported, file, source, comments };
        names.set(name, declaration);
        const known = this.#declarations.get(name);
        if (!known || (isExported && !known.isExported)) this.#declarations.set(name, declaration);
      }
    }
  }

  /**
   * @param {string} name
   * @param {Declaration} [user]
   * @returns {Declaration}
   */
  #find(name, user) {
    const found = this.#lookUp(name, user);
    if (!found) throw new Error(`there is no type ${name}`);
    return found;
  }

  /**
   * @param {string} name
   * @param {Declaration} [user]
   */
  #lookUp(name, user) {
    return (user && this.#files.get(user.file)?.get(name)) ?? this.#declarations.get(name);
  }

  /**
   * @param {Declaration} declaration
   * @returns {Schema}
   */
  #interfaceSchema(declaration) {
    const { node } = declaration;
    const bases = node["extends"] ?? [];
    if (this.#closed && bases.length > 0) return this.#shapeSchema(this.#interfaceShapes(declaration));
    const own = this.#objectSchema(asMembers(node["body"].body, declaration));
    if (bases.length === 0) return own;
    const schemas = bases.map((/** @type {Node} */ base) => this.#schemaOf(asReference(base), declaration));
    return { allOf: [...schemas, own] };
  }

  /**
   * @param {readonly Member[]} members
   * @returns {Schema}
   */
  #objectSchema(members) {
    const index = members.find(({ member }) => member["type"] === "TSIndexSignature");
    // A property that an interface declares again replaces the inherited one.
    const properties = new Map(
      members.flatMap((one) => (one.member["type"] === "TSPropertySignature" ? [[nameOf(one.member), one]] : [])),
    );
    const required = [...properties].flatMap(([name, { optional }]) => (optional ? [] : [name]));
    const isOpen = members.some(({ declaration }) => relative(root, declaration.file).startsWith(PROTOCOL_TYPES));
    const more = index && this.#schemaOf(index.member["typeAnnotation"].typeAnnotation, index.declaration);
    return {
      type: "object",
      ...(required.length > 0 && { required }),
      ...(properties.size > 0 && {
        properties: Object.fromEntries(
          [...properties].map(([name, { member, declaration, optional }]) => {
            const description = commentBefore(declaration, member);
            const type = member["typeAnnotation"].typeAnnotation;
            const schema = this.#schemaOf(optional ? withoutUndefined(type) : type, declaration);
            return [name, description ? { description, ...schema } : schema];
          }),
        ),
      }),
      ...(more ? { additionalProperties: more } : this.#closed && !isOpen && { additionalProperties: false }),
    };
  }

  /**
   * Returns the members of each object that a type allows, or undefined if it also allows other values.
   * @param {Node} type
   * @param {Declaration} declaration
   * @returns {Member[][] | undefined}
   */
  #shapesOf(type, declaration) {
    switch (type["type"]) {
      case "TSParenthesizedType":
        return this.#shapesOf(type["typeAnnotation"], declaration);
      case "TSTypeLiteral":
        return [asMembers(type["members"], declaration)];
      case "TSUnionType": {
        const parts = type["types"].map((/** @type {Node} */ one) => this.#shapesOf(one, declaration));
        return parts.includes(undefined) ? undefined : parts.flat();
      }
      case "TSIntersectionType":
        return this.#joinedShapes(type["types"], declaration);
      case "TSTypeReference":
        return this.#shapesOfReference(type, declaration);
      default:
        return undefined;
    }
  }

  /**
   * @param {Node} type
   * @param {Declaration} user
   * @returns {Member[][] | undefined}
   */
  #shapesOfReference(type, user) {
    const { name } = type["typeName"];
    const [first, second] = type["typeArguments"]?.params ?? [];
    if (name === "Readonly") return this.#shapesOf(first, user);
    if (name === "Partial") {
      return this.#shapesOf(first, user)?.map((members) => members.map((one) => ({ ...one, optional: true })));
    }
    if (name === "Pick" || name === "Omit") {
      const names = this.#literalsOf(second, user);
      const isKept = (/** @type {Member} */ { member }) => names.includes(nameOf(member)) === (name === "Pick");
      return this.#shapesOf(first, user)?.map((members) => members.filter(isKept));
    }
    const found = this.#lookUp(name, user);
    if (found?.node["type"] === "TSInterfaceDeclaration") return this.#interfaceShapes(found);
    if (found?.node["type"] === "TSTypeAliasDeclaration") return this.#shapesOf(found.node["typeAnnotation"], found);
    return undefined;
  }

  /**
   * @param {Declaration} declaration
   * @returns {Member[][] | undefined}
   */
  #interfaceShapes(declaration) {
    const { body, extends: bases } = declaration.node;
    const own = { type: "TSTypeLiteral", members: body.body };
    return this.#joinedShapes([...(bases ?? []).map(asReference), own], declaration);
  }

  /**
   * Returns the shapes of an intersection: all combinations of one shape of each type.
   * @param {readonly Node[]} types
   * @param {Declaration} declaration
   * @returns {Member[][] | undefined}
   */
  #joinedShapes(types, declaration) {
    /** @type {Member[][] | undefined} */
    let joined = [[]];
    for (const type of types) {
      const shapes = this.#shapesOf(type, declaration);
      joined = shapes && joined?.flatMap((before) => shapes.map((members) => [...before, ...members]));
    }
    return joined;
  }

  /**
   * @param {Member[][] | undefined} shapes
   * @returns {Schema}
   */
  #shapeSchema(shapes) {
    if (!shapes) throw new Error("a type extends a type that is no object");
    const schemas = shapes.map((members) => this.#objectSchema(members));
    return schemas.length === 1 ? /** @type {Schema} */ (schemas[0]) : { anyOf: schemas };
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
        return this.#objectSchema(asMembers(type["members"], declaration));
      case "TSMappedType":
        return this.#mappedSchema(type, declaration);
      case "TSIndexedAccessType":
        return this.#indexedSchema(type, declaration);
      case "TSUnionType":
        return unionOf(type["types"].map((/** @type {Node} */ one) => this.#schemaOf(one, declaration)));
      case "TSIntersectionType":
        if (this.#closed) return this.#shapeSchema(this.#shapesOf(type, declaration));
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
    const shapes = type["typeName"] && this.#shapesOf(type, declaration);
    if (shapes?.length !== 1) return anyValue(type, declaration);
    return { enum: shapes[0].map((/** @type {Member} */ { member }) => nameOf(member)) };
  }

  /**
   * Returns the texts that a type allows, if it allows nothing else.
   * @param {Node} type
   * @param {Declaration} declaration
   * @returns {string[]}
   */
  #literalsOf(type, declaration) {
    const alias = type["typeName"] && this.#lookUp(type["typeName"].name, declaration);
    if (alias?.node["type"] === "TSTypeAliasDeclaration") return this.#literalsOf(alias.node["typeAnnotation"], alias);
    const schema = this.#schemaOf(type, declaration);
    return "const" in schema ? [String(schema["const"])] : /** @type {string[]} */ (schema["enum"] ?? []);
  }

  /**
   * @param {Node} type such as `{ [Name in Key]?: Value }`
   * @param {Declaration} declaration
   * @returns {Schema}
   */
  #mappedSchema(type, declaration) {
    return {
      type: "object",
      ...(!type["optional"] && { required: this.#literalsOf(type["constraint"], declaration) }),
      propertyNames: this.#schemaOf(type["constraint"], declaration),
      additionalProperties: this.#schemaOf(type["typeAnnotation"], declaration),
    };
  }

  /**
   * @param {Node} type such as `ServerStatus["state"]` or `(typeof ERAS)[number]`
   * @param {Declaration} declaration
   * @returns {Schema}
   */
  #indexedSchema(type, declaration) {
    const { indexType, objectType } = type;
    const query = objectType["type"] === "TSParenthesizedType" ? objectType.typeAnnotation : objectType;
    if (query["type"] === "TSTypeQuery" && indexType["type"] === "TSNumberKeyword") {
      const list = this.#lookUp(query.exprName.name, declaration)?.node;
      if (list?.["type"] === "ArrayExpression") {
        return { enum: list["elements"].map((/** @type {Node} */ { value }) => value) };
      }
    }
    const name = indexType.literal?.value;
    const types = this.#shapesOf(objectType, declaration)?.flatMap((members) =>
      members.filter(({ member }) => member["type"] === "TSPropertySignature" && nameOf(member) === name),
    );
    if (!types?.length) return anyValue(type, declaration);
    return unionOf(types.map((one) => this.#schemaOf(one.member["typeAnnotation"].typeAnnotation, one.declaration)));
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
    if (name === "NonNullable") return this.#schemaOf(withoutUndefined(first), declaration);
    if (name === "Pick" || name === "Omit") {
      const shapes = this.#shapesOf(type, declaration);
      return shapes ? this.#shapeSchema(shapes) : anyValue(type, declaration);
    }
    const found = this.#lookUp(name, declaration);
    const isKnown = found && !first && !found.node["typeParameters"];
    return isKnown ? this.reference(name, declaration) : anyValue(type, declaration);
  }
}

/**
 * Returns the interface, the type alias or the lists of literals that a statement declares.
 * @param {Node | null | undefined} node
 * @returns {{ name: string, value: Node }[]}
 */
function declaredBy(node) {
  if (node?.["type"] === "TSInterfaceDeclaration" || node?.["type"] === "TSTypeAliasDeclaration") {
    return [{ name: node["id"].name, value: node }];
  }
  if (node?.["type"] !== "VariableDeclaration") return [];
  return node["declarations"].flatMap((/** @type {Node} */ { id, init }) =>
    init?.type === "TSAsExpression" && init.expression.type === "ArrayExpression"
      ? [{ name: id.name, value: init.expression }]
      : [],
  );
}

/**
 * @param {readonly Node[]} nodes
 * @param {Declaration} declaration
 * @returns {Member[]}
 */
function asMembers(nodes, declaration) {
  return nodes.map((member) => ({ member, declaration, optional: member["optional"] === true }));
}

/**
 * Removes `undefined` from a union. JSON has no undefined: such a property is absent.
 * @param {Node} type
 * @returns {Node}
 */
function withoutUndefined(type) {
  if (type["type"] !== "TSUnionType") return type;
  return { ...type, types: type["types"].filter((/** @type {Node} */ one) => one["type"] !== "TSUndefinedKeyword") };
}

/**
 * @param {Node} base of an interface
 * @returns {Node}
 */
function asReference({ expression, typeArguments }) {
  return { type: "TSTypeReference", typeName: expression, typeArguments };
}

/**
 * @param {Node} member
 * @returns {string}
 */
function nameOf({ key }) {
  return key?.name ?? key?.value ?? "";
}

/**
 * Joins literals to one `enum`.
 * @param {readonly Schema[]} schemas
 * @returns {Schema}
 */
function unionOf(schemas) {
  if (schemas.length === 1) return /** @type {Schema} */ (schemas[0]);
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
