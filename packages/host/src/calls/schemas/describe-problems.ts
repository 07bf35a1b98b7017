/** Converts the errors of Ajv to a short list of problems for people and models. */
import type { Json, JsonObject } from "@plugboard/contracts";
import type { ErrorObject } from "ajv";
import { describeError } from "./describe-error.ts";
import { MAX_DESCRIBED_ERRORS, MAX_PROBLEMS, MAX_SUGGESTIONS } from "./check-limits.ts";
import { locate } from "./locate.ts";
import type { Problem } from "./check-result.ts";
import { describeAllowedValues, describeTypeMismatch } from "./describe-mismatch.ts";

/** `describe` is called only on demand, because it takes longer than the check that found the error. */
interface FoundError {
  readonly error: ErrorObject;
  readonly describe: () => Problem;
}

export function describeProblems(errors: readonly ErrorObject[], value: Json, schema: JsonObject): Problem[] {
  const suggestions = { left: MAX_SUGGESTIONS };
  const found: FoundError[] = [];
  for (const error of errors) {
    // The error of `then` or `else` is already in `found`, and describes the cause.
    if (error.keyword === "if" && found.length > 0) continue;
    const causes = COMPOSITE_KEYWORDS.has(error.keyword) ? takeCauses(found, error) : [];
    const merged = matchesNoAlternative(error) ? describeUnion(error, causes, value) : undefined;
    const describe = () => describeError(error, value, schema, suggestions);
    for (const one of merged ?? [{ error, describe }]) found.push(one);
  }
  return describeFirst(found);
}

/** Describes errors until enough different problems are found. */
function describeFirst(found: readonly FoundError[]): Problem[] {
  const unique = new Map<string, Problem>();
  for (const { describe } of found.slice(0, MAX_DESCRIBED_ERRORS)) {
    const problem = describe();
    unique.set(`${problem.path} ${problem.message}`, problem);
    if (unique.size === MAX_PROBLEMS) break;
  }
  return [...unique.values()];
}

/** Keywords for which Ajv first reports the errors of the subschemas, and then one error for the keyword. */
const COMPOSITE_KEYWORDS = new Set(["anyOf", "oneOf", "contains", "propertyNames"]);

/** Removes and returns the errors of the subschemas: the last found errors at or below the path of this error. */
function takeCauses(found: FoundError[], { instancePath: path }: ErrorObject): FoundError[] {
  const isCause = ({ error: { instancePath } }: FoundError) =>
    instancePath === path || instancePath.startsWith(`${path}/`);
  return found.splice(found.findLastIndex((one) => !isCause(one)) + 1);
}

/** Returns false for a `oneOf` that failed because two alternatives match. */
function matchesNoAlternative({ keyword, params }: ErrorObject): boolean {
  return keyword === "anyOf" || (keyword === "oneOf" && !params["passingSchemas"]);
}

/**
 * Merges the errors of all alternatives (`anyOf`, `oneOf`). If the alternatives differ only in types or in constants,
 * returns one problem that lists them. If all alternatives but one failed by their type or constant, returns the errors
 * of the remaining alternative.
 */
function describeUnion(union: ErrorObject, causes: readonly FoundError[], whole: Json): FoundError[] {
  const { path, value } = locate(whole, union.instancePath);
  const single = (message: string) => [{ error: union, describe: () => ({ path, message }) }];
  const ownErrors = causes.map(({ error }) => error).filter((error) => error.instancePath === union.instancePath);
  const types = [
    ...new Set(
      ownErrors.filter((error) => error.keyword === "type").flatMap((error): string[] => error.params["type"]),
    ),
  ];
  const values = ownErrors.flatMap(({ keyword, params }): Json[] =>
    keyword === "const" ? [params["allowedValue"]] : keyword === "enum" ? params["allowedValues"] : [],
  );
  const innerErrors = causes.filter(
    ({ error }) => error.instancePath !== union.instancePath || !SIMPLE_KEYWORDS.has(error.keyword),
  );
  if (innerErrors.length === 0 && types.length === 0 && values.length > 0) return single(describeAllowedValues(values));
  if (innerErrors.length === 0 && values.length === 0 && types.length > 0)
    return single(describeTypeMismatch(types, value));
  const branches = new Set(innerErrors.map(({ error }) => branchOf(error, union)));
  return branches.size === 1 ? innerErrors : single("matches none of the alternatives");
}

/** An alternative that fails by one of these keywords was clearly not meant, so its other errors do not matter. */
const SIMPLE_KEYWORDS = new Set(["type", "const", "enum"]);

/** Returns the alternative that an error belongs to: its index, or its reference. */
function branchOf({ schemaPath }: ErrorObject, union: ErrorObject): string {
  // `/0/properties/…` within the union, or `#/$defs/name/…` behind a reference.
  const inner = schemaPath.startsWith(`${union.schemaPath}/`) ? schemaPath.slice(union.schemaPath.length) : schemaPath;
  const branchParts = inner === schemaPath ? 3 : 2;
  return inner.split("/").slice(0, branchParts).join("/");
}
