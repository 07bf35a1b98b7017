// @ts-check
/**
 * Writes packages/cli/schemas, which describe the output of commands with --json. Generated from the types in
 * packages/cli/src/specs/command-outputs.ts; a test fails if the files do not match.
 */
import { mkdirSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { GROUPS } from "../../packages/cli/dist/specs/commands.js";
import { isProgram, root, runTool } from "../run.mjs";
import { TypeSchemas } from "./type-schemas.mjs";

export const outputSchemasFolder = join(root, "packages", "cli", "schemas");

/** @returns {{ [file: string]: object }} the schemas by the names of their files */
export function outputSchemas() {
  const types = new TypeSchemas({
    folders: ["packages/contracts/src", "packages/cli/src", "packages/host/src"],
    path: "#/$defs/",
    closed: true,
  });
  return Object.fromEntries(
    types.properties("CommandOutputs").map(({ name, schema, components }) => {
      const title = titleOf(name);
      const document = {
        $schema: "https://json-schema.org/draft/2020-12/schema",
        ...(title !== "" && { title }),
        ...schema,
        ...(Object.keys(components).length > 0 && { $defs: components }),
      };
      return [`${name}.json`, document];
    }),
  );
}

/** @param {string} name */
function titleOf(name) {
  const commands = GROUPS.flatMap((group) => group.commands.filter(({ output }) => output === name));
  return commands.map((command) => `plugboard ${command.name} --json`).join(", ");
}

if (isProgram(import.meta.url)) {
  rmSync(outputSchemasFolder, { recursive: true });
  mkdirSync(outputSchemasFolder);
  for (const [file, schema] of Object.entries(outputSchemas())) {
    writeFileSync(join(outputSchemasFolder, file), `${JSON.stringify(schema, undefined, 2)}\n`);
  }
  process.exitCode = runTool("oxfmt", [outputSchemasFolder]);
}
