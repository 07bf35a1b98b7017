/** Checks that docs/openapi.json describes the control API as it is. */
import { readFileSync } from "node:fs";
import { expect, it } from "vitest";
import { openApiDocument, openApiFile } from "../docs/openapi.mjs";

it("docs/openapi.json matches the code; run `node scripts/docs/openapi.mjs` to update it", () => {
  expect(JSON.parse(readFileSync(openApiFile, "utf8"))).toEqual(JSON.parse(JSON.stringify(openApiDocument())));
});

it("docs/openapi.json refers only to components that it has", () => {
  const text = readFileSync(openApiFile, "utf8");
  const components = (JSON.parse(text) as { components: { [kind: string]: object } }).components;
  const references = [...text.matchAll(/"#\/components\/(\w+)\/(\w+)"/g)].map(([, kind = "", name = ""]) => ({
    kind,
    name,
  }));
  expect(references.length).toBeGreaterThan(100);
  expect(references.filter(({ kind, name }) => !(name in (components[kind] ?? {})))).toEqual([]);
});
