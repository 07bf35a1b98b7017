/**
 * Checks that docs/cli.md describes the commands as they are, and that each command has a JSON Schema for its output.
 */
import { existsSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { expect, it } from "vitest";
import { COMMANDS } from "../../packages/cli/dist/specs/commands.js";
import { cliDocsFile, renderCliDocs } from "../docs/cli-docs.mjs";
import { root } from "../run.mjs";

it("docs/cli.md matches the commands; run `node scripts/docs/cli-docs.mjs` to update it", () => {
  expect(readFileSync(cliDocsFile, "utf8")).toBe(renderCliDocs());
});

/** The commands without a result, which need no schema. */
const WITHOUT_OUTPUT = ["stdio", "chat"];

it.each(COMMANDS.filter(({ name }) => !WITHOUT_OUTPUT.includes(name)).map(({ name, output }) => [name, output]))(
  "plugboard %s has a JSON Schema for its output",
  (_, output) => {
    expect(output).toBeDefined();
    expect(existsSync(join(root, "packages", "cli", "schemas", `${output}.json`))).toBe(true);
  },
);
