/** Tests that docs/errors.md has a section for every error code, with the statuses of the error table. */
import { readFileSync } from "node:fs";
import { ERROR_TABLE } from "@plugboard/contracts";
import { expect, it } from "vitest";

const docs = readFileSync(new URL("../../docs/errors.md", import.meta.url), "utf8");

it.each(Object.entries(ERROR_TABLE))("docs/errors.md describes %s", (code, { exit, http }) => {
  expect(docs).toMatch(new RegExp(`\n## ${code}\n\nExit status ${exit}, HTTP status ${http}\\.\n\n\\w`));
});

it("docs/errors.md describes no other codes", () => {
  const described = [...docs.matchAll(/^## (.*)$/gm)].map(([, code]) => code);
  expect(described).toEqual(Object.keys(ERROR_TABLE));
});
