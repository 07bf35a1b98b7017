/** Prints a type in the notation of TypeScript. The style determines how objects and cut parts look. Pure. */
import { visibleJson } from "../lib/visible-json.ts";
import type { PropertyType, SchemaType } from "./schema-type.ts";

export interface TypeStyle {
  /** Prints an object that has properties. `others` is the type of further properties, if the schema mentions them. */
  readonly object: (properties: readonly PrintedProperty[], others: string | undefined) => string;
  /** Prints an object without named properties. `others` is the type of its properties, if it is known. */
  readonly anyObject: (others: string | undefined) => string;
  /** Stands for a part that is beyond the limits. */
  readonly cut: string;
  /** Stands for whole numbers. */
  readonly integer: string;
}

export interface PrintedProperty extends Pick<PropertyType, "required" | "description" | "default"> {
  /** The name, quoted if it is not an identifier. */
  readonly key: string;
  readonly type: string;
}

export function printType(type: SchemaType, style: TypeStyle): string {
  switch (type.kind) {
    case "name":
      return type.name === "integer" ? style.integer : type.name;
    case "literal":
      return typeof type.value === "string" ? visibleJson(type.value) : String(type.value);
    case "array":
      return `${printOperand(type.items, style, ["union", "intersection"])}[]`;
    case "tuple":
      return `[${type.items.map((item) => printType(item, style)).join(", ")}]`;
    case "object":
      return printObject(type, style);
    case "union":
      return printMembers(type.members, style, " | ", ["intersection"]);
    case "intersection":
      return printMembers(type.members, style, " & ", ["union"]);
    case "cut":
      return style.cut;
  }
}

function printObject({ properties, others }: Extract<SchemaType, { kind: "object" }>, style: TypeStyle): string {
  const othersType = others && printType(others, style);
  if (properties.length === 0) return style.anyObject(othersType);
  const printed = properties.map(({ name, type, ...rest }) => ({
    ...rest,
    key: isValidIdentifier(name) ? name : visibleJson(name),
    type: printType(type, style),
  }));
  return style.object(printed, othersType);
}

type Kind = SchemaType["kind"];

/** Joins the members, without those that look the same. */
function printMembers(
  members: readonly SchemaType[],
  style: TypeStyle,
  separator: string,
  kindsInParentheses: readonly Kind[],
): string {
  return [...new Set(members.map((member) => printOperand(member, style, kindsInParentheses)))].join(separator);
}

function printOperand(type: SchemaType, style: TypeStyle, kindsInParentheses: readonly Kind[]): string {
  const printed = printType(type, style);
  return kindsInParentheses.includes(type.kind) ? `(${printed})` : printed;
}

/** Returns whether the name can be written without quotes, as the name of a property. */
export function isValidIdentifier(name: string): boolean {
  return /^[A-Za-z_$][\w$]*$/.test(name);
}
