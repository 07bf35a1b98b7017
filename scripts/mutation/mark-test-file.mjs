// @ts-check
/** Records which test file runs in this process. Vitest loads it before each test file, only in the run with probes. */
import { writeFileSync } from "node:fs";
import { join, relative } from "node:path";
import { expect } from "vitest";
import { root } from "../run.mjs";

const folder = process.env["PLUGBOARD_PROBES"];
const file = relative(root, expect.getState().testPath ?? "").replaceAll("\\", "/");
Object.assign(globalThis, { __plugboardTestFile: file });
if (folder !== undefined) writeFileSync(join(folder, `process-${process.pid}`), file);
