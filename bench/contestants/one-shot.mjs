// @ts-check
/** Starts a process for every call, as programs do that keep no connection. */
import { callOnce } from "../raw/one-shot.mjs";

/**
 * @param {string} command
 * @param {readonly string[]} args
 */
export async function connectStdio(command, args) {
  return {
    tools: [],
    /**
     * @param {string} name
     * @param {import("./index.mjs").Arguments} given
     */
    call: (name, given) => callOnce(command, args, name, given),
    close: async () => {},
  };
}
