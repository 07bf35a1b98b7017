/** Resolves when a connection has closed, with or without an error. */
import type { EventEmitter } from "node:events";

export function waitForClose(connection: EventEmitter): Promise<void> {
  connection.on("error", () => {});
  return new Promise((resolve) => connection.once("close", resolve));
}
