/** Checks the output of a command with --json against its committed JSON Schema. */
import { readFile } from "node:fs/promises";
import { Ajv2020 } from "ajv/dist/2020.js";
import { expect } from "vitest";

/** Parses the output and fails the test if it does not match `schemas/<name>.json`. */
export async function parseOutput(name: string, output: string): Promise<unknown> {
  const schema = JSON.parse(await readFile(new URL(`../../schemas/${name}.json`, import.meta.url), "utf8")) as object;
  const ajv = new Ajv2020({ strict: false, allErrors: true });
  const parsed: unknown = JSON.parse(output);
  const validate = ajv.compile(schema);
  validate(parsed);
  expect(validate.errors ?? []).toEqual([]);
  return parsed;
}
