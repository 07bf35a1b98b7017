/** Compares versions of Node with the ranges of `engines.node`. Pure. Knows the usual forms of ranges. */

type Version = readonly [major: number, minor: number, patch: number];

/** An operator and one to three numbers, such as `>=18.17`, `^20` or `22.x`. */
const PART = /^(>=|>|<=|<|\^|~|=)?\s*v?(\d+)(?:\.(\d+|x|\*))?(?:\.(\d+|x|\*))?(?:-[\w.]+)?$/i;

/** Returns undefined for a range of another form, which is then not judged. */
export function satisfiesNodeRange(version: string, range: string): boolean | undefined {
  const [major = 0, minor = 0, patch = 0] = version.split(".").map(Number);
  const own: Version = [major, minor, patch];
  const alternatives = range.split("||").map((alternative) => satisfiesAll(own, alternative.trim()));
  if (alternatives.includes(true)) return true;
  return alternatives.includes(undefined) ? undefined : false;
}

function satisfiesAll(version: Version, range: string): boolean | undefined {
  if (range === "" || range === "*" || range === "x") return true;
  const parts = range
    .replaceAll(/(>=|>|<=|<|\^|~|=)\s+/g, "$1")
    .split(/\s+/)
    .map((part) => satisfiesPart(version, part));
  if (parts.includes(false)) return false;
  return parts.includes(undefined) ? undefined : true;
}

function satisfiesPart(version: Version, part: string): boolean | undefined {
  const match = PART.exec(part);
  if (!match) return undefined;
  const [, operator = "", ...numbers] = match;
  // A missing number, `x` and `*` stand for any number.
  const given = numbers.filter((text) => /^\d+$/.test(text ?? "")).map(Number);
  const lowest: Version = [given[0] ?? 0, given[1] ?? 0, given[2] ?? 0];
  // True if the version begins with the given numbers.
  const isInside = given.every((number, index) => number === version[index]);
  switch (operator) {
    case ">=":
      return compare(version, lowest) >= 0;
    case ">":
      return compare(version, lowest) > 0 && !isInside;
    case "<":
      return compare(version, lowest) < 0;
    case "<=":
      return compare(version, lowest) <= 0 || isInside;
    case "^":
      return version[0] === lowest[0] && compare(version, lowest) >= 0;
    case "~":
      return (
        version[0] === lowest[0] && (given.length < 2 || version[1] === lowest[1]) && compare(version, lowest) >= 0
      );
    default:
      return isInside;
  }
}

function compare(a: Version, b: Version): number {
  return a[0] - b[0] || a[1] - b[1] || a[2] - b[2];
}
