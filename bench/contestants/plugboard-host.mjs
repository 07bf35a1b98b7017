// @ts-check
/** The complete host, as a program embeds it: names, rules, schemas, events and a journal on disk. */
import { createHost } from "@plugboard/host";
import { emptyHome } from "./empty-home.mjs";

/** Returns the tool's name as models see it. */
const NAME = "mcp__bench__";

/**
 * @param {string} command
 * @param {readonly string[]} args
 */
export const connectStdio = (command, args) => open({ command, args: [...args] });

/** @param {import("@plugboard/mcp").ServerObject} instance */
export const connectObject = (instance) => open({ type: "sdk", name: "bench", instance });

/** @param {import("@plugboard/host").ProgramServer} bench */
async function open(bench) {
  const home = emptyHome();
  const host = await createHost({
    ...home.options,
    servers: { bench },
    permissions: { allow: ["bench:*"] },
  });
  const { errors } = await host.ready();
  if (errors["bench"]) throw new Error(errors["bench"].message);
  return {
    tools: host.tools.list().map(({ tool }) => ({ name: tool })),
    /**
     * @param {string} name
     * @param {import("./index.mjs").Arguments} args
     */
    call: (name, args) => host.tools.call(NAME + name, args),
    async close() {
      await host.close();
      home.remove();
    },
  };
}
