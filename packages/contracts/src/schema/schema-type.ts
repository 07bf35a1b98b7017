/**
 * Converts a JSON Schema to a type that can be printed. Limits its depth and size, because a server may send any
 * schema. Pure.
 */
import { isJsonObject } from "../lib/json.ts";
import type { Json, JsonObject } from "../lib/json.ts";
import { keywordList, resolveSchema, keywordText } from "./resolve-schema.ts";

export type SchemaType =
  | { readonly kind: "name"; readonly name: TypeName }
  | { readonly kind: "literal"; readonly value: string | number | boolean | null }
  | { readonly kind: "array"; readonly items: SchemaType }
  | { readonly kind: "tuple"; readonly items: readonly SchemaType[] }
  /** `others` is the type of further properties. Undefined if the schema does not mention them. */
  | { readonly kind: "object"; readonly properties: readonly PropertyType[]; readonly others?: SchemaType }
  | { readonly kind: "union" | "intersection"; readonly members: readonly SchemaType[] }
  /** A part that is beyond the limits. */
  | { readonly kind: "cut" };

type TypeName = "string" | "number" | "integer" | "boolean" | "null" | "unknown" | "never";

export interface PropertyType {
  readonly name: string;
  readonly required: boolean;
  readonly type: SchemaType;
  readonly description: string | undefined;
  readonly default: Json | undefined;
}

export interface TypeLimits {
  /** How deeply objects and lists may be nested. */
  readonly depth: number;
  /** How many parts the type may have. */
  readonly parts: number;
  /** How many alternatives a union may have. */
  readonly alternatives: number;
}

export function schemaType(schema: Json | undefined, root: JsonObject, limits: TypeLimits): SchemaType {
  return convert(schema, { root, limits, budget: { parts: limits.parts }, depth: 0 });
}

interface Conversion {
  readonly root: JsonObject;
  readonly limits: TypeLimits;
  /** The number of parts that are left. Shared by all steps of the conversion. */
  readonly budget: { parts: number };
  readonly depth: number;
}

const CUT: SchemaType = { kind: "cut" };

function convert(schema: Json | undefined, conversion: Conversion): SchemaType {
  if (schema === false) return named("never");
  if (conversion.depth > conversion.limits.depth || --conversion.budget.parts < 0) return CUT;
  const resolved = resolveSchema(schema, conversion.root);
  const inner = { ...conversion, depth: conversion.depth + 1 };
  const parts = [
    ...convertOwn(resolved, inner),
    ...keywordList(resolved, "allOf").map((part) => convert(part, inner)),
    ...convertAlternatives(keywordList(resolved, "anyOf"), inner),
    ...convertAlternatives(keywordList(resolved, "oneOf"), inner),
  ];
  const type = combine("intersection", parts);
  return resolved["nullable"] === true ? combine("union", [type, named("null")]) : type;
}

/** Returns the type by the schema's own keywords, or nothing if they do not restrict it. */
function convertOwn(schema: JsonObject, inner: Conversion): SchemaType[] {
  const { type, const: value } = schema;
  if (value !== undefined) return [literal(value)];
  if (Array.isArray(schema["enum"])) return convertEnum(schema["enum"], inner);
  const types = [type].flat().filter((name) => typeof name === "string");
  if (types.length > 0)
    return [
      combine(
        "union",
        types.map((name) => convertNamed(name, schema, inner)),
      ),
    ];
  if (isJsonObject(schema["properties"]) || schema["additionalProperties"] !== undefined)
    return [convertObject(schema, inner)];
  return schema["items"] !== undefined || schema["prefixItems"] !== undefined ? [convertArray(schema, inner)] : [];
}

function convertNamed(name: string, schema: JsonObject, inner: Conversion): SchemaType {
  if (name === "object") return convertObject(schema, inner);
  if (name === "array") return convertArray(schema, inner);
  return named(TYPE_NAMES.find((known) => known === name) ?? "unknown");
}

const TYPE_NAMES: readonly TypeName[] = ["string", "number", "integer", "boolean", "null"];

/** Returns an object without properties if its properties would be too deep. */
function convertObject(schema: JsonObject, inner: Conversion): SchemaType {
  if (inner.depth > inner.limits.depth) return { kind: "object", properties: [] };
  const properties = isJsonObject(schema["properties"]) ? Object.entries(schema["properties"]) : [];
  const required = new Set(keywordList(schema, "required"));
  const { additionalProperties: others } = schema;
  const shown = takeWithin(properties, inner).map(([name, property]): PropertyType => {
    const resolved = resolveSchema(property, inner.root);
    return {
      name,
      required: required.has(name),
      type: convert(property, inner),
      description: keywordText(resolved, "description"),
      default: resolved["default"],
    };
  });
  const isCut = shown.length < properties.length;
  const othersType = isCut ? CUT : others === undefined || others === false ? undefined : convert(others, inner);
  return { kind: "object", properties: shown, ...(othersType && { others: othersType }) };
}

function convertArray(schema: JsonObject, inner: Conversion): SchemaType {
  // Before 2020-12, the positions of a tuple were in `items`.
  const positions = [...keywordList(schema, "prefixItems"), ...keywordList(schema, "items")];
  if (positions.length === 0) return { kind: "array", items: convert(schema["items"], inner) };
  const items = takeWithin(positions, inner).map((item) => convert(item, inner));
  return items.length < positions.length ? { kind: "array", items: CUT } : { kind: "tuple", items };
}

function convertEnum(values: readonly Json[], inner: Conversion): SchemaType[] {
  const shown = values.slice(0, inner.limits.alternatives).map(literal);
  return [combine("union", shown.length < values.length ? [...shown, CUT] : shown)];
}

function convertAlternatives(alternatives: readonly Json[], inner: Conversion): SchemaType[] {
  if (alternatives.length === 0) return [];
  const shown = alternatives.slice(0, inner.limits.alternatives).map((alternative) => convert(alternative, inner));
  return [combine("union", shown.length < alternatives.length ? [...shown, CUT] : shown)];
}

/** Returns the beginning of a list for which the budget is sufficient. */
function takeWithin<T>(values: readonly T[], { budget }: Conversion): readonly T[] {
  return values.slice(0, Math.max(0, budget.parts));
}

function named(name: TypeName): SchemaType {
  return { kind: "name", name };
}

/** Returns the type of one value. Lists and objects as values are too rare to be printed. */
function literal(value: Json): SchemaType {
  if (value === null) return named("null");
  if (typeof value === "number" && !Number.isFinite(value)) return named("number");
  return typeof value === "object" ? named("unknown") : { kind: "literal", value };
}

/** Combines types into a union or intersection, and flattens nested ones of the same kind. */
function combine(kind: "union" | "intersection", types: readonly SchemaType[]): SchemaType {
  const members = types.flatMap((type) => (type.kind === kind ? type.members : [type]));
  if (kind === "union" && members.some(isUnknown)) return named("unknown");
  const informative = kind === "union" ? members : members.filter((type) => !isUnknown(type) && !isAnyObject(type));
  const [only, ...others] = informative.length === 0 ? members : informative;
  if (only === undefined) return named(kind === "union" ? "never" : "unknown");
  return others.length === 0 ? only : { kind, members: [only, ...others] };
}

function isUnknown(type: SchemaType): boolean {
  return type.kind === "name" && type.name === "unknown";
}

function isAnyObject(type: SchemaType): boolean {
  return type.kind === "object" && type.properties.length === 0 && type.others === undefined;
}
