/**
 * A person decides: whether the servers that a project brings along in its .mcp.json may be used, and whether a
 * tool may run. Calls the tool that it is told to:
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

/** One question at a time. The signal fires when the answer is no longer wanted. */
function answer(question, signal) {
  const ask = (text) => terminal.question(text, { signal });
  last = last.catch(() => {}).then(() => put(question, ask));
  return last;
}

async function put({ type, server, ...question }, ask) {
  if (type === "trust") {
    console.error(question.definition, "It would be given the values of:", question.variables);
    const typed = await ask(`This project wants to use the server "${server}", as above. Trust it? [y/n] `);
    return { type, decision: typed === "y" ? "yes" : "no" };
  }
  if (type === "permission") {
    const typed = await ask(`Run ${server}:${question.tool} ${JSON.stringify(question.arguments)}? [y/n/always] `);
    // For good means: for as long as the tool is what it is now.
    return { type, decision: { y: "once", always: "always" }[typed] ?? "no" };
  }
  return undefined; // Dismissed: whatever else a server asks is not for this example.
}
