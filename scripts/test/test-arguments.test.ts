import { expect, it } from "vitest";
import { vitestArguments } from "../test-runner/test-arguments.mjs";

const packages = new Set(["host", "mcp"]);

it.each([
  [["host"], ["packages/host/"]],
  [
    ["@plugboard/mcp", "-t", "gives up"],
    ["packages/mcp/", "-t", "gives up"],
  ],
  [["packages/host/test/calls/calls.test.ts"], ["packages/host/test/calls/calls.test.ts"]],
])("npm test -- %j runs vitest with %j", (typed, expected) => {
  expect(vitestArguments(typed, packages)).toEqual(expected);
});
