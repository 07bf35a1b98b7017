import { numberProblem, parseNumber } from "#components/number-input.js";
import { describe, expect, it } from "vitest";

describe("parseNumber", () => {
  it("returns numbers, and leaves any other text as it is", () => {
    expect(["7", " -1.5 ", "1.", ".5", "1e3"].map(parseNumber)).toEqual([7, -1.5, 1, 0.5, 1000]);
    expect(["seven", "e", "-", "0x10", "1,5", "Infinity"].map(parseNumber)).toEqual([
      "seven",
      "e",
      "-",
      "0x10",
      "1,5",
      "Infinity",
    ]);
    expect(parseNumber(" ")).toBeUndefined();
  });
});

describe("numberProblem", () => {
  it("names one problem of a value", () => {
    const limits = { integer: true, minimum: 1, maximum: 9 };
    expect(numberProblem(undefined, limits)).toBeUndefined();
    expect(numberProblem(3, limits)).toBeUndefined();
    expect(numberProblem("seven", limits)).toBe("This is not a number.");
    expect(numberProblem(1.5, limits)).toBe("This is not a whole number.");
    expect(numberProblem(0, limits)).toBe("The number must be at least 1.");
    expect(numberProblem(10, limits)).toBe("The number must be at most 9.");
  });
});
