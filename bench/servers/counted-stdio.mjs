// @ts-check
/** The stdio server, which also adds a line to a file when it starts. Shows how many servers a command has started. */
import { appendFileSync } from "node:fs";
import "./stdio.mjs";

const [file = ""] = process.argv.slice(2);
appendFileSync(file, "started\n");
