/** What a client asks a workspace to be, checked: its shape here, what it says by those who use it. */
import { HostError, isJsonObject } from "@plugboard/contracts";
import type { Json, WorkspaceSpec } from "@plugboard/contracts";

/** `folder` is what it is of unless it says. */
export function parseWorkspaceSpec(body: unknown, folder: string | undefined): WorkspaceSpec {
  if (!isJsonObject(body)) throw usageError("a workspace is described by an object");
  const { cwd = folder, ...rest } = body;
  if (typeof cwd !== "string") throw usageError('a workspace needs its folder, "cwd"');
  if (cwd.includes("\0")) throw usageError('"cwd" can\'t be a folder');
  for (const [key, value] of Object.entries(rest)) {
    const shape = Object.hasOwn(SHAPES, key) ? SHAPES[key] : undefined;
    if (!shape) throw usageError(`a workspace has no ${JSON.stringify(key)}`);
    if (value !== undefined && !shape.matches(value)) throw usageError(`"${key}" must be ${shape.expected}`);
  }
  return { ...rest, cwd };
}

interface Shape {
  readonly expected: string;
  readonly matches: (value: Json) => boolean;
}

const EFFECTS: readonly string[] = ["allow", "ask", "deny"];

const SHAPES: { readonly [key: string]: Shape } = {
  servers: { expected: "an object of definitions by their ids", matches: (value) => isObjectOf(value, isJsonObject) },
  permissions: {
    expected: 'an object with lists of texts, "allow", "ask" and "deny"',
    matches: (value) =>
      isObjectOf(value, isStringArray) && Object.keys(value as object).every((key) => EFFECTS.includes(key)),
  },
  env: { expected: "an object of texts", matches: (value) => isObjectOf(value, isString) },
  configFiles: { expected: "a list of texts", matches: isStringArray },
  exclude: { expected: 'a list of patterns like "files:write_*"', matches: isStringArray },
  naming: { expected: "a text", matches: isString },
};

function isString(value: Json): boolean {
  return typeof value === "string";
}

function isStringArray(value: Json): boolean {
  return Array.isArray(value) && value.every(isString);
}

function isObjectOf(value: Json, matches: (one: Json) => boolean): boolean {
  return isJsonObject(value) && Object.values(value).every((one) => one !== undefined && matches(one));
}

function usageError(message: string): HostError {
  return new HostError("USAGE", { message });
}
