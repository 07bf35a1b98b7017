// @ts-check
/** The complete host, as a program embeds it: names, rules, schemas, events and a journal on disk. */
import { createHost } from "@plugboard/host";
import { emptyHome } from "./empty-home.mjs";

/**
 * @param {string} command
 * @param {readonly string[]} args
 */
export const connectStdio = (command, args) => open({ command, args: [...args] });

/** @param {import("@plugboard/mcp").ServerObject} instance */
export const connectObject = (instance) => open({ type: "sdk", name: "bench", instance });

/**
 * Connects all servers with one host.
 * @param {string} command
 * @param {readonly (readonly string[])[]} args
 */
export const connectServers = (command, args) =>
  openAll(Object.fromEntries(args.map((each, at) => [`bench-${at}`, { command, args: [...each] }])));

/** @param {import("@plugboard/host").ProgramServer} bench */
async function open(bench) {
  const [client] = await openAll({ bench });
  return /** @type {import("./index.mjs").Client} */ (client);
}

/** @param {{ readonly [id: string]: import("@plugboard/host").ProgramServer }} servers */
async function openAll(servers) {
  const home = emptyHome();
  const ids = Object.keys(servers);
  const host = await createHost({
    ...home.options,
    servers,
    permissions: { allow: ids.map((id) => `${id}:*`) },
  });
  const { errors } = await host.ready();
  for (const { message } of Object.values(errors)) throw new Error(message);
  const tools = host.tools.list();
  /** @type {Promise<void> | undefined} */
  let closed;
  const close = () => (closed ??= host.close().then(home.remove));
  return ids.map((id) => ({
    tools: tools.filter(({ server }) => server === id).map(({ tool }) => ({ name: tool })),
    /**
     * Calls a tool by its name as models see it.
     * @param {string} name
     * @param {import("./index.mjs").Arguments} args
     */
    call: (name, args) => host.tools.call(`mcp__${id}__${name}`, args),
    close,
  }));
}
