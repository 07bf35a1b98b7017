/** Tests that README.md starts with the two commands of a fresh clone, and what it says about them. */
import { readFileSync } from "node:fs";
import { expect, it } from "vitest";
import { verdict } from "../test-runner/test-report.mjs";

const root = new URL("../../", import.meta.url);
const readme = readFileSync(new URL("README.md", root), "utf8");
const { scripts } = JSON.parse(readFileSync(new URL("package.json", root), "utf8")) as {
  scripts: Record<string, string>;
};

/** The first block of code, which must be in the first screen. */
const [before = "", block = ""] = readme.split(/^```(?:sh)?$/m);

it("README.md names npm start and npm test in its first block, for a machine with git, Node and npm", () => {
  expect(before.split("\n").length).toBeLessThan(15);
  expect(before).toMatch(/fresh machine with git, Node .* and npm/);
  const commands = block.trim().split("\n");
  expect(commands.map((line) => line.split("#")[0]!.trim())).toEqual(["npm start", "npm test"]);
  expect(Object.keys(scripts)).toEqual(expect.arrayContaining(["start", "test"]));
});

it("README.md says what npm start does, how long it takes, and how to stop it", () => {
  const start = block.split("\n").find((line) => line.startsWith("npm start"));
  for (const part of ["installs and builds", "minute", "serves three bundled servers", "Ctrl-C stops it"]) {
    expect(start).toContain(part);
  }
});

it("README.md says what `npm test` installs, how long it takes, and which line it prints last", () => {
  const test = block.split("\n").find((line) => line.startsWith("npm test"));
  const { line } = verdict({ passed: 5, failed: 0, skipped: 0 }, { vitestStatus: 0, filtered: false });
  for (const part of ["installs", "Chromium", "keyring", "minutes", `last line: "${line.replace("5", "<n>")}"`]) {
    expect(test).toContain(part);
  }
});
