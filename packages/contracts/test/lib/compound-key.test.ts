import { compoundKey } from "@plugboard/contracts";
import * as fc from "fast-check";
import { expect, it } from "vitest";

it(
  "compoundKey returns different keys for different texts, whatever they contain",
  { meta: { covers: ["S31"] } },
  () => {
    const parts = fc.array(fc.string({ unit: fc.constantFrom("1", "2", ":", " ", "/", "a", '"') }), { maxLength: 4 });
    fc.assert(
      fc.property(parts, parts, (a, b) => {
        expect(compoundKey(...a) === compoundKey(...b)).toBe(JSON.stringify(a) === JSON.stringify(b));
      }),
      { numRuns: 5000 },
    );
    expect(compoundKey("alice", "smith x")).not.toBe(compoundKey("alice smith", "x"));
  },
);
