/**
 * The one place that knows Ajv; it is loaded late, as it is heavy. Each schema
 * is compiled by an instance of its own, so that no schema can replace or refer
 * to another's parts, and all of it is freed with the schema. Nothing is fetched.
 */
import type { Json, JsonObject } from "@plugboard/contracts";
import { Ajv } from "ajv";
import type { Options, ValidateFunction } from "ajv";
import { Ajv2019 } from "ajv/dist/2019.js";
import { Ajv2020, MissingRefError } from "ajv/dist/2020.js";
import { costOf } from "./data-cost.ts";
import type { CostLimits } from "./data-cost.ts";
import { describeProblems } from "./describe-problems.ts";
import { dialectOf } from "./dialect.ts";
import { FORMATS } from "./formats.ts";
import { shorten } from "./words.ts";
import { ALL_ERRORS_DATA, ALL_ERRORS_WORK, SCHEMA_COST, SCHEMA_DEPTH } from "./limits.ts";
import type { Phase } from "./limits.ts";
import type { Problem } from "./problem.ts";

/** Nothing if all is well. */
export type Validator = (value: Json) => readonly Problem[] | undefined;

export class UnusableSchema extends Error {}

/** Throws `UnusableSchema` with the reason. */
export function compile(schema: JsonObject, enter?: (phase: Phase) => void): Validator {
  enter?.("compiling");
  const validate = build(schema, false);
  const small = smallData(schema);
  let thorough: ValidateFunction | undefined;
  return (value) => {
    enter?.("checking");
    if (validate(value)) return undefined;
    if (costOf(value, small) === Infinity) return describeProblems(validate.errors ?? [], value, schema);
    // Whoever has to correct the value wants to hear of everything at once.
    if (!thorough) {
      enter?.("compiling");
      thorough = build(schema, true);
      enter?.("checking");
    }
    thorough(value);
    return describeProblems(thorough.errors ?? validate.errors ?? [], value, schema);
  };
}

/** Limits the values of which all problems are collected. */
function smallData(schema: JsonObject): CostLimits {
  const cost = costOf(schema, { budget: SCHEMA_COST, depth: SCHEMA_DEPTH, readsText: false });
  return { ...ALL_ERRORS_DATA, budget: Math.min(ALL_ERRORS_DATA.budget, ALL_ERRORS_WORK / cost) };
}

const OPTIONS: Options = {
  strict: false,
  logger: false,
  // Ajv itself refuses what it can't compile; the check against the meta-schema would cost more than the compilation.
  meta: false,
  validateSchema: false,
  // Else a property named like one of every object, `constructor` say, would always be there.
  ownProperties: true,
  formats: FORMATS,
  // The code runs as fast without, and is compiled in half the time.
  code: { optimize: false, regExp: Object.assign(toRegExp, { code: "new RegExp" }) },
};

function build(schema: JsonObject, allErrors: boolean): ValidateFunction {
  const options = { ...OPTIONS, allErrors };
  const validate = compileWith(instance(schema, options), schema);
  // Its answer would be a promise.
  if ("$async" in validate) throw new UnusableSchema("it wants to be checked asynchronously");
  return validate;
}

function instance(schema: JsonObject, options: Options): Ajv {
  switch (dialectOf(schema)) {
    case "2020-12":
      return new Ajv2020(options);
    case "2019-09":
      return new Ajv2019(options);
    case "draft-07":
      return new Ajv(options);
    case undefined:
      throw new UnusableSchema("it is written in a dialect that is not supported");
  }
}

function compileWith(ajv: Ajv, schema: JsonObject): ValidateFunction {
  try {
    return ajv.compile(schema);
  } catch (thrown) {
    const cause = { cause: thrown };
    if (thrown instanceof MissingRefError) {
      throw new UnusableSchema(`it refers to ${shorten(thrown.missingRef)}, which is not part of it`, cause);
    }
    throw new UnusableSchema(
      `it is not valid: ${shorten(String(thrown instanceof Error ? thrown.message : thrown))}`,
      cause,
    );
  }
}

/** Many patterns are written for engines that know no `u` flag, which is stricter. */
function toRegExp(pattern: string, flags: string): RegExp {
  try {
    return new RegExp(pattern, flags);
  } catch {
    return new RegExp(pattern);
  }
}
