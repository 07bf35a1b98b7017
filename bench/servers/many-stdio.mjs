// @ts-check
/**
 * A legacy stdio server with many tools.
 *
 *   node many-stdio.mjs <number of the server> <number of tools>
 */
import { createInterface } from "node:readline";
import { answerWith, toolsOf } from "./many-tools.mjs";

const [server, count] = process.argv.slice(2).map(Number);
const tools = toolsOf(server ?? 0, count ?? 0);

createInterface(process.stdin).on("line", (line) => {
  const message = JSON.parse(line);
  if (message.id !== undefined) process.stdout.write(`${JSON.stringify(answerWith(tools, message))}\n`);
});
