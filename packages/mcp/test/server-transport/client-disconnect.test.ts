/** Tests how requests learn that their client has disconnected. */
import { EventEmitter } from "node:events";
import type { IncomingMessage, ServerResponse } from "node:http";
import { clientDisconnectSignal } from "@plugboard/mcp/server-transport";
import { expect, it } from "vitest";

it("clientDisconnectSignal aborts all unfinished requests of a connection, with a single listener", () => {
  const socket = Object.assign(new EventEmitter(), { destroyed: false });
  const requests = Array.from({ length: 20 }, () => {
    const response = Object.assign(new EventEmitter(), { writableFinished: false });
    const request = { socket } as unknown as IncomingMessage;
    return { response, signal: clientDisconnectSignal(request, response as unknown as ServerResponse) };
  });
  expect(socket.listenerCount("close")).toBe(1);
  const [finished, ...others] = requests;
  finished!.response.writableFinished = true;
  finished!.response.emit("close");
  const [broken] = others;
  broken!.response.emit("close");
  expect(requests.map(({ signal }) => signal.aborted)).toEqual([false, true, ...Array(18).fill(false)]);
  socket.emit("close");
  expect(requests.map(({ signal }) => signal.aborted)).toEqual([false, ...Array(19).fill(true)]);
});
