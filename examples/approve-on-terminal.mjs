/**
 * Asks a person on the terminal: whether to trust the servers of a project's .mcp.json, and whether a tool may run.
 * Calls the tool given by the arguments:
 *   node examples/approve-on-terminal.mjs memory read_graph '{}'
 */
import { createInterface } from "node:readline/promises";
import { createHost } from "@plugboard/host";

const [server, tool, args = "{}"] = process.argv.slice(2);
const terminal = createInterface({ input: process.stdin, output: process.stderr });
let last = Promise.resolve();
const host = await createHost({ config: ["user", "project", "local"], ports: { answer } });
try {
  await host.servers.connect(server);
  console.log(await host.tools.call({ server, tool }, JSON.parse(args)));
} catch (error) {
  console.error(error.message);
  process.exitCode = 1;
} finally {
  await host.close();
  terminal.close();
}

/** Asks one question at a time. The signal is aborted when the answer is no longer needed. */
function answer(question, signal) {
  const ask = (text) => terminal.question(text, { signal });
  last = last.catch(() => {}).then(() => prompt(question, ask));
  return last;
}

async function prompt({ type, server, ...question }, ask) {
  if (type === "trust") {
    console.error(question.definition, "The server would get the values of:", question.variables);
    const typed = await ask(`This project wants to use the server "${server}", as above. Trust it? [y/n] `);
    return { type, decision: typed === "y" ? "yes" : "no" };
  }
  if (type === "permission") {
    const typed = await ask(`Run ${server}:${question.tool} ${JSON.stringify(question.arguments)}? [y/n/always] `);
    // `always` is valid until the tool's definition changes.
    return { type, decision: { y: "once", always: "always" }[typed] ?? "no" };
  }
  return undefined; // Dismisses all other questions.
}
