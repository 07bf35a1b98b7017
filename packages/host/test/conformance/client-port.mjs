// @ts-check
/** Replaces `child_process` for the suite: runs the client in the process that requested the scenario. */
import { EventEmitter } from "node:events";

/** @import { ClientRequest, SuiteMessage } from "./suite.mjs" */

/**
 * @param {string} _command
 * @param {readonly string[]} args the last is the URL of the scenario's server
 * @param {{ readonly env: NodeJS.ProcessEnv }} options
 */
export function spawn(_command, args, { env }) {
  const { MCP_CONFORMANCE_PROTOCOL_VERSION: revision = "", MCP_CONFORMANCE_CONTEXT: context = "{}" } = env;
  /** @type {ClientRequest} */
  const request = { type: "client", url: args.at(-1) ?? "", revision, context: JSON.parse(context) };
  const client = Object.assign(new EventEmitter(), { stdout: null, stderr: null, kill: () => end(1) });
  /** @param {number} status */
  const end = (status) => {
    process.off("message", onMessage);
    client.emit("close", status);
  };
  const onMessage = (/** @type {SuiteMessage} */ message) => {
    if (message.type === "client_ended") end(message.status);
  };
  process.on("message", onMessage);
  process.send?.(request);
  return client;
}
