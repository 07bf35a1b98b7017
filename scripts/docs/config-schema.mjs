// @ts-check
/**
 * Writes docs/config.schema.json, and the tables of keys in docs/config.md. A test fails if a file does not match the
 * code.
 */
import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { configSchema } from "../../packages/config/dist/entry/config-schema.js";
import { updateKeyTables } from "../../packages/config/dist/entry/key-docs.js";
import { root, runTool } from "../run.mjs";

const file = join(root, "docs", "config.schema.json");
writeFileSync(file, `${JSON.stringify(configSchema(), undefined, 2)}\n`);
const guide = join(root, "docs", "config.md");
writeFileSync(guide, updateKeyTables(readFileSync(guide, "utf8")));
process.exitCode = runTool("oxfmt", [file]);
