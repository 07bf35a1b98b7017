// @ts-check
/**
 * Many legacy HTTP servers in one process: each path is a server with tools of its own. Prints its origin when it
 * listens.
 *
 *   node many-http.mjs <number of tools of each server>
 */
import { createServer } from "node:http";
import { json } from "node:stream/consumers";
import { answerWith, toolsOf } from "./many-tools.mjs";

const toolCount = Number(process.argv[2]);

const server = createServer((request, response) => {
  if (request.method !== "POST") return void response.writeHead(405).end();
  void json(request).then((body) => {
    const message = /** @type {import("./many-tools.mjs").Request} */ (body);
    if (message.id === undefined) return void response.writeHead(202).end();
    const tools = toolsOf(Number(request.url?.slice(1)), toolCount);
    response.writeHead(200, { "content-type": "application/json" }).end(JSON.stringify(answerWith(tools, message)));
  });
});

server.keepAliveTimeout = 600_000;
server.listen(0, "127.0.0.1", () => {
  const address = server.address();
  if (address !== null && typeof address === "object") console.log(`http://127.0.0.1:${address.port}`);
});

// Standard input ends when the parent has finished, or has crashed.
process.stdin.resume().on("end", () => process.exit());
