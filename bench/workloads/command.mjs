// @ts-check
/**
 * Measures one use of a command, in ms: from the start of its process to its end. A bridge is measured up to the answer
 * to `initialize`, and a chat until its input line is painted. The home stays the same between rounds, so a command can
 * use what it has cached.
 */
import { commandHome } from "../commands/command-home.mjs";
import { TASKS, checkUse } from "../commands/tasks.mjs";

/** @type {import("./workload.mjs").Begin} */
export async function begin({ contestant, serverNode }, { task = "version", servers: count = 1 }) {
  /** @type {import("../commands/command.mjs").Command} */
  const command = await import(`../commands/${contestant}.mjs`);
  const { act, keepsOpen = false } = TASKS[task];
  const home = commandHome(serverNode);
  const ids = ["bench", ...Array.from({ length: count - 1 }, (_, at) => `other-${at}`)];
  command.configure?.(home, definitions(ids, home.server), keepsOpen);
  /** @type {(() => unknown) | undefined} */
  let stop;
  let uses = 0;

  async function use() {
    const text = `call ${++uses}`;
    const before = home.serversStarted();
    const started = performance.now();
    const { answer, close } = await act(command, home, text);
    const took = performance.now() - started;
    await close?.();
    return { took, answer, text, ids, serversStarted: home.serversStarted() - before };
  }

  async function round() {
    const used = await use();
    checkUse(task, command, used);
    return used.took;
  }

  async function end() {
    await stop?.();
    home.remove();
  }

  try {
    stop = keepsOpen ? await command.keepOpen?.(home) : undefined;
    // The first call over an open connection may start the server.
    if (keepsOpen) await use();
  } catch (error) {
    await end();
    throw error;
  }
  return { round, end };
}

/**
 * Returns a different definition for each id, because equal definitions may share one process.
 * @param {readonly string[]} ids
 * @param {{ readonly command: string, readonly args: readonly string[] }} server
 * @returns {import("../commands/command-home.mjs").Servers}
 */
function definitions(ids, { command, args }) {
  return Object.fromEntries(ids.map((id) => [id, { command, args: [...args, id] }]));
}
