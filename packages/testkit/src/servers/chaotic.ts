/**
 * A legacy server that does what it is told to do wrong: `chaotic.js stdio|http <journal>`.
 * Its one tool writes down that it ran, in a file that outlives every crash, and then
 * answers, or commits the fault that its arguments name.
 */
import { appendFileSync } from "node:fs";
import { serveHttp } from "./chaotic/chaotic-http.ts";
import { serveStdio } from "./chaotic/chaotic-stdio.ts";

const [, , transport = "stdio", journal = "/dev/null"] = process.argv;

const effect = (key: string): void => appendFileSync(journal, `${key}\n`);

if (transport === "http") serveHttp(effect);
else serveStdio(effect);
