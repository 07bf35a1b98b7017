/**
 * Fixture: a legacy server that commits faults on request: `chaotic.js stdio|http <journal>`. Its one tool first
 * appends to the journal file, which survives every crash. Then it answers, or commits the fault that its arguments
 * name.
 */
import { appendFileSync } from "node:fs";
import { serveHttp } from "./chaotic/chaotic-http.ts";
import { serveStdio } from "./chaotic/chaotic-stdio.ts";

const [, , transport = "stdio", journal = "/dev/null"] = process.argv;

const recordEffect = (key: string): void => appendFileSync(journal, `${key}\n`);

if (transport === "http") serveHttp(recordEffect);
else serveStdio(recordEffect);
