/** Resolves a JSON pointer to a value and a readable path: `items[2].name`. */
import type { Json } from "@plugboard/contracts";
import { truncateWord } from "./describe-mismatch.ts";

export interface LocatedValue {
  readonly path: string;
  readonly value: Json | undefined;
}

export function locate(root: Json, pointer: string): LocatedValue {
  let path = "";
  let value: Json | undefined = root;
  for (const key of pointerKeys(pointer)) {
    path = Array.isArray(value) ? `${path}[${key}]` : childPath(path, key);
    value = isContainer(value) && Object.hasOwn(value, key) ? value[key] : undefined;
  }
  return { path, value };
}

/** Splits a JSON pointer into its keys. */
function pointerKeys(pointer: string): string[] {
  return pointer
    .split("/")
    .slice(1)
    .map((part) => part.replaceAll("~1", "/").replaceAll("~0", "~"));
}

export function childPath(parent: string, key: string): string {
  if (!/^[A-Za-z_$][\w$-]*$/.test(key) || key !== truncateWord(key))
    return `${parent}[${JSON.stringify(truncateWord(key))}]`;
  return parent === "" ? key : `${parent}.${key}`;
}

function isContainer(value: Json | undefined): value is Record<string, Json> {
  return typeof value === "object" && value !== null;
}
