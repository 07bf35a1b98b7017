/** Where a JSON pointer leads to in a value, told the way people write it: `items[2].name`. */
import type { Json } from "@plugboard/contracts";
import { shorten } from "./words.ts";

export interface Place {
  readonly path: string;
  readonly value: Json | undefined;
}

export function locate(root: Json, pointer: string): Place {
  let path = "";
  let value: Json | undefined = root;
  for (const key of pointerKeys(pointer)) {
    path = Array.isArray(value) ? `${path}[${key}]` : pathOf(path, key);
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

export function pathOf(parent: string, key: string): string {
  if (!/^[A-Za-z_$][\w$-]*$/.test(key) || key !== shorten(key)) return `${parent}[${JSON.stringify(shorten(key))}]`;
  return parent === "" ? key : `${parent}.${key}`;
}

function isContainer(value: Json | undefined): value is Record<string, Json> {
  return typeof value === "object" && value !== null;
}
