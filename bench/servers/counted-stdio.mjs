// @ts-check
/** Runs the stdio server. First adds a line to a file, so that a test can count the started servers. */
import { appendFileSync } from "node:fs";
import "./stdio.mjs";

const [file = ""] = process.argv.slice(2);
appendFileSync(file, "started\n");
