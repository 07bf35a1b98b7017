/** Tells people and models what Ajv found: what is wrong with the value, not how the schema came to say so. */
import type { Json, JsonObject } from "@plugboard/contracts";
import type { ErrorObject } from "ajv";
import { describeError } from "./describe-error.ts";
import { DESCRIBED, PROBLEMS, SUGGESTIONS } from "./limits.ts";
import { locate } from "./locate.ts";
import type { Problem } from "./problem.ts";
import { oneOfValues, wrongType } from "./words.ts";

/** An error, and its description, which takes more time than finding it. */
interface Found {
  readonly error: ErrorObject;
  readonly describe: () => Problem;
}

export function describeProblems(errors: readonly ErrorObject[], value: Json, schema: JsonObject): Problem[] {
  const suggestions = { left: SUGGESTIONS };
  const found: Found[] = [];
  for (const error of errors) {
    // What led to it has been told just before.
    if (error.keyword === "if" && found.length > 0) continue;
    const causes = COMPOSED.has(error.keyword) ? takeCauses(found, error) : [];
    const told = isUnion(error) ? describeUnion(error, causes, value) : undefined;
    const own = () => describeError(error, value, schema, suggestions);
    for (const one of told ?? [{ error, describe: own }]) found.push(one);
  }
  return describeFirst(found);
}

/** Describes errors until there are enough that differ. */
function describeFirst(found: readonly Found[]): Problem[] {
  const once = new Map<string, Problem>();
  for (const { describe } of found.slice(0, DESCRIBED)) {
    const problem = describe();
    once.set(`${problem.path} ${problem.message}`, problem);
    if (once.size === PROBLEMS) break;
  }
  return [...once.values()];
}

/** Before these Ajv tells of what they are composed of. */
const COMPOSED = new Set(["anyOf", "oneOf", "contains", "propertyNames"]);

function takeCauses(found: Found[], { instancePath: path }: ErrorObject): Found[] {
  const isCause = ({ error: { instancePath } }: Found) => instancePath === path || instancePath.startsWith(`${path}/`);
  return found.splice(found.findLastIndex((one) => !isCause(one)) + 1);
}

/** Whether it fits none of several forms; `oneOf` also refuses what fits two. */
function isUnion({ keyword, params }: ErrorObject): boolean {
  return keyword === "anyOf" || (keyword === "oneOf" && !params["passingSchemas"]);
}

/** One sentence where each form names types or values; what one form says where only that one comes into question. */
function describeUnion(union: ErrorObject, causes: readonly Found[], whole: Json): Found[] {
  const { path, value } = locate(whole, union.instancePath);
  const tell = (message: string) => [{ error: union, describe: () => ({ path, message }) }];
  const here = causes.map(({ error }) => error).filter((error) => error.instancePath === union.instancePath);
  const types = [
    ...new Set(here.filter((error) => error.keyword === "type").flatMap((error): string[] => error.params["type"])),
  ];
  const values = here.flatMap(({ keyword, params }): Json[] =>
    keyword === "const" ? [params["allowedValue"]] : keyword === "enum" ? params["allowedValues"] : [],
  );
  const serious = causes.filter(({ error }) => error.instancePath !== union.instancePath || !PLAIN.has(error.keyword));
  if (serious.length === 0 && types.length === 0 && values.length > 0) return tell(oneOfValues(values));
  if (serious.length === 0 && values.length === 0 && types.length > 0) return tell(wrongType(types, value));
  const forms = new Set(serious.map(({ error }) => formOf(error, union)));
  return forms.size === 1 ? serious : tell("fits none of the forms it may have");
}

const PLAIN = new Set(["type", "const", "enum"]);

/** Which form said it: the number within the union, or what that form refers to. */
function formOf({ schemaPath }: ErrorObject, union: ErrorObject): string {
  const inner = schemaPath.startsWith(`${union.schemaPath}/`) ? schemaPath.slice(union.schemaPath.length) : schemaPath;
  return inner
    .split("/")
    .slice(0, inner === schemaPath ? 3 : 2)
    .join("/");
}
