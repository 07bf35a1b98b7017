// @ts-check
/** Runs the stdio server, and adds a line to a file, so that a benchmark can count the started servers. */
import { appendFileSync } from "node:fs";
import "./stdio.mjs";

const [file = ""] = process.argv.slice(2);
appendFileSync(file, "started\n");
