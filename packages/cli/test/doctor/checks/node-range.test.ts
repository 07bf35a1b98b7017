import { satisfiesNodeRange } from "#doctor/checks/node-range.js";
import { expect, it } from "vitest";

it.each<[version: string, range: string, expected: boolean | undefined]>([
  ["18.19.0", ">=18", true],
  ["18.19.0", ">= 20.0.0", false],
  ["20.18.3", ">=20.19.0", false],
  ["22.1.0", "^20.19.0 || >=22.12.0", false],
  ["22.12.0", "^20.19.0 || >=22.12.0", true],
  ["20.19.5", "^20.19.0 || >=22.12.0", true],
  ["18.2.0", "18.x", true],
  ["19.2.0", "18.x", false],
  ["18.2.3", "~18.2", true],
  ["18.3.0", "~18.2", false],
  ["18.3.0", "~18", true],
  ["20.1.0", ">18", true],
  ["18.5.0", ">18", false],
  ["21.0.0", ">=18 <21", false],
  ["20.9.0", ">=18 <21", true],
  ["20.9.0", "<=20", true],
  ["20.9.0", "20", true],
  ["20.9.0", "v20.9.0", true],
  ["20.9.0", "*", true],
  ["20.9.0", "", true],
  ["20.9.0", "lts/iron", undefined],
  ["20.9.0", "lts/iron || >=20", true],
  ["20.9.0", "lts/iron || >=22", undefined],
])("satisfiesNodeRange(%j, %j) is %s", (version, range, expected) => {
  expect(satisfiesNodeRange(version, range)).toBe(expected);
});
