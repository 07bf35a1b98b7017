// @ts-check
/** Writes docs/config.schema.json. A test fails if the file does not match the code. */
import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { configSchema } from "../../packages/config/dist/entry/config-schema.js";
import { root, runTool } from "../run.mjs";

const file = join(root, "docs", "config.schema.json");
writeFileSync(file, `${JSON.stringify(configSchema(), undefined, 2)}\n`);
process.exitCode = runTool("oxfmt", [file]);
