/** Turns a request on the host's socket into a raw byte stream, which `plugboard stdio` connects to its MCP client. */
import { connect } from "node:net";
import type { Duplex } from "node:stream";
import { deserializeError, HostError, STDIO_UPGRADE_PROTOCOL } from "@plugboard/contracts";
import { serializeRequest } from "./host-connection.ts";
import { ResponseParser } from "./response-parser.ts";

export function openUpgradedStream(
  socketPath: string,
  path: string,
  headers: { readonly [name: string]: string },
): Promise<Duplex> {
  return new Promise((resolve, reject) => {
    const socket = connect(socketPath);
    let status = 0;
    let text = "";
    const fail = (error: Error) => {
      socket.destroy();
      reject(new HostError("HOST_UNREACHABLE", { reason: error.message }, { cause: error }));
    };
    const parser = new ResponseParser({
      onHead: (received) => (status = received),
      onData: (bytes) => (text += bytes.toString()),
      onEnd() {
        if (status !== 101) reject(readError(status, text));
      },
    });
    // Reads on `readable`, so that the stream does not flow before it has another reader.
    const receive = () => {
      const bytes = socket.read() as Buffer | null;
      if (bytes === null) return;
      try {
        const rest = parser.push(bytes);
        if (!parser.ended || status !== 101) return;
        socket.off("readable", receive).off("error", fail).off("close", close);
        if (rest.length > 0) socket.unshift(rest);
        resolve(socket);
      } catch (error) {
        fail(error as Error);
      }
    };
    const close = () => {
      try {
        parser.close();
      } catch (error) {
        fail(error as Error);
      }
    };
    socket.on("readable", receive).on("error", fail).on("close", close);
    const upgrade = { host: "localhost", connection: "Upgrade", upgrade: STDIO_UPGRADE_PROTOCOL };
    socket.write(serializeRequest({ method: "GET", path, headers: { ...upgrade, ...headers } }));
  });
}

/** Returns the error in the body of a response that refuses the upgrade. */
function readError(status: number, text: string): HostError {
  try {
    const { error } = JSON.parse(text) as { error: unknown };
    return deserializeError(error);
  } catch (cause) {
    return new HostError("HOST_UNREACHABLE", { reason: `it responded with status ${status}` }, { cause });
  }
}
