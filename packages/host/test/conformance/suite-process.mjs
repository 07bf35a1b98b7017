// @ts-check
/**
 * Runs the official conformance suite in one process for many scenarios. Gets a command line of the suite in a message,
 * and answers with the output of the suite. The suite keeps state in a module, so each revision has its own instance.
 */
import { register } from "node:module";

/** @import { SuiteMessage } from "./suite.mjs" */

register("./suite-hooks.mjs", import.meta.url);

/** @type {string[]} */
let printed = [];
const print = (/** @type {unknown[]} */ ...words) => void printed.push(words.join(" "));
Object.assign(console, { log: print, error: print });

/** Thrown by process.exit, which the suite calls after each command, so that this process does not end. */
class Exit extends Error {}
process.exit = () => {
  throw new Exit();
};

process.on("disconnect", () => process.kill(process.pid));
process.on("message", (/** @type {SuiteMessage} */ message) => {
  if (message.type === "run") void run(message.instance, message.args);
});

/**
 * @param {string} instance
 * @param {string[]} args
 */
async function run(instance, args) {
  printed = [];
  const program = await load(instance);
  await program.parseAsync(args, { from: "user" }).catch((/** @type {unknown} */ error) => {
    if (!(error instanceof Exit)) print(error);
  });
  process.send?.({ type: "done", output: printed.join("\n") });
}

/** @param {string} instance */
async function load(instance) {
  const suite = new URL("../../../../node_modules/@modelcontextprotocol/conformance/dist/index.js", import.meta.url);
  const { program } = await import(`${suite.href}?instance=${instance}`);
  return program;
}
