/** Checks the shape of a `WorkspaceSpec` from a client. The host checks its values. */
import { HostError, isJsonObject } from "@plugboard/contracts";
import type { Json, WorkspaceSpec } from "@plugboard/contracts";

/** Uses `defaultCwd` if the spec has no `cwd`. Throws USAGE if a field is unknown or has the wrong type. */
export function parseWorkspaceSpec(body: unknown, defaultCwd: string | undefined): WorkspaceSpec {
  if (!isJsonObject(body)) throw usageError("a workspace must be an object");
  const { cwd = defaultCwd, ...rest } = body;
  if (typeof cwd !== "string") throw usageError('a workspace needs the path of its folder in "cwd"');
  if (cwd.includes("\0")) throw usageError('"cwd" must not contain a NUL character');
  for (const [key, value] of Object.entries(rest)) {
    const shape = Object.hasOwn(SHAPES, key) ? SHAPES[key] : undefined;
    if (!shape) throw usageError(`a workspace has no option ${JSON.stringify(key)}`);
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
  servers: {
    expected: "an object with a definition for each server id",
    matches: (value) => isObjectOf(value, isJsonObject),
  },
  permissions: {
    expected: 'an object with lists of strings in "allow", "ask" and "deny"',
    matches: (value) =>
      isObjectOf(value, isStringArray) && Object.keys(value as object).every((key) => EFFECTS.includes(key)),
  },
  env: { expected: "an object whose values are strings", matches: (value) => isObjectOf(value, isString) },
  configFiles: { expected: "a list of strings", matches: isStringArray },
  exclude: { expected: 'a list of patterns like "files:write_*"', matches: isStringArray },
  naming: { expected: "a string", matches: isString },
  lastValid: { expected: "true or false", matches: (value) => typeof value === "boolean" },
  nativeTools: { expected: "true or false", matches: (value) => typeof value === "boolean" },
};

function isString(value: Json): boolean {
  return typeof value === "string";
}

function isStringArray(value: Json): boolean {
  return Array.isArray(value) && value.every(isString);
}

function isObjectOf(value: Json, matches: (entry: Json) => boolean): boolean {
  return isJsonObject(value) && Object.values(value).every((entry) => entry !== undefined && matches(entry));
}

function usageError(message: string): HostError {
  return new HostError("USAGE", { message });
}
