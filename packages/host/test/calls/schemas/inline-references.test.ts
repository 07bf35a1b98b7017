/**
 * Tests generated references of every form against Ajv. A schema that is applied in the main thread never contains the
 * slow pattern, and gives the same result as Ajv with the original schema.
 */
import type { Json, JsonObject } from "@plugboard/contracts";
import { compileSchema } from "#calls/schemas/compile-schema.js";
import { assessRisk } from "#calls/schemas/assess-risk.js";
import * as fc from "fast-check";
import { describe, expect, it, onTestFinished } from "vitest";
import { schemaWithReference, SLOW } from "../../helpers/generated-references.ts";

/** Values so short that even the slow pattern is quick. */
const VALUES: Json[] = ["a", "b", 5, {}, { x: "a" }, { x: "b" }, { x: { x: "b" } }, { x: [{ x: "b" }, "b"] }];
const RUNS = 2_400;

/** The patterns of all regular expressions that were created since `build` has started. */
const compiledPatterns: string[] = [];
function recordPatterns(): void {
  const RealRegExp = globalThis.RegExp;
  globalThis.RegExp = class extends RealRegExp {
    constructor(pattern: string | RegExp, flags?: string) {
      super(pattern, flags);
      compiledPatterns.push(String(pattern));
    }
  } as RegExpConstructor;
  onTestFinished(() => void (globalThis.RegExp = RealRegExp));
}

/** Returns whether the validator contains the slow pattern, and which values it accepts. */
function build(schema: JsonObject) {
  compiledPatterns.length = 0;
  try {
    const validate = compileSchema(schema);
    const hasSlow = compiledPatterns.includes(SLOW);
    return { hasSlow, fits: VALUES.map((value) => validate(value) === undefined) };
  } catch {
    return { hasSlow: false, fits: "unusable" };
  }
}

describe("schema with generated references", { meta: { covers: ["A16"] }, timeout: 120_000 }, () => {
  it("never runs a slow pattern in the main thread, and otherwise gives the same result as Ajv", () => {
    recordPatterns();
    const seen = { slow: 0, cheap: 0, runs: 0 };
    fc.assert(
      fc.property(schemaWithReference, (schema) => {
        const risk = assessRisk(schema);
        // Schemas that are not cheap are compiled only to count hard cases. Every fourth of them is enough.
        if (risk.kind !== "cheap" && seen.runs++ % 4 > 0) return;
        const original = build(schema);
        if (original.hasSlow) seen.slow++;
        if (risk.kind !== "cheap") return;
        seen.cheap++;
        const inline = build(risk.schema);
        expect(inline.hasSlow).toBe(false);
        expect(inline.fits).toEqual(original.fits);
      }),
      { numRuns: RUNS, seed: 16 },
    );
    // A low count would mean that the generator no longer produces hard cases.
    expect(seen.slow).toBeGreaterThan(RUNS / 50);
    expect(seen.cheap).toBeGreaterThan(RUNS / 50);
  });
});
