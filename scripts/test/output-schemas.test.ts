/** Checks that packages/cli/schemas describe the output of commands as it is. */
import { readFileSync, readdirSync } from "node:fs";
import { join } from "node:path";
import { Ajv2020 } from "ajv/dist/2020.js";
import { expect, it } from "vitest";
import { GROUPS } from "../../packages/cli/dist/specs/commands.js";
import { outputSchemas, outputSchemasFolder } from "../docs/output-schemas.mjs";

const read = (file: string) => JSON.parse(readFileSync(join(outputSchemasFolder, file), "utf8")) as object;
const files = readdirSync(outputSchemasFolder);

it("packages/cli/schemas match the types; run `node scripts/docs/output-schemas.mjs` to update them", () => {
  const committed = Object.fromEntries(files.map((file) => [file, read(file)]));
  expect(committed).toEqual(JSON.parse(JSON.stringify(outputSchemas())));
});

it("packages/cli/schemas are valid, and each of their types is translated", () => {
  const schemas = files.map(read);
  for (const schema of schemas) expect(new Ajv2020({ strict: false }).validateSchema(schema)).toBe(true);
  expect(JSON.stringify(schemas)).not.toContain("TypeScript: ");
});

it("every command names a schema that exists", () => {
  const named = GROUPS.flatMap(({ commands }) => commands.flatMap(({ output }) => output ?? []));
  expect(named.length).toBeGreaterThan(50);
  expect(named.filter((name) => !files.includes(`${name}.json`))).toEqual([]);
});
