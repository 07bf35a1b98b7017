// @ts-check
/** The hand-written script for one call. */
import { fileURLToPath } from "node:url";

const SCRIPT = fileURLToPath(new URL("../raw/one-shot.mjs", import.meta.url));

/**
 * @param {import("./command.mjs").CommandHome} home
 * @param {string} text
 */
export async function call(home, text) {
  const { command, args } = home.server;
  return JSON.parse(await home.run(SCRIPT, "echo", JSON.stringify({ text }), command, ...args));
}
