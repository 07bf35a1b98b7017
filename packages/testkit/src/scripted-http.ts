/** An HTTP server that answers as the test says and records its requests. */
import { once } from "node:events";
import { createServer, type IncomingHttpHeaders, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import { text } from "node:stream/consumers";

export interface ScriptedRequest {
  readonly method: string;
  readonly path: string;
  readonly headers: IncomingHttpHeaders;
  readonly body: string;
}

export interface ScriptedHttp {
  readonly url: string;
  /** The requests in order of arrival, each with its whole body. */
  readonly requests: readonly ScriptedRequest[];
  /** Closes all open connections. */
  close(): Promise<void>;
}

/** The handler is called when the body has been read. It may answer later or never. */
export async function startScriptedHttp(
  handler: (request: ScriptedRequest, response: ServerResponse) => void | Promise<void>,
): Promise<ScriptedHttp> {
  const requests: ScriptedRequest[] = [];
  const server = createServer((incoming, response) => {
    void text(incoming).then(async (body) => {
      const { method = "", url: path = "", headers } = incoming;
      const request = { method, path, headers, body };
      requests.push(request);
      await handler(request, response);
    });
  });
  server.listen(0, "127.0.0.1");
  await once(server, "listening");
  const { port } = server.address() as AddressInfo;

  return {
    url: `http://127.0.0.1:${port}/mcp`,
    requests,
    async close() {
      const closed = once(server, "close");
      server.close();
      server.closeAllConnections();
      await closed;
    },
  };
}
