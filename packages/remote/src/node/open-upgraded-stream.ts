/** Turns a request on the host's socket into a raw byte stream. */
import { request as httpRequest } from "node:http";
import type { IncomingMessage } from "node:http";
import type { Duplex } from "node:stream";
import { deserializeError, HostError, STDIO_UPGRADE_PROTOCOL } from "@plugboard/contracts";

export function openUpgradedStream(
  socketPath: string,
  path: string,
  headers: { readonly [name: string]: string },
): Promise<Duplex> {
  return new Promise((resolve, reject) => {
    const request = httpRequest({
      socketPath,
      path,
      agent: false,
      headers: { ...headers, connection: "Upgrade", upgrade: STDIO_UPGRADE_PROTOCOL },
    });
    request.on("upgrade", (_response, stream, head) => {
      if (head.length > 0) stream.unshift(head);
      resolve(stream);
    });
    request.on("response", (response) => void readError(response).then(reject));
    request.on("error", (error) =>
      reject(new HostError("HOST_UNREACHABLE", { reason: error.message }, { cause: error })),
    );
    request.end();
  });
}

/** Returns the error in the body of a response that refuses the upgrade. */
async function readError(response: IncomingMessage): Promise<HostError> {
  let text = "";
  try {
    for await (const chunk of response.setEncoding("utf8") as AsyncIterable<string>) text += chunk;
    const { error } = JSON.parse(text) as { error: unknown };
    return deserializeError(error);
  } catch (cause) {
    return new HostError("HOST_UNREACHABLE", { reason: `it responded with status ${response.statusCode}` }, { cause });
  }
}
