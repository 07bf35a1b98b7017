/**
 * Compiles schemas with Ajv. Only this module imports Ajv, and it is loaded on first use. Each schema gets its own Ajv
 * instance, so that schemas can't affect each other and are freed completely. Fetches nothing.
 */
import type { Json, JsonObject } from "@plugboard/contracts";
import { Ajv } from "ajv";
import type { Format, Options, ValidateFunction } from "ajv";
import { fastFormats, fullFormats } from "ajv-formats/dist/formats.js";
import { Ajv2019 } from "ajv/dist/2019.js";
import { Ajv2020, MissingRefError } from "ajv/dist/2020.js";
import { dataCost } from "./data-cost.ts";
import type { CostLimits } from "./data-cost.ts";
import { describeProblems } from "./describe-problems.ts";
import { dialectOf } from "./json-schema.ts";
import { truncateWord } from "./describe-mismatch.ts";
import { ALL_ERRORS_DATA_LIMITS, MAX_ALL_ERRORS_WORK, MAX_SCHEMA_COST, MAX_SCHEMA_DEPTH } from "./check-limits.ts";
import type { Phase } from "./check-limits.ts";
import type { Problem } from "./check-result.ts";

/** Returns the problems of a value, or undefined for a valid value. */
export type Validator = (value: Json) => readonly Problem[] | undefined;

export class UnusableSchema extends Error {}

/** Throws `UnusableSchema` for a schema that Ajv can't apply. */
export function compileSchema(schema: JsonObject, onPhase?: (phase: Phase) => void): Validator {
  onPhase?.("compiling");
  const validate = build(schema, { allErrors: false });
  const allErrorsLimits = allErrorsLimitsFor(schema);
  let validateAll: ValidateFunction | undefined;
  return (value) => {
    onPhase?.("checking");
    if (validate(value)) return undefined;
    if (dataCost(value, allErrorsLimits) === Infinity) return describeProblems(validate.errors ?? [], value, schema);
    // Collects all errors, so that the caller can correct them at once.
    if (!validateAll) {
      onPhase?.("compiling");
      validateAll = build(schema, { allErrors: true });
      onPhase?.("checking");
    }
    validateAll(value);
    return describeProblems(validateAll.errors ?? validate.errors ?? [], value, schema);
  };
}

/** Returns the limits for a value. All errors are collected only for values within these limits. */
function allErrorsLimitsFor(schema: JsonObject): CostLimits {
  const cost = dataCost(schema, { budget: MAX_SCHEMA_COST, depth: MAX_SCHEMA_DEPTH, readsText: false });
  return { ...ALL_ERRORS_DATA_LIMITS, budget: Math.min(ALL_ERRORS_DATA_LIMITS.budget, MAX_ALL_ERRORS_WORK / cost) };
}

/**
 * The formats that are checked. The check in ajv-formats must take linear time and accept what servers commonly accept.
 * Other formats are not checked, as the standard allows.
 */
export const FORMATS = {
  date: bounded(fullFormats.date),
  // Many servers accept a time without an offset.
  time: bounded(fullFormats["iso-time"]),
  "date-time": bounded(fullFormats["iso-date-time"]),
  duration: bounded(fullFormats.duration),
  email: bounded(fastFormats.email),
  hostname: bounded(fullFormats.hostname),
  ipv4: bounded(fullFormats.ipv4),
  ipv6: bounded(fullFormats.ipv6),
  uuid: bounded(fullFormats.uuid),
  // The full check rejects non-ASCII letters.
  uri: fastFormats.uri,
  "json-pointer": fullFormats["json-pointer"],
};

/** Longer than any valid text of these formats. */
const MAX_FORMAT_LENGTH = 1_000;

const OPTIONS: Options = {
  strict: false,
  logger: false,
  // Ajv rejects invalid schemas itself. The check against the meta-schema would take longer than the compilation.
  meta: false,
  validateSchema: false,
  // Otherwise inherited properties such as `constructor` would count.
  ownProperties: true,
  formats: FORMATS,
  // The unoptimized code is as fast, and compiles in half the time.
  code: { optimize: false, regExp: Object.assign(toRegExp, { code: "new RegExp" }) },
};

/** Without `allErrors`, the function stops at the first error. */
function build(schema: JsonObject, { allErrors }: { readonly allErrors: boolean }): ValidateFunction {
  const options = { ...OPTIONS, allErrors };
  const validate = compileWith(createAjv(schema, options), schema);
  // An asynchronous schema would return a promise.
  if ("$async" in validate) throw new UnusableSchema("it is asynchronous");
  return validate;
}

function createAjv(schema: JsonObject, options: Options): Ajv {
  switch (dialectOf(schema)) {
    case "2020-12":
      return new Ajv2020(options);
    case "2019-09":
      return new Ajv2019(options);
    case "draft-07":
      return new Ajv(options);
    case undefined:
      throw new UnusableSchema("its JSON Schema dialect is not supported");
  }
}

function compileWith(ajv: Ajv, schema: JsonObject): ValidateFunction {
  try {
    return ajv.compile(schema);
  } catch (thrown) {
    const cause = { cause: thrown };
    if (thrown instanceof MissingRefError) {
      throw new UnusableSchema(`it refers to ${truncateWord(thrown.missingRef)}, which it does not contain`, cause);
    }
    throw new UnusableSchema(
      `it is invalid: ${truncateWord(String(thrown instanceof Error ? thrown.message : thrown))}`,
      cause,
    );
  }
}

/** Falls back to a pattern without the `u` flag, which accepts more patterns. */
function toRegExp(pattern: string, flags: string): RegExp {
  try {
    return new RegExp(pattern, flags);
  } catch {
    return new RegExp(pattern);
  }
}

/** The forms in which ajv-formats defines a check of a text. */
type TextTest = RegExp | string | ((text: string) => unknown);

/** Rejects long texts first, because some checks are linear but slow. */
function bounded(format: Format): (text: string) => boolean {
  const test = (typeof format === "object" && "validate" in format ? format.validate : format) as TextTest;
  return (text) => {
    if (text.length > MAX_FORMAT_LENGTH) return false;
    return test instanceof RegExp ? test.test(text) : typeof test === "function" && test(text) === true;
  };
}
