/** Listens on a free port, prints the URL, and rejects requests that name another host (DNS rebinding). */
import { createServer } from "node:http";
import type { IncomingMessage, ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import { localhostHostValidation } from "@modelcontextprotocol/node";

export function listenLocally(handle: (request: IncomingMessage, response: ServerResponse) => Promise<void>): void {
  const isLocal = localhostHostValidation();
  const server = createServer((request, response) => {
    if (isLocal(request, response)) void handle(request, response);
  });
  server.listen(0, "127.0.0.1", () => {
    const { port } = server.address() as AddressInfo;
    process.stdout.write(`listening http://127.0.0.1:${port}/mcp\n`);
  });
}
