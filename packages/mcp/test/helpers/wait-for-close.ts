/** Resolves when a connection has ended, be it by an error. */
import type { EventEmitter } from "node:events";

export function waitForClose(connection: EventEmitter): Promise<void> {
  connection.on("error", () => {});
  return new Promise((resolve) => connection.once("close", resolve));
}
